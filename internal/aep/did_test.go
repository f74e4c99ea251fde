package aep_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/aep"
)

func TestDIDs(t *testing.T) {
	for text, want := range map[string][2]string{ // origin, document
		"did:web:shop.example":                 {"https://shop.example", "https://shop.example/.well-known/did.json"},
		"did:web:shop.example:a:b-1.x_y":       {"https://shop.example", "https://shop.example/a/b-1.x_y/did.json"},
		"did:web:shop.example%3A8443":          {"https://shop.example:8443", "https://shop.example:8443/.well-known/did.json"},
		"did:web:shop.example%3a8443:a":        {"https://shop.example:8443", "https://shop.example:8443/a/did.json"},
		"did:web:shop.example%3A443":           {"https://shop.example", "https://shop.example/.well-known/did.json"},
		"did:web:Shop.EXAMPLE":                 {"https://shop.example", "https://shop.example/.well-known/did.json"},
		"did:web:localhost%3A8443":             {"https://localhost:8443", "https://localhost:8443/.well-known/did.json"},
		"did:web:xn--bcher-kva.example:%C3%BC": {"https://xn--bcher-kva.example", "https://xn--bcher-kva.example/%C3%BC/did.json"},
	} {
		d, err := aep.ParseDID(text)
		if err != nil || d.Origin() != want[0] || d.DocumentURL() != want[1] || d.String() != text {
			t.Errorf("%s: %s %s, %v", text, d.Origin(), d.DocumentURL(), err)
		}
	}
	for name, text := range map[string]string{
		"nothing": "", "another method": "did:key:z6Mk", "no host": "did:web:", "capitals": "DID:WEB:shop.example",
		"an empty segment": "did:web:shop.example:", "two colons": "did:web:shop.example::a", "a slash": "did:web:shop.example:a/b",
		"an encoded slash": "did:web:shop.example:a%2Fb", "a step up": "did:web:shop.example:..:a", "an encoded step up": "did:web:shop.example:%2e%2E:a",
		"a fragment": "did:web:shop.example#k1", "a query": "did:web:shop.example?x", "a space": "did:web:shop.example:a b",
		"an address": "did:web:127.0.0.1", "an address with a port": "did:web:127.0.0.1%3A8443", "IPv6": "did:web:%5B%3A%3A1%5D", "a number": "did:web:2130706433",
		"a user": "did:web:a%40shop.example", "port 0": "did:web:shop.example%3A0", "a long port": "did:web:shop.example%3A99999", "a port with zeros": "did:web:shop.example%3A0443",
		"letters beyond ASCII": "did:web:büch.example", "bad encoding": "did:web:shop.example%3", "two ports": "did:web:shop.example%3A1%3A2",
		"a line break": "did:web:shop.example\n", "a NUL": "did:web:shop.example%00", "too long": "did:web:shop.example:" + strings.Repeat("a", 1024),
	} {
		if d, err := aep.ParseDID(text); err == nil {
			t.Errorf("%s was taken: %s", name, d.DocumentURL())
		}
	}
}

// A DID is kept as text, and read back it is the same value.
func TestDIDsAreKeptAsText(t *testing.T) {
	for _, d := range []aep.DID{{}, did(t, "did:web:shop.example%3A8443:a")} {
		text, err := json.Marshal(d)
		must(t, err)
		var back aep.DID
		must(t, json.Unmarshal(text, &back))
		if back != d {
			t.Errorf("%s became %s", d, back)
		}
	}
	if err := json.Unmarshal([]byte(`"did:key:x"`), new(aep.DID)); err == nil {
		t.Error("a DID that cannot be used was read")
	}
}

func FuzzDID(f *testing.F) {
	for _, seed := range []string{"did:web:shop.example%3A8443:a:b", "did:web:a%40b", "did:web:%5B%3A%3A1%5D", "did:web:x:%2e%2e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := aep.ParseDID(text)
		if err != nil {
			return
		}
		u, err := url.Parse(d.DocumentURL())
		if err != nil || u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || "https://"+u.Host != d.Origin() || !strings.HasSuffix(u.Path, "/did.json") {
			t.Errorf("%q leads to %q of %q", text, d.DocumentURL(), d.Origin())
		}
		if again, err := aep.ParseDID(d.String()); err != nil || again != d {
			t.Errorf("%q is another one the second time: %v", text, err)
		}
	})
}
