package site

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/mcp"
)

// TestPublishedManifestsWork makes a server of each published example of AgentManifest, and reaches every capability by every
// binding that it has: each can be called, or is handed over to a person, or says why neither is so.
func TestPublishedManifestsWork(t *testing.T) {
	shared := os.Getenv("AGENTCTL_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	examples, err := filepath.Glob(filepath.Join(shared, "data", "agentmanifest", "examples", "*.json"))
	if err != nil || len(examples) == 0 {
		t.Skip("the published examples are not at " + shared)
	}
	manifests := 0
	for _, path := range examples {
		doc, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !isAgentManifest(doc) { // a part that manifests refer to
			continue
		}
		manifests++
		t.Run(filepath.Base(path), func(t *testing.T) {
			w := newWorld(t)
			w.publish(doc)
			s, err := w.finder.Open(t.Context(), w.origin, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			children, err := s.Children(t.Context(), mustFind(t, s))
			if err != nil || len(children) == 0 {
				t.Fatalf("%d capabilities (%v)", len(children), err)
			}
			for _, child := range children {
				w.reach(s, child.Word)
			}
		})
	}
	if manifests < 6 {
		t.Errorf("only %d examples are manifests", manifests)
	}
}

func mustFind(t *testing.T, s *Site, command ...string) *Node {
	t.Helper()
	n, err := s.Find(t.Context(), command)
	if err != nil || n == nil {
		t.Fatalf("%q: %v, %v", command, n, err)
	}
	return n
}

// publish serves a manifest and everything that it refers to.
func (w *world) publish(doc []byte) {
	w.Helper()
	var m struct {
		Capabilities []struct {
			InputSchema, OutputSchema any
			Bindings                  []struct{ Kind, URL, Endpoint, Spec, OperationID string }
		}
	}
	if err := json.Unmarshal(doc, &m); err != nil {
		w.Fatal(err)
	}
	w.site.set("/.well-known/agent.json", document(string(doc)))
	paths := map[string]string{} // of the document for OpenAPI
	for _, c := range m.Capabilities {
		for _, address := range []any{c.InputSchema, c.OutputSchema} {
			if address, ok := address.(string); ok {
				w.site.set(local(address), document(`{"type":"object"}`))
			}
		}
		for _, b := range c.Bindings {
			for _, address := range []string{b.URL, b.Endpoint} {
				if address != "" {
					w.site.set(local(address), document(`{}`))
				}
			}
			if b.OperationID != "" {
				paths[b.OperationID] = fmt.Sprintf(`"/ops/%s":{"post":{"operationId":%q,"responses":{}}}`, b.OperationID, b.OperationID)
				w.site.set("/ops/"+b.OperationID, document(`{}`))
			}
		}
	}
	var all []string
	for _, path := range paths {
		all = append(all, path)
	}
	for _, c := range m.Capabilities {
		for _, b := range c.Bindings {
			if b.Spec != "" {
				w.site.set(local(b.Spec), document(`{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{`+strings.Join(all, ",")+`}}`))
			}
		}
	}
	w.finder.Tool = func(_ context.Context, _, name string, _ bool) (*mcp.Tool, error) {
		return &mcp.Tool{Name: name, Input: []byte(`{"type":"object"}`)}, nil
	}
}

// local is the path of an address on the server.
func local(address string) string {
	return "/" + strings.TrimLeft(strings.TrimPrefix(address, "."), "/")
}

// reach makes the request of every binding of a capability, and sends those that are plain requests.
func (w *world) reach(s *Site, command string) {
	w.Helper()
	n := mustFind(w.T, s, command)
	parsed, err := agentmanifest.ParseAction(*n.Action, "")
	if err != nil {
		w.Errorf("%s: %v", command, err)
		return
	}
	for _, b := range parsed.Bindings {
		if b.Unsupported != "" {
			w.Logf("%s by %s: %s", command, b.Kind, b.Unsupported)
			continue
		}
		a, err := s.Action(w.Context(), n, b.Kind)
		if err != nil {
			w.Errorf("%s by %s: %v", command, b.Kind, err)
			continue
		}
		request, problems := a.Request(Given{Values: &manifest.Values{}})
		if len(problems) > 0 || !strings.HasPrefix(request.URL, string(w.origin)+"/") {
			w.Errorf("%s by %s: %v, %+v", command, b.Kind, problems, request)
			continue
		}
		if a.Target.Tool || a.Target.HandOver {
			continue
		}
		sent, err := http.NewRequestWithContext(w.Context(), request.Method, request.URL, strings.NewReader(string(request.Body)))
		if err != nil {
			w.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(sent)
		if err != nil {
			w.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			w.Errorf("%s by %s: %s answered %d", command, b.Kind, request.URL, answer.StatusCode)
		}
	}
}
