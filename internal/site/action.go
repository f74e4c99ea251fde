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
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
)

// Action is one action in full, ready to be turned into a request.
type Action struct {
	manifest.Action
	// Request renders the action with checked arguments. upload is the value made from --file, or nil; human asks for the
	// form for people. The problems are values that must not go where the action puts them.
	Request func(values *manifest.Values, upload jsontext.Value, human bool) (*call.Request, []fault.Problem)
}

// Action loads the action of a node. Its faults are of kind [fault.Manifest].
func (s *Site) Action(ctx context.Context, n *Node) (*Action, error) {
	if issue := n.Action.Issue; issue != nil {
		return nil, fault.New(fault.Manifest, issue.Code, "%s", issue.Message)
	}
	switch n.Action.Format {
	case agentactions.Format:
		parsed, err := agentactions.ParseAction(*n.Action)
		if err != nil {
			return nil, err
		}
		return &Action{parsed.Action, func(values *manifest.Values, _ jsontext.Value, _ bool) (*call.Request, []fault.Problem) {
			return parsed.Request(string(s.Origin), values)
		}}, nil
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
	if e := published(doc, s.Origin, ""); e != nil {
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
	return &Action{parsed.Action, func(values *manifest.Values, upload jsontext.Value, human bool) (*call.Request, []fault.Problem) {
		return parsed.Request(string(s.Origin), values, upload, human)
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
