package auth

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
)

// jwtOf is a token with those claims whose signature nobody can verify.
func jwtOf(header, claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(claims)) + ".c2ln"
}

func TestReadClaims(t *testing.T) {
	const header = `{"alg":"RS256"}`
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }
	for name, test := range map[string]struct {
		token string
		want  *Claims
	}{
		"everything": {
			jwtOf(header, `{"sub":"u1","iss":"https://id.example","aud":["a","b"],"scope":"read  write","iat":10,"nbf":20,"exp":30}`),
			&Claims{Subject: "u1", Issuer: "https://id.example", Audience: []string{"a", "b"}, Scopes: []string{"read", "write"}, IssuedAt: at(10), NotBefore: at(20), Expires: at(30)},
		},
		"nothing":                           {jwtOf(header, `{}`), &Claims{}},
		"one audience, scopes in an array":  {jwtOf(header, `{"aud":"a","scp":["x",1,"y"]}`), &Claims{Audience: []string{"a"}, Scopes: []string{"x", "y"}}},
		"an algorithm that nobody knows":    {jwtOf(`{"alg":"XYZ"}`, `{"sub":"u"}`), &Claims{Subject: "u"}},
		"no algorithm":                      {jwtOf(`{}`, `{"sub":"u"}`), &Claims{Subject: "u"}},
		"claims of wrong types":             {jwtOf(header, `{"sub":1,"iss":[],"aud":{},"exp":"soon","iat":true,"scope":7}`), &Claims{}},
		"a time in fractions":               {jwtOf(header, `{"exp":30.75}`), &Claims{Expires: at(30)}},
		"times that no calendar has":        {jwtOf(header, `{"exp":1e400,"iat":1e18,"nbf":-1e18}`), &Claims{}},
		"not a JWT":                         {"ghp_abcdef", nil},
		"three parts, but not JSON":         {"a.b.c", nil},
		"an encrypted one, with five parts": {jwtOf(header, `{}`) + ".x.y", nil},
		"empty":                             {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := ReadClaims(test.token)
			if ok != (test.want != nil) {
				t.Fatalf("ok is %v", ok)
			}
			if ok {
				if diff := cmp.Diff(*test.want, got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
		})
	}
}

func TestTokensOutOfTimeAreRefused(t *testing.T) {
	claims := func(name string, at time.Time) string {
		return jwtOf(`{"alg":"EdDSA"}`, `{"`+name+`":`+strconv.FormatInt(at.Unix(), 10)+`}`)
	}
	for name, test := range map[string]struct {
		token string
		code  string
	}{
		"good for a while":                {claims("exp", noon.Add(time.Minute)), ""},
		"just over, within the leeway":    {claims("exp", noon.Add(-29*time.Second)), ""},
		"over":                            {claims("exp", noon.Add(-30*time.Second)), "token_expired"},
		"good at once":                    {claims("nbf", noon), ""},
		"good soon, within the leeway":    {claims("nbf", noon.Add(30*time.Second)), ""},
		"not yet good":                    {claims("nbf", noon.Add(31*time.Second)), "token_not_yet_valid"},
		"a token that tells nothing":      {"opaque", ""},
		"an expiry that cannot be a time": {jwtOf(`{"alg":"none"}`, `{"exp":"never"}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, system := newStore(t, "")
			check(t, s.LoginToken(t.Context(), popcorn, "x"))
			system.secrets[popcorn.Origin] = test.token
			c, err := s.Credential(t.Context(), popcorn)
			_, envErr := FromEnvironment(popcorn.Origin, test.token, noon)
			if test.code == "" {
				if err != nil || envErr != nil {
					t.Fatalf("refused: %v, %v", err, envErr)
				}
				if token, err := c.Token(noon); token != test.token || err != nil {
					t.Errorf("sent %q, %v", token, err)
				}
				return
			}
			if e := wantCode(t, err, fault.Auth, test.code); e.Hint != "agentctl auth login popcorn.club" {
				t.Errorf("hint %q", e.Hint)
			}
			wantCode(t, envErr, fault.Auth, test.code)
			if _, err := c.Token(noon); err == nil {
				t.Error("it would be sent")
			}
		})
	}
}

func TestCheckToken(t *testing.T) {
	for token, good := range map[string]bool{
		"abc": true, "a.b-c_d~e+f/g==": true, "!\"'\\": true, strings.Repeat("x", MaxTokenBytes): true,
		"": false, "a b": false, "a\tb": false, "a\r\nX-Evil: 1": false, "a\x00": false, "\x7f": false, "é": false, "\xff": false,
		strings.Repeat("x", MaxTokenBytes+1): false,
	} {
		err := CheckToken(token)
		if (err == nil) != good {
			t.Errorf("%.20q: %v", token, err)
		}
		if err != nil && len(token) > 3 && strings.Contains(err.Error(), token) {
			t.Errorf("%q repeats the token", err)
		}
	}
}

func TestTokenThatSomebodyPutIntoTheKeyring(t *testing.T) {
	s, system := newStore(t, "")
	check(t, s.LoginToken(t.Context(), popcorn, "x"))
	system.secrets[popcorn.Origin] = "two words"
	_, err := s.Credential(t.Context(), popcorn)
	wantCode(t, err, fault.Auth, "invalid_token")
}

func FuzzReadClaims(f *testing.F) {
	f.Add(jwtOf(`{"alg":"EdDSA"}`, `{"sub":"u","exp":1.5e9,"aud":["a"],"scp":["x"]}`))
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, token string) {
		claims, ok := ReadClaims(token)
		if !ok && !cmp.Equal(claims, Claims{}) {
			t.Error("claims without a JWT")
		}
		for _, at := range []time.Time{claims.IssuedAt, claims.NotBefore, claims.Expires} {
			if _, err := at.MarshalJSON(); err != nil {
				t.Errorf("a time that cannot be written: %v", err)
			}
		}
		_ = claims.valid(noon, "")
	})
}
