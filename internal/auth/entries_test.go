package auth

import (
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

func TestStoredKinds(t *testing.T) {
	s, ring, now := clocked(t)
	key := Entry{Kind: KindKey, In: fetch.InHeader, Field: "X-Key", Expires: noon.Add(time.Hour)}
	check(t, s.Keep(t.Context(), popcorn, key, "key-1"))
	if token := bearer(t, s, popcorn); token != "key-1" {
		t.Errorf("got %q", token)
	}
	*now = now.Add(2 * time.Hour)
	_, err := s.Credential(t.Context(), popcorn)
	wantCode(t, err, fault.Auth, "token_expired")
	for name, entry := range map[string]Entry{
		"a key without a place":                   {Kind: KindKey, Keyring: System},
		"a key in a header for the client":        {Kind: KindKey, Keyring: System, In: fetch.InHeader, Field: "Host"},
		"user and password nowhere":               {Kind: KindBasic},
		"a client without a server":               {Kind: KindClient, Keyring: System},
		"a client whose server nobody knows":      {Kind: KindClient, Keyring: System, OAuth: &Client{ID: "x"}},
		"a kind that there is none of":            {Kind: "magic", Keyring: System},
		"a command that is none":                  {Kind: KindCommand},
		"a key in a place that there is none of ": {Kind: KindKey, Keyring: System, In: "body", Field: "x"},
	} {
		if entry.valid() {
			t.Errorf("%s: the list takes %+v", name, entry)
		}
	}
	ring.secrets[popcorn.Origin] = "no pair"
	check(t, s.Keep(t.Context(), Account{Origin: "https://shop.example"}, Entry{Kind: KindBasic}, "u:p ä"))
	ring.secrets["https://shop.example"] = "no pair"
	_, err = s.Credential(t.Context(), Account{Origin: "https://shop.example"})
	wantCode(t, err, fault.Auth, "invalid_token")
}

func TestCheckBasic(t *testing.T) {
	for text, ok := range map[string]bool{
		"u:p": true, "u:": true, ":p": true, "u:p:q": true, "ü:pässword ": true,
		"": false, ":": false, "up": false, "u:p\n": false, "u\x00:p": false, "u:\xff": false, "u:" + strings.Repeat("x", MaxTokenBytes): false,
	} {
		if (CheckBasic(text) == nil) != ok {
			t.Errorf("%.20q: %v", text, CheckBasic(text))
		}
	}
}
