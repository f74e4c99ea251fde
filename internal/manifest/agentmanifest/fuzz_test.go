package agentmanifest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// FuzzParse holds to what a caller relies on: whatever is listed can be loaded, or tells why not; and nothing that is loaded
// asks for less than its risk, or leads anywhere but over HTTPS.
func FuzzParse(f *testing.F) {
	f.Add([]byte(full), shed)
	f.Add([]byte(`{"agentManifestVersion":"0.1-draft","capabilities":[{"id":"a"}]}`), "http://127.0.0.1:8080/agent-manifest.json")
	f.Fuzz(func(t *testing.T, doc []byte, from string) {
		site, err := Parse(doc, from)
		about, aboutErr := ReadAbout(doc, from)
		if err != nil {
			if kind := fault.From(err).Kind; kind != fault.Manifest && kind != fault.Internal {
				t.Errorf("%v", err)
			}
			return
		}
		if aboutErr != nil {
			t.Fatal(aboutErr)
		}
		for _, k := range about.Knowledge {
			if (k.URL == "") == (k.Refused == "") {
				t.Errorf("%+v", k)
			}
		}
		for _, s := range site.Actions {
			requireSound(t, s)
		}
	})
}

func requireSound(t *testing.T, s manifest.Summary) {
	t.Helper()
	if len(s.Command) != 1 || !manifest.ValidSegment(s.Command[0]) {
		t.Fatalf("the command is %q", s.Command)
	}
	c, err := ParseAction(s, "")
	if err != nil {
		if e := fault.From(err); e.Kind != fault.Manifest || e.Code == "" {
			t.Errorf("%+v", e)
		}
		return
	}
	if s.Issue != nil || s.Effect != c.Effect || s.Risk != c.Risk || s.Consent != c.Consent {
		t.Errorf("the list says %+v, the capability %+v", s, c.Summary)
	}
	if weak := c.Consent == "none" || c.Consent == "implicit"; weak && (c.Risk != "low" || c.Effect != manifest.Read && (c.CrossOrigin || c.IdentityMismatch != "")) {
		t.Errorf("it asks for too little: %+v", c)
	}
	if u, err := url.Parse(c.Binding.URL); err != nil || u.Scheme != "https" && !isLoopback(u.Hostname()) && !strings.HasPrefix(c.Binding.Published, "/") && !strings.HasPrefix(c.Binding.Published, ".") {
		t.Errorf("it leads to %q", c.Binding.URL)
	}
	if r, problems := c.Request(&manifest.Values{}); (r == nil) == (len(problems) == 0) {
		t.Errorf("%+v, %v", r, problems)
	}
}

func FuzzParseAction(f *testing.F) {
	for _, c := range jsontree.Parse(jsontext.Value(full)).Member("capabilities").Items {
		f.Add(string(c.Value()), "", "q", `"x"`)
	}
	f.Fuzz(func(t *testing.T, definition, binding, name, value string) {
		if strictjson.Check([]byte(definition)) != nil || strictjson.Check([]byte(value)) != nil {
			return
		}
		s := manifest.Summary{Command: []string{"x"}, Definition: jsontext.Value(`{"from":"` + shed + `","capability":` + definition + `}`)}
		c, err := ParseAction(s, binding)
		if err != nil {
			if kind := fault.From(err).Kind; kind != fault.Manifest && kind != fault.Usage {
				t.Errorf("%v", err)
			}
			return
		}
		values := &manifest.Values{}
		values.Set(name, strictjson.Compact(jsontext.Value(value)))
		r, _ := c.Request(values)
		if r == nil {
			return
		}
		if !SameOrigin(r.URL, c.Binding.URL) { // no value changes where a request goes
			t.Errorf("%q leads to %q", c.Binding.URL, r.URL)
		}
		before, _ := url.Parse(c.Binding.URL)
		if after, err := url.Parse(r.URL); err != nil || after.Path != before.Path || after.Fragment != "" {
			t.Errorf("%q leads to %q: %v", c.Binding.URL, r.URL, err)
		}
	})
}

func FuzzResolve(f *testing.F) {
	for _, address := range []string{"/x", "./x", "../x", "https://a.example/b", "//x", "javascript:x", `/\x`, "https:x", "https:///x", "http://localhost/", "/x\ny", "https://a@b/"} {
		f.Add(address)
	}
	from, err := url.Parse(shed)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, address string) {
		to, err := resolve(address, from)
		if err != nil {
			return
		}
		u, err := url.Parse(to)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && !isLoopback(u.Hostname()) {
			t.Errorf("%q leads to %q: %v", address, to, err)
		}
		if isRelative(address) && !SameOrigin(to, shed) {
			t.Errorf("%q leads to another origin: %q", address, to)
		}
	})
}
