package site

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/agentactions"
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
	"github.com/agentctl/agentctl/internal/manifest/openapi"
)

// Action is one action in full, ready to be turned into a request.
type Action struct {
	manifest.Action
	// Request renders the action with checked arguments. The problems are values that must not go where the action puts them.
	Request func(Given) (*call.Request, []fault.Problem)
	// Answer reads what the format has to say of an answer, such as an error in a success. It may put another body in place
	// of the one that it read. Nil: nothing.
	Answer func(*call.Result) error
	// Failed makes of an error of the site what the format says of it. Nil: it is what it is.
	Failed func(error) error
	Target Target
	Output jsontext.Value // JSON Schema of its answers; nil where none is published
}

// Given is what a caller gives to one call.
type Given struct {
	Values *manifest.Values
	Upload jsontext.Value                    // made from --file; nil for none
	Human  bool                              // the form for people is wanted
	Body   []byte                            // a body of the caller's own, in place of arguments; nil for none
	Open   func(path string) ([]byte, error) // reads the file that an argument names
}

// Target is how an action is reached. The zero value is a request to the site itself.
type Target struct {
	Origin   Origin   // another origin than the site's, asked without credentials; "" is the site
	Why      string   // what the person who approves has to know about the target; "" for nothing
	SignIn   bool     // it is not called without a credential (AM-12)
	Tool     bool     // the request is a call of an MCP tool: its URL the server, its body the name and the arguments
	HandOver bool     // the URL of the request is for a person to open; nothing is sent (AM-15)
	Pages    bool     // its answers may go on at another page
	Body     bool     // --input is a body as it is, not the arguments
	Files    []string // the arguments that name files
}

// Action loads the action of a node, by the kind of binding that is named where its format has several; "" takes the best
// one. Its faults are of kind [fault.Manifest].
func (s *Site) Action(ctx context.Context, n *Node, binding string) (*Action, error) {
	if issue := n.Action.Issue; issue != nil {
		return nil, fault.New(fault.Manifest, issue.Code, "%s", issue.Message)
	}
	switch n.Action.Format {
	case agentactions.Format:
		parsed, err := agentactions.ParseAction(*n.Action)
		if err != nil {
			return nil, err
		}
		return &Action{Action: parsed.Action, Request: func(g Given) (*call.Request, []fault.Problem) {
			return parsed.Request(string(s.Origin), g.Values)
		}}, nil
	case agentmanifest.Format:
		return s.capability(ctx, n, binding)
	case openapi.Format:
		return s.operation(n)
	default:
		return s.interagentic(ctx, n)
	}
}

// interagentic loads an action whose description is a document of its own (IA-2).
func (s *Site) interagentic(ctx context.Context, n *Node) (*Action, error) {
	doc, err := s.detail(ctx, string(s.Origin)+interagentic.DetailPath(n.Command))
	if err != nil {
		return nil, err
	}
	if e := (&dialect{}).published(doc, s.Origin); e != nil {
		if e.Kind == fault.Manifest {
			e.Code, e.Message = "detail_missing", "its description is missing at "+doc.URL
		}
		return nil, e
	}
	base := ""
	if source := s.Source(interagentic.Format); source != nil {
		base = source.BaseURL
	}
	parsed, err := interagentic.ParseDetail(doc.Body, *n.Action, base)
	if err != nil {
		return nil, err
	}
	return &Action{Action: parsed.Action, Request: func(g Given) (*call.Request, []fault.Problem) {
		return parsed.Request(string(s.Origin), g.Values, g.Upload, g.Human)
	}}, nil
}

// detail fetches a detail file, or waits for the one that was asked for ahead.
func (s *Site) detail(ctx context.Context, url string) (*fetch.Document, error) {
	if s.ahead != nil && s.ahead.url == url {
		select {
		case <-s.ahead.done:
			if s.ahead.err == nil {
				return s.ahead.doc, nil
			}
		case <-ctx.Done(): // the client makes the error of it
		}
	}
	return s.finder.Client.Document(ctx, url, interagentic.MaxDetailBytes)
}

func statusText(status int) string {
	return strings.TrimSpace(http.StatusText(status) + " (" + strconv.Itoa(status) + ")")
}
