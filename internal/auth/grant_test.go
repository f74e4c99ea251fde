package auth

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
)

// grantOf is a JWT with those claims.
func grantOf(claims string) string { return jwtOf(`{"alg":"EdDSA"}`, claims) }

// addGrant keeps a grant with those claims and returns its token.
func addGrant(t *testing.T, s *Store, account Account, claims string) string {
	t.Helper()
	token := grantOf(claims)
	_, err := s.AddGrant(t.Context(), account, token)
	check(t, err)
	return token
}

// in is a time in the claims of a token, so far from noon.
func in(d time.Duration) string { return fmt.Sprint(noon.Add(d).Unix()) }

func TestNarrowestGrant(t *testing.T) {
	soon, later := `"exp":`+in(time.Hour), `"exp":`+in(2*time.Hour)
	for name, test := range map[string]struct {
		scope  string
		grants []string // claims
		want   int      // index in grants; -1 is grant_required
	}{
		"the only one":                              {"a", []string{`{"scope":"a"}`}, 0},
		"fewest scopes":                             {"a", []string{`{"scope":"a b c"}`, `{"scope":"a b"}`, `{"scope":"b"}`}, 1},
		"fewest scopes, though it lasts longer":     {"a", []string{`{"scope":"a b",` + soon + `}`, `{"scope":"a",` + later + `}`}, 1},
		"then earliest expiry":                      {"a", []string{`{"scope":"a b",` + later + `}`, `{"scope":"a c",` + later + `}`, `{"scope":"a d",` + later + `}`, `{"scope":"a e",` + soon + `}`, `{"scope":"a f",` + later + `}`}, 3},
		"one that never expires comes last":         {"a", []string{`{"scope":"a"}`, `{"scope":"a",` + later + `}`}, 1},
		"a scope twice counts once":                 {"a", []string{`{"scope":"a b"}`, `{"scope":"a a a"}`}, 1},
		"scopes in an array":                        {"a", []string{`{"scopes":["b","a"]}`, `{"scopes":["a"]}`}, 1},
		"scope in an array":                         {"a", []string{`{"scope":["a"]}`, `{"scope":"a b"}`}, 0},
		"an array's member is one scope":            {"a b", []string{`{"scope":"a b"}`, `{"scopes":["a b"]}`}, 1},
		"what is no text is no scope":               {"a", []string{`{"scopes":["a",1,null,{}]}`, `{"scopes":["a","b"]}`}, 0},
		"only exact scopes":                         {"orders:read", []string{`{"scope":"orders orders:* Orders:read orders:read2 *"}`}, -1},
		"the narrowest that is expired is passed":   {"a", []string{`{"scope":"a","exp":` + in(-time.Hour) + `}`, `{"scope":"a b"}`}, 1},
		"the narrowest not yet valid is passed":     {"a", []string{`{"scope":"a","nbf":` + in(time.Hour) + `}`, `{"scope":"a b"}`}, 1},
		"just expired, within the leeway":           {"a", []string{`{"scope":"a","exp":` + in(-29*time.Second) + `}`}, 0},
		"expired by the leeway":                     {"a", []string{`{"scope":"a","exp":` + in(-30*time.Second) + `}`}, -1},
		"soon valid, within the leeway":             {"a", []string{`{"scope":"a","nbf":` + in(30*time.Second) + `}`}, 0},
		"not yet valid by more than the leeway":     {"a", []string{`{"scope":"a","nbf":` + in(31*time.Second) + `}`}, -1},
		"another scope":                             {"a", []string{`{"scope":"b"}`}, -1},
		"no scopes at all":                          {"a", []string{`{"sub":"me"}`}, -1},
		"none":                                      {"a", nil, -1},
		"no scope is needed: the narrowest":         {"", []string{`{"scope":"a b"}`, `{"scope":"c"}`}, 1},
		"no scope is needed: one without scopes":    {"", []string{`{"scope":"a"}`, `{"sub":"me"}`}, 1},
		"no scope is needed: only those in time":    {"", []string{`{"scope":"a b"}`, `{"exp":` + in(-time.Hour) + `}`}, 0},
		"no scope is needed, and none":              {"", nil, -1},
		"no scope is needed, all are expired":       {"", []string{`{"exp":` + in(-time.Hour) + `}`}, -1},
		"an expiry that no calendar has is none":    {"a", []string{`{"scope":"a","exp":1e300}`, `{"scope":"a",` + later + `}`}, 1},
		"an empty scope is no scope":                {"a", []string{`{"scopes":["a","",""]}`, `{"scope":"a b"}`}, 0},
		"a scope claim goes before scopes, as RFCs": {"a", []string{`{"scope":"b","scopes":["a"]}`}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			s, system := newStore(t, "")
			var tokens []string
			for _, claims := range test.grants {
				tokens = append(tokens, addGrant(t, s, popcorn, claims))
			}
			system.touched = 0
			c, err := s.Grant(t.Context(), popcorn, test.scope)
			listed, listErr := s.NarrowestGrant(popcorn, test.scope)
			if test.want < 0 {
				e := wantCode(t, err, fault.Auth, "grant_required")
				wantCode(t, listErr, fault.Auth, "grant_required")
				wantDetails := map[string]any{"scope": test.scope}
				if test.scope == "" {
					wantDetails = nil
				}
				if diff := cmp.Diff(wantDetails, e.Details); diff != "" || e.Sent != fault.SentNo || e.Hint != "agentctl auth grant add popcorn.club --with-token" {
					t.Errorf("sent %q, hint %q, details %s", e.Sent, e.Hint, diff)
				}
				if system.touched > 0 {
					t.Errorf("the keyring was touched %d times for nothing", system.touched)
				}
				return
			}
			check(t, err)
			check(t, listErr)
			if token, err := c.Token(noon); token != tokens[test.want] || err != nil {
				t.Errorf("picked %q, %v", token, err)
			}
			if listed.ID != grantID(tokens[test.want]) {
				t.Errorf("the list says %q", listed.ID)
			}
		})
	}
}

func TestNoOtherAccountsGrant(t *testing.T) {
	s, _ := newStore(t, "")
	work := Account{Origin: popcorn.Origin, Profile: "work"}
	addGrant(t, s, popcorn, `{"scope":"a"}`)
	for _, stranger := range []Account{work, {Origin: "https://popcorn.club:8443"}, {Origin: "http://popcorn.club"}, {Origin: "https://club"}} {
		_, err := s.Grant(t.Context(), stranger, "a")
		wantCode(t, err, fault.Auth, "grant_required")
	}
	_, err := s.Grant(t.Context(), work, "a")
	if e := fault.From(err); e.Hint != "agentctl auth grant add popcorn.club --profile work --with-token" || !strings.Contains(e.Message, "profile work") {
		t.Errorf("%q, hint %q", e.Message, e.Hint)
	}
	check(t, s.LoginToken(t.Context(), work, grantOf(`{"scope":"a"}`))) // a login is no grant
	_, err = s.Grant(t.Context(), work, "a")
	wantCode(t, err, fault.Auth, "grant_required")
	if c, err := s.Credential(t.Context(), popcorn); c != nil || err != nil { // and a grant is no login
		t.Errorf("got %v, %v", c, err)
	}
}

func TestWhatIsToldOfOtherGrants(t *testing.T) {
	id := func(claims string) string { return grantID(grantOf(claims)) }
	expired, early := `{"scope":"a b","exp":`+in(-time.Hour)+`}`, `{"scope":"a c d","nbf":`+in(time.Hour)+`}`
	other, none := `{"scope":"x\u001b[31m y"}`, `{"sub":"me"}`
	for name, test := range map[string]struct {
		scope  string
		grants []string
		want   string
	}{
		"none": {"a", nil, `no grant for popcorn.club with the scope "a" can be used: there is none`},
		"what has the scope first": {
			"a",
			[]string{none, other, expired, early},
			`no grant for popcorn.club with the scope "a" can be used: ` +
				id(expired) + ` has "a b", but expired at 2026-11-30T11:00:00Z; ` +
				id(early) + ` has "a c d", but is valid only from 2026-11-30T13:00:00Z; ` +
				id(none) + ` has no scopes; ` + id(other) + ` has "x\x1b[31m y"`,
		},
		"any would do": {"", []string{expired}, `no grant for popcorn.club can be used: ` + id(expired) + ` has "a b", but expired at 2026-11-30T11:00:00Z`},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t, "")
			for _, claims := range test.grants {
				addGrant(t, s, popcorn, claims)
			}
			_, err := s.Grant(t.Context(), popcorn, test.scope)
			if diff := cmp.Diff(test.want, wantCode(t, err, fault.Auth, "grant_required").Message); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestWhatIsToldIsBounded(t *testing.T) {
	s, _ := newStore(t, "")
	for i := range 40 {
		addGrant(t, s, popcorn, fmt.Sprintf(`{"jti":"%d","scope":%q}`, i, strings.Repeat("long ", 500)))
	}
	_, err := s.Grant(t.Context(), popcorn, "a")
	if e := wantCode(t, err, fault.Auth, "grant_required"); len(e.Message) > 1500 || !strings.HasSuffix(e.Message, "; and 35 more") {
		t.Errorf("%d bytes: %s", len(e.Message), e.Message)
	}
}

func TestGrantFromEnvironment(t *testing.T) {
	for name, test := range map[string]struct {
		token, scope, code string
	}{
		"a scope that it has":     {grantOf(`{"scope":"a b"}`), "b", ""},
		"a scope that it has not": {grantOf(`{"scope":"a b"}`), "c", "grant_required"},
		"scopes, but none":        {grantOf(`{"scope":""}`), "c", "grant_required"},
		"an array of none":        {grantOf(`{"scopes":[]}`), "c", "grant_required"},
		"nothing about scopes":    {grantOf(`{"sub":"me"}`), "c", ""},
		"opaque":                  {"tok_123", "c", ""},
		"no scope is needed":      {grantOf(`{"scope":"a"}`), "", ""},
		"expired":                 {grantOf(`{"scope":"a","exp":` + in(-time.Hour) + `}`), "a", "token_expired"},
		"not yet valid":           {grantOf(`{"scope":"a","nbf":` + in(time.Hour) + `}`), "a", "token_not_yet_valid"},
		"no token":                {"two words", "a", "invalid_token"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := GrantFromEnvironment(popcorn.Origin, test.token, test.scope, noon)
			if test.code == "" {
				check(t, err)
				if token, err := c.Token(noon); token != test.token || err != nil {
					t.Errorf("sent %q, %v", token, err)
				}
				return
			}
			e := wantCode(t, err, fault.Auth, test.code)
			if strings.Contains(e.Error()+e.Hint, test.token) {
				t.Errorf("%q repeats the token", e)
			}
			if test.code == "grant_required" && (e.Details["scope"] != "c" || !strings.Contains(e.Message, `"c"`) || c != nil) {
				t.Errorf("%q, details %v, %v", e, e.Details, c)
			}
		})
	}
}

func TestDamagedListOfGrants(t *testing.T) {
	for name, content := range map[string]string{
		"not JSON": `{`, "empty": ``, "null": `null`, "an array": `[]`, "more behind it": `{}{}`,
		"no origin":          `{"popcorn":{"0123456789ab":{"keyring":"file"}}}`,
		"no grants":          `{"https://popcorn.club":{}}`,
		"null for grants":    `{"https://popcorn.club":null}`,
		"an id of ours not":  `{"https://popcorn.club":{"x":{"keyring":"file"}}}`,
		"an id in capitals":  `{"https://popcorn.club":{"0123456789AB":{"keyring":"file"}}}`,
		"an id twice":        `{"https://popcorn.club":{"0123456789ab":{"keyring":"file"},"0123456789ab":{"keyring":"system"}}}`,
		"no keyring":         `{"https://popcorn.club":{"0123456789ab":{}}}`,
		"an unknown keyring": `{"https://popcorn.club":{"0123456789ab":{"keyring":"cloud"}}}`,
		"an unknown member":  `{"https://popcorn.club":{"0123456789ab":{"keyring":"file","token":"x"}}}`,
		"a time of no kind":  `{"https://popcorn.club":{"0123456789ab":{"keyring":"file","expires_at":"soon"}}}`,
		"scopes in a string": `{"https://popcorn.club":{"0123456789ab":{"keyring":"file","scopes":"a"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, system := newStore(t, "")
			path := filepath.Join(s.ConfigDir, "grants.json")
			check(t, os.WriteFile(path, []byte(content), 0o600))
			for _, err := range []error{
				second(s.Grant(t.Context(), popcorn, "a")), second(s.NarrowestGrant(popcorn, "")), second(s.Grants(popcorn)), second(s.AllGrants()),
				second(s.AddGrant(t.Context(), popcorn, grantOf(`{}`))), second(s.RemoveGrants(t.Context(), popcorn, anyGrant)),
			} {
				if e := wantCode(t, err, fault.Internal, "config_damaged"); !strings.Contains(e.Error(), path) {
					t.Errorf("%q does not name the file", e.Error())
				}
			}
			if after, _ := os.ReadFile(path); string(after) != content || system.touched > 0 {
				t.Errorf("the file is %q now, the keyring was touched %d times", after, system.touched)
			}
		})
	}
}

func anyGrant(Grant) bool { return true }

// FuzzGrant reads any claims as a grant: what is kept of it can be read again, tells nothing of the signature, and has
// each scope once.
func FuzzGrant(f *testing.F) {
	for _, claims := range []string{
		`{"scope":"a b","exp":1.5e9}`, `{"scopes":["a","","a",1]}`, `{"scope":"\ud800\u0000"}`, `{"exp":-62135596800,"nbf":253402300799}`, `{"scp":7,"scope":null}`, `{`,
	} {
		f.Add(claims)
	}
	f.Fuzz(func(t *testing.T, claims string) {
		g, ok := newGrant(jwtOf(`{"alg":"EdDSA"}`, claims))
		if !ok {
			return
		}
		seen := map[string]bool{"": true}
		for _, scope := range g.Scopes {
			if seen[scope] || !g.Covers(scope) {
				t.Errorf("the scope %q is empty, twice or not covered", scope)
			}
			seen[scope] = true
		}
		dir := t.TempDir()
		s := &Store{Settings: Settings{ConfigDir: dir, Now: func() time.Time { return noon }}, place: File, file: newFileKeyring(dir)}
		token := grantOf(claims)
		added, err := s.AddGrant(t.Context(), popcorn, token)
		check(t, err)
		listed, err := s.Grants(popcorn)
		check(t, err)
		if diff := cmp.Diff([]Grant{added}, listed); diff != "" {
			t.Errorf("listed (-added +listed)\n%s", diff)
		}
		document, err := json.Marshal(listed)
		check(t, err)
		if signature := token[strings.LastIndex(token, ".")+1:]; strings.Contains(string(document), signature) && !strings.Contains(claims, signature) {
			t.Errorf("%s has the signature", document)
		}
		for _, scope := range append(added.Scopes, "", "a") {
			c, err := s.Grant(t.Context(), popcorn, scope)
			if usable := added.State(noon) == usable && added.Covers(scope); usable != (err == nil) || usable && c.token != token {
				t.Errorf("scope %q: %v", scope, err)
			}
		}
	})
}

func BenchmarkNarrowestGrant(b *testing.B) {
	dir := b.TempDir()
	s := &Store{Settings: Settings{ConfigDir: dir, Now: func() time.Time { return noon }}}
	all := map[string]grantsByID{}
	for site := range 50 {
		grants := grantsByID{}
		for n := range 10 {
			g, _ := newGrant(grantOf(fmt.Sprintf(`{"jti":%d,"scope":"orders:read orders:write","exp":%s}`, n, in(time.Hour))))
			g.Keyring = System
			grants[g.ID] = g
		}
		all[fmt.Sprintf("https://site-%d.example", site)] = grants
	}
	if err := s.grants().write(all); err != nil {
		b.Fatal(err)
	}
	account := Account{Origin: "https://site-7.example"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.NarrowestGrant(account, "orders:read"); err != nil {
			b.Fatal(err)
		}
	}
}
