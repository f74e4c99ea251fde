package manifest

import "testing"

func TestOneSpellingOfAHost(t *testing.T) {
	for host, want := range map[string]string{
		"Example.COM": "example.com", "example.com.": "example.com", "bücher.example": "xn--bcher-kva.example", "[::1]": "::1", "127.0.0.1": "127.0.0.1",
		"UNDER_score.example": "under_score.example", "": "",
	} {
		if got := PlainHost(host); got != want {
			t.Errorf("%q: got %q, want %q", host, got, want)
		}
	}
}
