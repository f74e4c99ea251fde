package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/aep/aeptest"
)

// challenger is a person's machine, and hosts that demand something: https://shop.example and others, all on one listener.
type challenger struct {
	*testing.T
	world *aeptest.World
	bin   string
	dir   string
	env   map[string]string
}

const shopManifest = `{"name": "Shop", "actions": [
 {"command": ["hold"], "endpoint": "/holds?day=1", "method": "GET", "description": "Look at holds"},
 {"command": ["rent"], "endpoint": "/rent", "method": "POST", "description": "Rent a thing"}]}`

const rentDetail = `{"command": ["rent"], "endpoint": "/rent", "method": "POST", "description": "Rent a thing", "args": ["what"],
 "params": [{"name": "what", "required": true, "type": {"type": "string"}}]}`

const holdDetail = `{"command": ["hold"], "endpoint": "/holds?day=1", "method": "GET", "description": "Look at holds"}`

func newChallenger(t *testing.T, bin string, minTLS, maxTLS uint16) *challenger {
	t.Helper()
	w := aeptest.NewWorld(t, minTLS, maxTLS)
	w.RealTime()
	c := &challenger{T: t, world: w, bin: bin, dir: t.TempDir()}
	addr := w.Addr().String()
	c.env = map[string]string{
		"PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME": c.dir, "TERM": "dumb",
		"AGENTCTL_CONFIG_DIR": c.path("config"), "AGENTCTL_CACHE_DIR": c.path("cache"), "AGENTCTL_STATE_DIR": c.path("state"),
		"SSL_CERT_FILE": c.path("ca.pem"), "AGENTCTL_KEYRING": "file",
		"AGENTCTL_RESOLVE": "shop.example:443:" + addr + ",elsewhere.example:443:" + addr + ",agents.example:443:" + addr,
	}
	if root := os.Getenv("SystemRoot"); root != "" {
		c.env["SystemRoot"] = root
	}
	c.write("ca.pem", string(w.Authority()))
	return c
}

func (c *challenger) path(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }

func (c *challenger) write(name, content string) {
	c.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o700); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(c.path(name), []byte(content), 0o600); err != nil {
		c.Fatal(err)
	}
}

// serveManifest answers what a site publishes; it reports whether it did.
func serveManifest(out http.ResponseWriter, r *http.Request) bool {
	doc := map[string]string{
		"/.well-known/interagentic/services.json": shopManifest, "/.well-known/interagentic/services/rent.json": rentDetail,
		"/.well-known/interagentic/services/hold.json": holdDetail,
	}[r.URL.Path]
	switch {
	case doc != "":
		out.Header().Set("Content-Type", "application/json")
		out.Header().Set("Cache-Control", "max-age=3600")
		_, _ = out.Write([]byte(doc))
	case strings.HasPrefix(r.URL.Path, "/.well-known/") && r.URL.Path != "/.well-known/aep", r.URL.Path == "/", r.URL.Path == "/openapi.json":
		http.NotFound(out, r)
	default:
		return false
	}
	return true
}

// told is what one run of the program left.
type told struct {
	*challenger
	line           string
	stdout, stderr string
	status         int
	fault          struct {
		Kind, Code, Message, Hint, Sent string
		Status                          int
		Details                         map[string]json.RawMessage
	}
}

func (c *challenger) agentctl(args ...string) *told {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, "agentctl"), args...)
	cmd.Dir = c.dir
	for name, value := range c.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	o := &told{challenger: c, line: strings.Join(args, " ")}
	if err := cmd.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			c.Fatal(err)
		}
		o.status = exit.ExitCode()
	}
	o.stdout, o.stderr = stdout.String(), stderr.String()
	for line := range strings.Lines(o.stderr) {
		if strings.HasPrefix(line, `{"error":`) {
			var document struct{ Error json.RawMessage }
			if err := json.Unmarshal([]byte(line), &document); err != nil {
				c.Fatalf("%s: %v in %s", o.line, err, line)
			}
			if err := json.Unmarshal(document.Error, &o.fault); err != nil {
				c.Fatalf("%s: %v in %s", o.line, err, line)
			}
		}
	}
	return o
}

// is demands an exit status and, in place of an error's, its code.
func (o *told) is(status int, code string) *told {
	o.Helper()
	if o.status != status || o.fault.Code != code && (status != 0 || code != "") {
		o.Errorf("agentctl %s: exit %d %q, want %d %q\n%s%s", o.line, o.status, o.fault.Code, status, code, o.stdout, o.stderr)
	}
	return o
}

func (o *told) shows(text string) *told {
	o.Helper()
	if !strings.Contains(o.stdout+o.stderr, text) {
		o.Errorf("agentctl %s does not show %q:\n%s%s", o.line, text, o.stdout, o.stderr)
	}
	return o
}

// hides demands that no file of the person's but those of the keyring, and nothing that was printed, holds a text.
func (c *challenger) hides(texts ...string) {
	c.Helper()
	_ = filepath.WalkDir(c.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "keyring") {
			return err
		}
		content, err := os.ReadFile(path)
		for _, text := range texts {
			if bytes.Contains(content, []byte(text)) {
				c.Errorf("%s holds %q", path, text)
			}
		}
		return err
	})
}

// TestAgentsSignIn lives the whole life of an agent with the real program, at a Service written from the rules.
func TestAgentsSignIn(t *testing.T) {
	bin := buildPrograms(t)
	for _, algorithm := range []string{"EdDSA", "ES256"} {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			c := newChallenger(t, bin, tls.VersionTLS13, tls.VersionTLS13)
			service := aeptest.NewService(c.world, "shop.example")
			service.Before = serveManifest
			var document []byte
			c.world.Handle("agents.example", http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				if document == nil || !strings.HasSuffix(r.URL.Path, "/did.json") {
					http.NotFound(out, r)
					return
				}
				_, _ = out.Write(document)
			}))

			c.agentctl("aep", "inspect", "shop.example").is(0, "").shows("contact.email").shows("agentctl aep document shop.example")
			c.agentctl("shop.example", "hold", "--json").is(4, "enrollment_required").shows("agentctl aep enroll shop.example").shows(`"protocol":"aep"`)
			c.agentctl("aep", "enroll", "shop.example", "--json").is(4, "agent_missing")
			c.agentctl("aep", "document", "shop.example", "--json").is(2, "agent_missing")
			made := c.agentctl("aep", "document", "shop.example", "--below", "did:web:agents.example:a", "--algorithm", algorithm).is(0, "").shows("publish it at https://agents.example/a/")
			c.agentctl("aep", "document", "shop.example", "--check", "--json").is(4, "did_document_missing")
			document = []byte(made.stdout)
			c.agentctl("aep", "document", "shop.example", "--check").is(0, "")
			if again := c.agentctl("aep", "document", "shop.example"); again.stdout != made.stdout {
				t.Errorf("the document changed: %s", again.stdout)
			}
			c.agentctl("shop.example", "hold", "--json").is(4, "enrollment_required")

			// Claims: what is required must be there, and nothing is told that was not asked for.
			c.agentctl("aep", "enroll", "shop.example", "--yes", "--json").is(2, "invalid_claims").shows("is required by the Service")
			c.agentctl("aep", "enroll", "shop.example", "--claim", "contact.email=ada@example.com", "--claim", "person.birthdate=1990-04-12", "--yes", "--json").is(2, "invalid_claims").shows("does not ask for this claim")
			c.agentctl("aep", "enroll", "shop.example", "--claim", "contact.email=a..b@x", "--yes", "--json").is(2, "invalid_claims")
			asked := c.agentctl("aep", "enroll", "shop.example", "--claim", "contact.email=ada@example.com", "--json").is(5, "approval_required")
			var digest string
			if err := json.Unmarshal(asked.fault.Details["approval"], &digest); err != nil {
				t.Fatal(err)
			}
			c.agentctl("aep", "enroll", "shop.example", "--claim", "contact.email=eve@example.com", "--approve", digest, "--json").is(5, "approval_mismatch")
			if len(service.Requests()) == 0 || hasPath(service, "/agents/aep/enroll") {
				t.Error("something was enrolled before it was approved")
			}
			c.agentctl("aep", "enroll", "shop.example", "--claim", "contact.email=ada@example.com", "--approve", digest, "--json").is(0, "").shows(`"state":"active"`)
			c.agentctl("aep", "status", "shop.example").is(0, "").shows("active")

			// A call signs in by itself, once, for exactly its URL.
			c.agentctl("shop.example", "hold", "--json").is(0, "").shows(`{"agent":"did:web:agents.example:a:`)
			c.agentctl("shop.example", "rent", "boat", "--json").is(0, "").shows(`{"agent":`)
			last := service.Requests()[len(service.Requests())-1]
			if !strings.HasPrefix(last.Header.Get("Authorization"), "AEP ") || string(last.Body) != `{"what":"boat"}` {
				t.Errorf("the last request: %v %s", last.Header, last.Body)
			}

			// Granted credentials are used where the Service likes them better, until they are revoked.
			service.Methods = []string{"api-key", "oauth-bearer"}
			c.agentctl("cache", "clear").is(0, "")
			c.agentctl("shop.example", "hold", "--json").is(4, "grant_required").shows("agentctl aep grant shop.example api-key")
			c.agentctl("aep", "grant", "shop.example", "api-key", "--label", "laptop", "--json").is(0, "").shows(`"type":"api-key"`)
			c.agentctl("shop.example", "hold", "--json").is(0, "").shows(`{"agent":`)
			if last := service.Requests()[len(service.Requests())-1]; last.Header.Get("X-Api-Key") == "" || last.Header.Get("Authorization") != "" {
				t.Errorf("the last request carries %v", last.Header)
			}
			c.agentctl("aep", "grant", "shop.example", "session", "--json").is(2, "unsupported_grant_type")
			c.agentctl("aep", "revoke", "shop.example", "api-key", "--json").is(5, "approval_required")
			c.agentctl("aep", "revoke", "shop.example", "api-key", "--yes").is(0, "").shows("0 grants left")
			c.agentctl("shop.example", "hold", "--json").is(4, "grant_required")
			c.agentctl("aep", "grant", "shop.example", "oauth-bearer").is(0, "")
			c.agentctl("shop.example", "hold", "--json").is(0, "")
			c.agentctl("aep", "revoke", "shop.example", "--all", "--yes").is(0, "")

			// The Service changes its mind.
			service.Methods = []string{"aep-jwt"}
			c.agentctl("cache", "clear").is(0, "")
			service.SetState(agentOf(t, c), "suspended")
			refused := c.agentctl("shop.example", "hold", "--json").is(4, "identity_suspended")
			if n := countPath(service, "/holds"); refused.fault.Sent != "yes" || n == 0 {
				t.Errorf("sent %q", refused.fault.Sent)
			}
			c.agentctl("aep", "status", "shop.example", "--json").is(4, "enrollment_suspended")
			c.agentctl("shop.example", "hold", "--json").is(4, "enrollment_suspended")

			c.agentctl("doctor", "shop.example").shows("agent").shows("suspended")
			c.agentctl("audit", "list").is(0, "").shows("aep enroll").shows("aep grant").shows("aep revoke")
			c.agentctl("aep", "list", "--json").is(0, "").shows(`"state":"suspended"`)
			c.agentctl("aep", "forget", "shop.example", "--json").is(5, "approval_required")
			c.agentctl("aep", "forget", "shop.example", "--yes").is(0, "")
			c.agentctl("shop.example", "hold", "--json").is(4, "enrollment_required")
			c.hides("ada@example.com", "PRIVATE KEY", "secret-api-key", "secret-oauth-bearer")
		})
	}
}

func agentOf(t *testing.T, c *challenger) string {
	t.Helper()
	var list []struct{ Agent string }
	if err := json.Unmarshal([]byte(c.agentctl("aep", "list", "--json").stdout), &list); err != nil || len(list) != 1 {
		t.Fatal(err, list)
	}
	return list[0].Agent
}

func countPath(s *aeptest.Service, path string) (n int) {
	for _, r := range s.Requests() {
		if r.Path == path {
			n++
		}
	}
	return n
}

func hasPath(s *aeptest.Service, path string) bool { return countPath(s, path) > 0 }
