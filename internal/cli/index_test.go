package cli

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/site"
	"github.com/agentctl/agentctl/internal/streams"
)

func TestASiteIsNamedAsOneWouldTypeIt(t *testing.T) {
	dir := t.TempDir()
	aliases, err := site.LoadAliases(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := aliases.Add("shop", site.Alias{Origin: "https://shop.example"}); err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]string{
		"https://shop.example":      "shop",
		"https://popcorn.club":      "popcorn.club",
		"https://popcorn.club:8443": "popcorn.club:8443",
		"http://localhost:8080":     "http://localhost:8080",
		"https://[::1]:8443":        "[::1]:8443",
		"http://localhost:26767":    "demo",
	} {
		word := siteWord(origin, aliases)
		if word != want {
			t.Errorf("%s: got %q, want %q", origin, word, want)
		}
		if back, err := site.Resolve(word, aliases); err != nil || string(back) != origin {
			t.Errorf("%q leads to %q, %v; want %q", word, back, err, origin)
		}
	}
}

func TestSitesOfOneHostAreAskedOneAfterTheOther(t *testing.T) {
	var targets []target
	for _, origin := range []string{"https://a.example", "https://b.example", "https://a.example:8443", "http://localhost:1", "http://localhost:2"} {
		targets = append(targets, target{origin: site.Origin(origin)})
	}
	var got []string
	for _, group := range byHost(targets) {
		var origins []string
		for _, t := range group {
			origins = append(origins, string(t.origin))
		}
		got = append(got, strings.Join(origins, " "))
	}
	want := "https://a.example https://a.example:8443|https://b.example|http://localhost:1 http://localhost:2"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q", got)
	}
}

func TestTheBarFitsTheTerminal(t *testing.T) {
	if got := countLine(42, 100, "popcorn.club", 80); got != " 42% ━━━━━━━━──────────── 42 of 100  popcorn.club" {
		t.Errorf("got %q", got)
	}
	for _, width := range []int{1, 10, 30, 40, 50, 80} {
		for _, name := range []string{"", strings.Repeat("x", 200), "日本.example"} {
			line := countLine(100, 100, name, width)
			if got := utf8.RuneCountInString(line); got >= max(width, len("100 of 100")+1) {
				t.Errorf("width %d: %q takes %d", width, line, got)
			}
		}
	}
	var none *countBar // nobody looks
	none.step("x")
	none.clear()
	none.end()
}

func TestSeveralFailuresEndInOneOfTheirKind(t *testing.T) {
	auth, usage := fault.New(fault.Auth, "a", "a"), fault.New(fault.Usage, "u", "u")
	for name, test := range map[string]struct {
		causes []*fault.Error
		want   fault.Kind
		code   string
	}{
		"none":         {nil, "", ""},
		"one":          {[]*fault.Error{auth}, fault.Auth, "a"},
		"of one kind":  {[]*fault.Error{usage, usage}, fault.Usage, "sites_failed"},
		"of two kinds": {[]*fault.Error{usage, auth}, fault.Internal, "sites_failed"},
	} {
		var out, errs strings.Builder
		g := gatherer{run: &run{Env: Env{Streams: &streams.Streams{Out: &out, Err: &errs}}}}
		for _, cause := range test.causes {
			g.fail(failedSite{"site", cause})
		}
		err := g.finish(t.Context())
		if e := fault.From(err); e == nil && test.want != "" || e != nil && (e.Kind != test.want || e.Code != test.code) {
			t.Errorf("%s: got %v", name, err)
		}
		if errors.Is(err, nil) != (test.want == "") || strings.Count(errs.String(), "failed: site: ") != len(test.causes) {
			t.Errorf("%s: got %v, %q", name, err, errs.String())
		}
	}
}
