package policy

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestParseReadsEveryMember(t *testing.T) {
	p := parse(t, `# mine
[[rule]]
site = "*.example"
action = "orders *"
effect = "spend"
risk = "medium"
max_amount = "20.50"
currency = "EUR"
per = "month"
decision = "allow"

[[rule]] # everything else
decision = 'ask'
`)
	want := []*Rule{
		{Number: 1, Line: 2, Site: "*.example", Action: "orders *", Effect: "spend", Risk: "medium", Max: "20.50", Currency: "EUR", Per: PerMonth, Decision: Allow},
		{Number: 2, Line: 12, Decision: Ask},
	}
	if diff := cmp.Diff(want, p.Rules, cmpopts.IgnoreUnexported(Rule{})); diff != "" {
		t.Error(diff)
	}
}

func TestParseNamesTheLineOfAFault(t *testing.T) {
	for name, row := range map[string]struct{ text, want string }{
		"unknown member":          {"[[rule]]\ndecision=\"ask\"\nsites=\"*\"", `:3: "sites" is no member`},
		"unknown decision":        {"[[rule]]\ndecision = \"maybe\"", `:2: decision "maybe" is not one of allow, ask, deny`},
		"capital decision":        {"[[rule]]\ndecision = \"Allow\"", `:2: decision`},
		"no decision":             {"\n[[rule]]\nsite=\"*\"\n[[rule]]\ndecision=\"ask\"", `:2: the rule has no decision`},
		"last without decision":   {"[[rule]]\ndecision=\"ask\"\n\n[[rule]]\n", `:4: the rule has no decision`},
		"unknown effect":          {"[[rule]]\neffect=\"buy\"\ndecision=\"ask\"", `:2: effect "buy"`},
		"unknown risk":            {"[[rule]]\nrisk=\"huge\"\ndecision=\"ask\"", `:2: risk "huge"`},
		"unknown period":          {"[[rule]]\nper=\"week\"\ndecision=\"ask\"", `:2: per "week"`},
		"amount as float":         {"[[rule]]\nmax_amount=20.5\ncurrency=\"EUR\"\ndecision=\"ask\"", `:2: max_amount must be a string`},
		"amount with exponent":    {"[[rule]]\nmax_amount=\"1e3\"\ncurrency=\"EUR\"\ndecision=\"ask\"", `:2: max_amount "1e3"`},
		"negative amount":         {"[[rule]]\nmax_amount=\"-1\"\ncurrency=\"EUR\"\ndecision=\"ask\"", `:2: max_amount "-1"`},
		"amount of many digits":   {"[[rule]]\nmax_amount=\"" + strings.Repeat("9", 31) + "\"", `:2: max_amount`},
		"amount without currency": {"[[rule]]\nmax_amount=\"1\"\ndecision=\"ask\"", `:1: max_amount needs a currency`},
		"period without amount":   {"[[rule]]\nper=\"day\"\ndecision=\"ask\"", `:1: per needs a max_amount`},
		"currency is a sentence":  {"[[rule]]\ncurrency=\"any one\"\ndecision=\"ask\"", `:2: currency "any one"`},
		"member twice":            {"[[rule]]\ndecision=\"ask\"\ndecision=\"allow\"", `:3: decision is given twice`},
		"member before a rule":    {"decision=\"allow\"", `:1: "decision" stands before the first [[rule]]`},
		"table instead of list":   {"[rule]\ndecision=\"allow\"", `:1: "rule": there is nothing but [[rule]]`},
		"other table":             {"[[rule]]\ndecision=\"ask\"\n[[rules]]", `:3: "rules": there is nothing but [[rule]]`},
		"table below a rule":      {"[[rule]]\ndecision=\"ask\"\n[rule.site]", `:3: "rule.site": there is`},
		"dotted member":           {"[[rule]]\nsite.host=\"x\"", `:2: "site.host" is no member`},
		"inline list":             {"rule=[{decision=\"ask\"}]", `:1: "rule" stands before`},
		"list of values":          {"[[rule]]\neffect=[\"read\"]", `:2: effect must be a string`},
		"empty value":             {"[[rule]]\nsite=\"\"", `:2: site is empty`},
		"blank action":            {"[[rule]]\naction=\" \"", `:2: action is empty`},
		"action with a slash":     {"[[rule]]\naction=\"orders/x\"", `:2: action`},
		"action with a question":  {"[[rule]]\naction=\"order?\"", `:2: action`},
		"glob in the middle":      {"[[rule]]\nsite=\"a.*.example\"", `:2: site`},
		"glob in an origin":       {"[[rule]]\nsite=\"https://*.example\"", `:2: site`},
		"glob of nothing":         {"[[rule]]\nsite=\"*.\"\ndecision=\"deny\"", `:2: site`},
		"unknown alias":           {"[[rule]]\nsite=\"nobody\"", `:2: site "nobody": "nobody" is no site`},
		"syntax":                  {"[[rule]]\ndecision=\"ask\"\nsite=", `:3: `},
		"unclosed header":         {"[[rule]]\ndecision=\"ask\"\n[[rule", `:3: `},
		"too many rules":          {strings.Repeat("[[rule]]\ndecision=\"ask\"\n", 1001), `:2001: there are more than 1000 rules`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (&Loader{Path: "/c/policy.toml", Origin: resolve}).Parse([]byte(row.text))
			e := wantFault(t, err, fault.Internal, "policy_invalid")
			if !strings.HasPrefix(e.Message, "/c/policy.toml"+row.want) {
				t.Errorf("got %q, want /c/policy.toml%s…", e.Message, row.want)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.toml")
	l := &Loader{Path: path, Origin: resolve}
	if p, err := l.Load(); err != nil || len(p.Rules) != 0 {
		t.Fatalf("without a file: %v, %v; want no rules", p, err)
	}
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("[[rule]]\ndecision=\"deny\"", 0o600)
	if p, err := l.Load(); err != nil || len(p.Rules) != 1 {
		t.Fatalf("got %v, %v", p, err)
	}
	write(strings.Repeat("#", MaxFileBytes+1), 0o600)
	_, err := l.Load()
	wantFault(t, err, fault.Internal, "policy_invalid")
	if runtime.GOOS != "windows" {
		write("[[rule]]\ndecision=\"allow\"", 0o666)
		_, err = l.Load()
		wantFault(t, err, fault.Internal, "policy_invalid")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path+".gone", path); err == nil { // not everybody may make links on Windows
		_, err = l.Load()
		wantFault(t, err, fault.Internal, "policy_invalid")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = l.Load()
	wantFault(t, err, fault.Internal, "policy_invalid")
}

// FuzzParse holds the reader against an ordinary TOML decoder: what it accepts means the same there, and what it refuses
// is a fault that names a line.
func FuzzParse(f *testing.F) {
	f.Add("[[rule]]\nsite=\"*.example\"\naction=\"orders *\"\nmax_amount=\"1\"\ncurrency=\"EUR\"\ndecision=\"allow\"\n")
	f.Add("[[rule]]\n'decision'='''\nask'''\n[[\"rule\"]]\ndecision=\"\\u0061sk\"")
	f.Add("[[rule]]\ndecision=\"ask\"\ndecision.x=\"a\"")
	f.Add("a=1\r\n[[rule.b]]\n[[rule]]")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := (&Loader{Path: "p", Origin: resolve}).Parse([]byte(text))
		if err != nil {
			if e := wantFault(t, err, fault.Internal, "policy_invalid"); !strings.HasPrefix(e.Message, "p:") {
				t.Fatalf("no line in %q", e.Message)
			}
			return
		}
		var other struct {
			Rule []struct {
				Site, Action, Effect, Risk, Max_amount, Currency, Per, Decision string
			}
		}
		if err := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields().Decode(&other); err != nil {
			t.Fatalf("accepted %q, which is no TOML: %v", text, err)
		}
		if len(other.Rule) != len(p.Rules) {
			t.Fatalf("%d rules, want %d", len(p.Rules), len(other.Rule))
		}
		for i, want := range other.Rule {
			got := p.Rules[i]
			if want.Per == "" && want.Max_amount != "" {
				want.Per = "call"
			}
			if got.Site != want.Site || got.Action != want.Action || got.Effect != want.Effect || got.Risk != want.Risk || got.Max != want.Max_amount ||
				got.Currency != want.Currency || string(got.Per) != want.Per || string(got.Decision) != want.Decision {
				t.Fatalf("rule %d is %+v, want %+v", i, got, want)
			}
		}
	})
}
