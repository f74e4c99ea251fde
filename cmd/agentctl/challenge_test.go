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
	if os.Getenv("AGENTCTL_TEST_KEYRING") != "" { // scripts/keyring-test
		delete(c.env, "AGENTCTL_KEYRING")
		c.env["DBUS_SESSION_BUS_ADDRESS"] = os.Getenv("DBUS_SESSION_BUS_ADDRESS")
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
			c.world.Between(func() { service.Before = serveManifest })
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
			c.world.Between(func() { document = []byte(made.stdout) })
			c.agentctl("aep", "document", "shop.example", "--check").is(0, "")
			if again := c.agentctl("aep", "document", "shop.example"); again.stdout != made.stdout {
				t.Errorf("the document changed: %s", again.stdout)
			}
			c.agentctl("shop.example", "hold", "--json").is(4, "enrollment_required")

			// Claims: what is required must be there, and nothing is told that was not asked for.
			c.agentctl("aep", "enroll", "shop.example", "--yes", "--json").is(2, "invalid_claims").shows("is required by the Service")
			c.agentctl("aep", "enroll", "shop.example", "--claim", "contact.email=ada@example.com", "--claim", "person.birthdate=1990-04-12", "--yes", "--json").is(2, "invalid_claims").shows("does not ask for this claim")
			c.agentctl("aep", "enroll", "shop.example", "--claim", "contact.email=a..b@x", "--yes", "--json").is(2, "invalid_claims")
			c.agentctl("aep", "enroll", "shop.example", "--claim", "person.username=i", "--yes", "--json").is(2, "invalid_claims") // a letter is not taken out
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
			c.world.Between(func() { service.Methods = []string{"api-key", "oauth-bearer"} })
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
			c.world.Between(func() { service.Methods = []string{"aep-jwt"} })
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

// TestSignInAttacks are demands to sign in that are malformed, of somebody else, or never satisfied. In none of them does an
// assertion leave for a site that it is not for, and no call is signed more often than once.
func TestSignInAttacks(t *testing.T) {
	bin := buildPrograms(t)
	const did, inspect = `service_did="did:web:shop.example"`, `inspect="https://shop.example/.well-known/aep"`
	challenges := func(value string) func(*aeptest.Service) http.HandlerFunc {
		return func(*aeptest.Service) http.HandlerFunc {
			return func(out http.ResponseWriter, _ *http.Request) {
				out.Header().Set("Www-Authenticate", value)
				out.WriteHeader(http.StatusUnauthorized)
			}
		}
	}
	redirects := func(to string) func(*aeptest.Service) http.HandlerFunc {
		return func(s *aeptest.Service) http.HandlerFunc {
			return func(out http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") == "" {
					challenges("AEP "+did+", "+inspect)(s)(out, r)
					return
				}
				http.Redirect(out, r, to, http.StatusFound)
			}
		}
	}
	for name, row := range map[string]struct {
		holds  func(*aeptest.Service) http.HandlerFunc // what answers the call
		line   string
		status int
		code   string
		signed int // requests that carried an assertion
		says   string
		setup  func(c *challenger, s *aeptest.Service)
	}{
		"a parameter twice":                     {challenges("AEP " + did + ", " + did + ", " + inspect), "hold", 4, "http_401", 0, "comes twice", nil},
		"no address to inspect":                 {challenges("AEP " + did), "hold", 4, "http_401", 0, "does not tell where to go on", nil},
		"no name of the Service":                {challenges("AEP " + inspect), "hold", 4, "http_401", 0, "does not tell where to go on", nil},
		"a quote that does not end":             {challenges(`AEP service_did="did:web:shop.example, ` + inspect), "hold", 4, "http_401", 0, "", nil},
		"a Service of another origin":           {challenges(`AEP service_did="did:web:elsewhere.example", inspect="https://elsewhere.example/.well-known/aep"`), "hold", 4, "http_401", 0, "of another origin", nil},
		"an inspect document of another origin": {challenges("AEP " + did + `, inspect="https://elsewhere.example/.well-known/aep"`), "hold", 4, "http_401", 0, "of another origin", nil},
		"an inspect document without TLS":       {challenges("AEP " + did + `, inspect="http://shop.example/.well-known/aep"`), "hold", 4, "http_401", 0, "no absolute https URL", nil},
		"a DID of another method":               {challenges(`AEP service_did="did:key:z6Mk", ` + inspect), "hold", 4, "http_401", 0, "", nil},
		"a challenge of 40 KiB":                 {challenges("AEP " + did + ", " + inspect + `, x="` + strings.Repeat("x", 40<<10) + `"`), "hold", 4, "http_401", 0, "", nil},
		"the same challenge without end":        {challenges("AEP " + did + ", " + inspect), "hold", 4, "http_401", 1, "agentctl aep status shop.example", nil},
		"the same challenge to an effect":       {challenges("AEP " + did + ", " + inspect), "rent boat", 4, "http_401", 1, "", nil},
		"a redirect to another origin":          {redirects("https://elsewhere.example/holds"), "hold", 8, "redirect_refused", 1, "", nil},
		"a redirect of an effect":               {redirects("/other"), "rent boat", 8, "redirect_refused", 1, "", nil},
		"redirects without end":                 {redirects("/holds?again=1"), "hold", 8, "redirect_refused", 3, "", nil},
		"an inspect document that leads away": {challenges("AEP " + did + ", " + inspect), "hold", 8, "redirect_refused", 0, "", func(_ *challenger, s *aeptest.Service) {
			s.Change = nil
			inspectLeads(s, "https://elsewhere.example/.well-known/aep")
		}},
		"an inspect document of another Service": {challenges("AEP " + did + ", " + inspect), "hold", 3, "service_identity_mismatch", 0, "", func(_ *challenger, s *aeptest.Service) {
			s.Change = func(doc map[string]any) { doc["service"] = map[string]any{"did": "did:web:elsewhere.example"} }
		}},
		"a Service that takes other keys": {challenges("AEP " + did + ", " + inspect), "hold", 4, "algorithm_unsupported", 0, "", func(_ *challenger, s *aeptest.Service) { s.Algorithms = []string{"RS256"} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChallenger(t, bin, tls.VersionTLS12, tls.VersionTLS13)
			service := aeptest.NewService(c.world, "shop.example")
			var document []byte
			c.world.Handle("agents.example", http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write(document) }))
			away := 0
			c.world.Handle("elsewhere.example", http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				away++
				http.NotFound(out, r)
			}))
			c.world.Between(func() { service.Before = serveManifest })
			made := c.agentctl("aep", "document", "shop.example", "--below", "did:web:agents.example:a").is(0, "")
			c.world.Between(func() { document = []byte(made.stdout) })
			c.agentctl("aep", "enroll", "shop.example", "--claim", "contact.email=ada@example.com", "--yes").is(0, "")
			c.agentctl("cache", "clear").is(0, "")
			answer := row.holds(service)
			c.world.Between(func() {
				service.Before = func(out http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path == "/holds" || r.URL.Path == "/rent" {
						answer(out, r)
						return true
					}
					return serveManifest(out, r)
				}
				if row.setup != nil {
					row.setup(c, service)
				}
			})
			before := len(service.Requests())
			c.agentctl(append([]string{"shop.example", "--json"}, strings.Fields(row.line)...)...).is(row.status, row.code).shows(row.says)
			signed := 0
			seen := map[string]bool{}
			for _, r := range service.Requests()[before:] {
				for _, field := range []string{"Authorization", "Aep-Authorization"} {
					if value := r.Header.Get(field); value != "" {
						signed++
						if seen[value] {
							t.Error("an assertion was sent twice")
						}
						seen[value] = true
					}
				}
			}
			c.world.Between(func() {
				if signed != row.signed || away != 0 {
					t.Errorf("%d signed requests, want %d; %d requests to another origin", signed, row.signed, away)
				}
			})
			c.hides("PRIVATE KEY", "ada@example.com")
		})
	}

	t.Run("a site that speaks TLS 1.2 alone", func(t *testing.T) {
		c := newChallenger(t, bin, tls.VersionTLS12, tls.VersionTLS12)
		aeptest.NewService(c.world, "shop.example").Before = serveManifest
		c.agentctl("aep", "inspect", "shop.example", "--json").is(8, "tls_failed")
	})
	t.Run("a site without TLS", func(t *testing.T) {
		c := newChallenger(t, bin, tls.VersionTLS12, tls.VersionTLS13)
		c.agentctl("aep", "inspect", "http://localhost:1", "--json").is(2, "aep_needs_tls")
	})
}

// inspectLeads has the Inspect document redirect.
func inspectLeads(s *aeptest.Service, to string) {
	before := s.Before
	s.Before = func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/.well-known/aep" {
			http.Redirect(out, r, to, http.StatusFound)
			return true
		}
		return before(out, r)
	}
}
