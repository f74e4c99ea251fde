package interagentic

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// What ParseIndex accepts holds its promises, and refusals have the promised kind.
func FuzzIndex(f *testing.F) {
	f.Add([]byte(seedIndex))
	f.Add([]byte(`{"actions":[{"command":["a"],"method":1},null,3,{"command":["a","b"],"endpoint":"//x","payment":{"mode":[]}}],"groups":[{"command":[1]}],"baseUrl":[]}`))
	f.Add([]byte(`{"baseUrl":"https://x","actions":[{"command":["a"]},{"command":["a"]}]}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		site, err := ParseIndex(doc)
		if err != nil {
			if e := fault.From(err); e.Kind != fault.Manifest || e.Code == "" {
				t.Fatalf("kind %s, code %q: %v", e.Kind, e.Code, err)
			}
			return
		}
		if checkBase(site.BaseURL) != nil {
			t.Errorf("baseUrl %q", site.BaseURL)
		}
		usable := make(map[string]bool)
		for _, a := range site.Actions {
			requireCommand(t, a.Command)
			if a.Issue != nil {
				continue
			}
			if usable[joined(a.Command)] {
				t.Errorf("%q is usable twice", a.Command)
			}
			usable[joined(a.Command)] = true
			if a.Endpoint != "" && checkEndpoint(a.Endpoint) != nil {
				t.Errorf("endpoint %q", a.Endpoint)
			}
		}
		for _, g := range site.Groups {
			requireCommand(t, g.Command)
		}
	})
}

func requireCommand(t *testing.T, command []string) {
	t.Helper()
	if len(command) == 0 {
		t.Error("an empty command")
	}
	for _, word := range command {
		if !manifest.ValidSegment(word) {
			t.Errorf("command word %q", word)
		}
	}
}

// What ParseDetail accepts renders without a panic, to the origin, as a valid URL, with valid JSON.
func FuzzDetail(f *testing.F) {
	f.Add([]byte(seedCreate), "x")
	f.Add([]byte(seedRefund), "..")
	f.Add([]byte(with(abc+","+anyFiles+`,"request":{"headers":{"X-A":"{{$a}}"},"query":{"q":["{{$b}}"]},"body":{"c":"<<$c>>"}}`)), "\r\n")
	f.Add([]byte(with(`"endpoint":"/{{$a.b.0}}?x={{$a}}","method":"GET",`+needsA+`,"args":["a","b","c"],"payment":{"mode":"x","amount":1}`)), "{{$a}}")
	f.Add([]byte(`{`), "")
	f.Fuzz(func(t *testing.T, doc []byte, value string) {
		summary := manifest.Summary{Command: []string{"do"}}
		a, err := ParseDetail(doc, summary, "/api")
		if err != nil {
			if e := fault.From(err); e.Kind != fault.Manifest || e.Code == "" {
				t.Fatalf("kind %s, code %q: %v", e.Kind, e.Code, err)
			}
			if len(Lint(doc, summary, "/api")) == 0 {
				t.Errorf("refused without an issue: %v", err)
			}
			return
		}
		values := &manifest.Values{}
		for _, p := range a.Params {
			values.Set(p.Name, strictjson.Quote(value))
		}
		r, problems := a.Request(origin, values, jsontext.Value(`[]`), true)
		if (r == nil) == (problems == nil) {
			t.Fatalf("request %v, problems %v", r, problems)
		}
		if r == nil {
			return
		}
		u, err := url.Parse(r.URL)
		if err != nil || !strings.HasPrefix(r.URL, origin+"/api/") || u.Host != "popcorn.club" || u.User != nil || u.Fragment != "" {
			t.Errorf("URL %q (%v)", r.URL, err)
		}
		if r.Body != nil && !jsontext.Value(r.Body).IsValid() {
			t.Errorf("body %s", r.Body)
		}
	})
}

// A value never changes host, path structure, query structure or headers (T-3).
func FuzzRequest(f *testing.F) {
	for _, value := range []string{"x", "", ".", "..", "a/../b", `\`, "?x=1#y", "%2e%2e", "@evil.example", "\r\nHost: evil.example", "\x00", "{{$b}}", "&b=2", "é\u202e", "//evil.example"} {
		f.Add(value)
	}
	a := parse(f, with(`"endpoint":"/o/{{$a}}/v{{$a}}/x?e={{$a}}","params":[{"name":"a","required":true},{"name":"b"}],`+
		`"request":{"query":{"q":"{{$a}}","r":"-{{$a}}"},"headers":{"X-A":"{{$a}}"},"body":{"a":"{{$a}}","t":"<{{$a}}>"}}`), "/api")
	f.Fuzz(func(t *testing.T, value string) {
		values := &manifest.Values{}
		raw := strictjson.Quote(value)
		values.Set("a", raw)
		clean, _ := strictjson.String(raw) // invalid UTF-8 replaced
		r, problems := a.Request(origin, values, nil, true)
		if problems != nil {
			return
		}
		u, err := url.Parse(r.URL)
		if err != nil || u.Host != "popcorn.club" || u.Scheme != "https" || u.User != nil || u.Fragment != "" || strings.Contains(r.URL, "#") {
			t.Fatalf("URL %q (%v)", r.URL, err)
		}
		if u.Path != "/api/o/"+clean+"/v"+clean+"/x" || strings.Count(u.EscapedPath(), "/") != 5 {
			t.Errorf("path %q of %q", u.EscapedPath(), value)
		}
		query, err := url.ParseQuery(u.RawQuery)
		if err != nil || len(query) != 4 || query.Get("e") != clean || query.Get("q") != clean || query.Get("r") != "-"+clean || query.Get("humanReadable") != "true" {
			t.Errorf("query %q (%v)", u.RawQuery, err)
		}
		if len(r.Header) != 2 || r.Header.Get("X-A") != clean || strings.ContainsAny(clean, "\r\n\x00") {
			t.Errorf("header %q", r.Header)
		}
		want := append([]byte(`{"a":`), raw...)
		want = append(append(append(want, `,"t":`...), strictjson.Quote("<"+clean+">")...), '}')
		if !bytes.Equal(r.Body, want) {
			t.Errorf("body %s, want %s", r.Body, want)
		}
	})
}
