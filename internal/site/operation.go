package site

import (
	"context"
	"iter"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/linkheader"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/manifest/openapi"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Parts of the tree of an OpenAPI document that lead from an operation's names to its command.
const (
	byOperation  = "operationId "
	byCapability = "x-agent-capability "
)

// openAPI is the format of last resort: what describes nearly every API that there is. server takes the place of the servers
// that a document names; "" leaves those.
func openAPI(server string) dialect {
	return dialect{
		format: openapi.Format, places: []string{"/openapi.json", "/.well-known/openapi.json"}, maxBytes: openapi.MaxBytes, last: true,
		accept: "application/vnd.oai.openapi+json, application/json, application/yaml;q=0.9, */*;q=0.1", takes: isOpenAPI,
		parse: func(doc *fetch.Document, _ Origin) (*manifest.Site, error) {
			parsed, err := openapi.Parse(doc.Body, doc.ContentType, urlOf(doc), server)
			if err != nil {
				return nil, err
			}
			m := parsed.Site()
			m.Parts = withNames(parsed)
			return m, nil
		},
		linked: serviceDescription,
	}
}

// urlOf is the address of a document; a file has none.
func urlOf(doc *fetch.Document) string {
	if strings.Contains(doc.URL, "://") {
		return doc.URL
	}
	return ""
}

// isOpenAPI tells the media types that documents come with. Many servers do not know what they are.
func isOpenAPI(mediaType string) bool {
	switch mediaType {
	case "", "text/plain", "application/octet-stream", "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml", "text/vnd.yaml":
		return true
	}
	return isJSON(mediaType) || strings.HasSuffix(mediaType, "+yaml")
}

// serviceDescription is the address of the description that a home page names in its header (RFC 8631), on its own origin.
func serviceDescription(page *fetch.Document) string {
	target := linkheader.Find(page.Header, "service-desc")
	if target == "" {
		return ""
	}
	base, err := url.Parse(page.URL)
	if err != nil {
		return ""
	}
	to, err := base.Parse(target)
	if err != nil || fetch.SameOriginRedirect(page.URL, to.String()) != nil {
		return ""
	}
	return to.String()
}

// withNames adds to the parts of a document the commands of its operations, by their ids and by the capabilities that they
// are for. A name that two of them have leads nowhere.
func withNames(doc *openapi.Document) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		for name, value := range doc.Parts() {
			if !yield(name, value) {
				return
			}
		}
		for name, command := range commandsByName(doc) {
			if !yield(name, command) {
				return
			}
		}
	}
}

func commandsByName(doc *openapi.Document) map[string]jsontext.Value {
	commands := make(map[string]jsontext.Value)
	note := func(kind, name string, command jsontext.Value) {
		if name == "" {
			return
		}
		if _, twice := commands[kind+name]; twice {
			command = jsontext.Value("null")
		}
		commands[kind+name] = command
	}
	doc.Names(func(id, capability string, command []string) {
		quoted := strictjson.Quote(strings.Join(command, " "))
		note(byOperation, id, quoted)
		note(byCapability, capability, quoted)
	})
	return commands
}

// operation loads an action that is an operation of an OpenAPI document.
func (s *Site) operation(n *Node) (*Action, error) {
	parsed, err := s.parseOperation(n)
	if err != nil {
		return nil, err
	}
	a := &Action{Action: parsed.Action, Request: func(g Given) (*call.Request, []fault.Problem) { return parsed.Request(g.Values, g.own()) }}
	a.Target.takeOver(parsed)
	origin, err := OriginOf(parsed.Server)
	if err != nil {
		return nil, fault.New(fault.Manifest, "server_refused", "its server is refused: %w", err)
	}
	if origin != s.Origin {
		a.Target.Origin = origin
		if a.Effect != manifest.Read {
			a.Consent = "explicit" // as AM-4 has it for the other format that leads elsewhere
		}
	}
	return a, nil
}

func (s *Site) parseOperation(n *Node) (*openapi.Action, error) {
	return openapi.ParseAction(*n.Action, func(name string) (value jsontext.Value, err error) {
		err = s.read(context.Background(), func() error { value, err = s.tree.part(openapi.Format, name); return err })
		return value, err
	})
}

// operation makes a call of an operation that another document describes (AM-15).
func (c *capability) operation(ctx context.Context) error {
	spec, err := c.site.specification(ctx, c.Binding.URL)
	if err != nil {
		return err
	}
	defer spec.Close()
	n, err := spec.operationFor(ctx, c.Binding.OperationID, c.ID)
	if err != nil {
		return err
	}
	parsed, err := spec.parseOperation(n)
	if err != nil {
		return err
	}
	if err := c.reaches(parsed.Server); err != nil {
		return err
	}
	c.takeOver(parsed)
	c.action.Target.takeOver(parsed)
	c.action.Request = func(g Given) (*call.Request, []fault.Problem) {
		request, problems := parsed.Request(c.mapped(g.Values), g.own())
		if request != nil {
			request.Effect, request.Cost = c.Effect, c.Cost
			request.Idempotent = request.Idempotent || c.Idempotent
		}
		return request, problems
	}
	return nil
}

// own is what goes with a call of an operation besides its arguments.
func (g *Given) own() openapi.Own {
	own := openapi.Own{Open: func(path string) (openapi.File, error) {
		data, err := g.Open(path)
		return openapi.File{Data: data}, err
	}}
	if g.Body != nil {
		own.Body = &openapi.Body{Data: g.Body}
	}
	return own
}

// takeOver takes from an operation how it is called.
func (t *Target) takeOver(operation *openapi.Action) {
	t.Pages = operation.NextLink && operation.Effect == manifest.Read
	t.Body, t.Files = !operation.TakesArguments(), operation.FileArgs
}

// takeOver takes from an operation what the capability leaves to it. The stricter effect counts: a binding never weakens what
// the capability declares, nor the other way round (AM-14).
func (c *capability) takeOver(operation *openapi.Action) {
	c.Method, c.Endpoint = operation.Method, operation.Endpoint
	c.Security = operation.Security
	if weight(operation.Effect) > weight(c.Effect) {
		c.Effect = operation.Effect
	}
	if c.Cost == nil {
		c.Cost = operation.Cost
	}
	if c.Binding.SchemaMode == agentmanifest.External {
		c.Input, c.Args, c.Params = operation.Input, operation.Args, operation.Params
		c.Issues = append(c.Issues, operation.Issues...)
	}
}

// weight orders effects by what they risk. One that is not known weighs most.
func weight(effect manifest.Effect) int {
	for i, known := range []manifest.Effect{manifest.Read, manifest.Write, manifest.Send, manifest.Spend, manifest.Delete} {
		if effect == known {
			return i
		}
	}
	return 5
}

// specification opens an OpenAPI document that another one refers to, compiled as if it were a site.
func (s *Site) specification(ctx context.Context, address string) (*Site, error) {
	finder := *s.finder
	finder.Described = &Described{Location: address}
	return finder.Open(ctx, s.Origin, nil)
}

// operationFor finds the one operation of an id, or, where no id is named or none has it, the one for a capability (AM-15).
func (s *Site) operationFor(ctx context.Context, id, capability string) (*Node, error) {
	for _, name := range []string{byOperation + id, byCapability + capability} {
		value, err := s.tree.part(openapi.Format, name)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		command, ok := strictjson.String(value)
		if !ok {
			return nil, fault.New(fault.Manifest, "operation_ambiguous", "several operations are called %q", fault.Word(name))
		}
		n, err := s.Find(ctx, strings.Fields(command))
		if n != nil || err != nil {
			return n, err
		}
	}
	return nil, fault.New(fault.Manifest, "operation_missing", "the OpenAPI document has no operation %q, nor one for the capability %q", fault.Word(id), fault.Word(capability))
}
