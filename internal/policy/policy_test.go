package policy

import (
	"testing"

	"github.com/agentctl/agentctl/internal/manifest"
)

func facts(change func(*Facts)) *Facts {
	f := &Facts{
		Site: "https://popcorn.club", Command: []string{"club", "join"}, Method: "POST", URL: "https://popcorn.club/join",
		Headers: [][2]string{{"Accept", "application/json"}, {"X-Plan", "gold"}}, Body: []byte(`{}`),
		Effect: manifest.Spend, Cost: &manifest.Cost{Mode: "fixed", Amount: "9.0", Currency: "credits"},
	}
	if change != nil {
		change(f)
	}
	return f
}

func TestDigestChangesWithEveryPartOfTheRequest(t *testing.T) {
	base := facts(nil).Digest()
	for name, change := range map[string]func(*Facts){
		"site":         func(f *Facts) { f.Site = "https://evil.example" },
		"command":      func(f *Facts) { f.Command = []string{"club join"} },
		"method":       func(f *Facts) { f.Method = "PUT" },
		"url":          func(f *Facts) { f.URL += "?x=1" },
		"header value": func(f *Facts) { f.Headers[1][1] = "silver" },
		"header gone":  func(f *Facts) { f.Headers = f.Headers[:1] },
		"body":         func(f *Facts) { f.Body = []byte(`{"a":1}`) },
		"no body":      func(f *Facts) { f.Body = nil },
		"empty body":   func(f *Facts) { f.Body = []byte{} },
		"moved words":  func(f *Facts) { f.Command, f.Headers = []string{"club"}, [][2]string{{"join", "2:"}} },
		"effect":       func(f *Facts) { f.Effect = manifest.Delete },
		"amount":       func(f *Facts) { f.Cost = &manifest.Cost{Mode: "fixed", Amount: "90.0", Currency: "credits"} },
		"currency":     func(f *Facts) { f.Cost = &manifest.Cost{Mode: "fixed", Amount: "9.0", Currency: "EUR"} },
		"risk":         func(f *Facts) { f.Risk = "high" },
		"consent":      func(f *Facts) { f.Consent = "step_up" },
		"no cost":      func(f *Facts) { f.Cost = nil },
	} {
		if facts(change).Digest() == base {
			t.Errorf("%s: the digest does not change", name)
		}
	}
	if facts(func(f *Facts) { f.Headers[0], f.Headers[1] = f.Headers[1], f.Headers[0] }).Digest() != base {
		t.Error("the order of headers changes the digest")
	}
}

func BenchmarkDigest(b *testing.B) {
	f := facts(nil)
	b.ReportAllocs()
	for b.Loop() {
		f.Digest()
	}
}
