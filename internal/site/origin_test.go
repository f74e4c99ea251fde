package site

import (
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestParseOrigin(t *testing.T) {
	for word, want := range map[string]Origin{
		"popcorn.club":               "https://popcorn.club",
		"Popcorn.CLUB":               "https://popcorn.club",
		"popcorn.club.":              "https://popcorn.club",
		"popcorn.club:8443":          "https://popcorn.club:8443",
		"popcorn.club:443":           "https://popcorn.club",
		"https://popcorn.club/":      "https://popcorn.club",
		"https://popcorn.club:443":   "https://popcorn.club",
		"localhost":                  "https://localhost",
		"localhost:8080":             "https://localhost:8080",
		"http://localhost:8080":      "http://localhost:8080",
		"http://127.0.0.1":           "http://127.0.0.1",
		"http://[::1]:8080":          "http://[::1]:8080",
		"münchen.example":            "https://xn--mnchen-3ya.example",
		"[2001:db8::1]:8443":         "https://[2001:db8::1]:8443",
		"http://LOCALHOST:80":        "http://localhost",
		"http://[0:0:0:0:0:0:0:1]":   "http://[::1]",
		"[2001:DB8:0::0001]":         "https://[2001:db8::1]",
		"popcorn.club:0443":          "",
		"..":                         "",
		"a..b":                       "",
		".popcorn.club":              "",
		"[fe80::1%25eth0]":           "",
		"http://popcorn.club":        "", // IA-2
		"http://127.0.0.2":           "",
		"http://localhost.evil.test": "",
		"ftp://popcorn.club":         "",
		"https://u:p@popcorn.club":   "",
		"https://popcorn.club/menu":  "",
		"https://popcorn.club?x":     "",
		"https://popcorn.club#x":     "",
		"popcorn":                    "",
		"":                           "",
		"popcorn.club:":              "",
		"popcorn.club:0":             "",
		"popcorn.club:65536":         "",
		"popcorn.club:x":             "",
		"https://":                   "",
		"a b.example":                "",
		"exa\x1bmple.com":            "",
		"://x":                       "",
	} {
		got, err := ParseOrigin(word)
		if got != want {
			t.Errorf("%q: got %q, %v; want %q", word, got, err, want)
		}
		if want == "" && (err == nil || fault.From(err).Kind != fault.Usage) {
			t.Errorf("%q: got %v, want a usage fault", word, err)
		}
	}
}

func FuzzParseOrigin(f *testing.F) {
	for _, seed := range []string{"popcorn.club", "http://[::1]:8080", "https://a:b@c", "x..y", "[::", "münchen.example:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		origin, err := ParseOrigin(word)
		if err != nil {
			return
		}
		again, err := ParseOrigin(string(origin))
		if err != nil || again != origin {
			t.Fatalf("%q became %q, which becomes %q, %v", word, origin, again, err)
		}
	})
}
