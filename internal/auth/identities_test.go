package auth

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/agentctl/agentctl/internal/fault"
)

// verify checks a token as a service would: against the published keys, for its own origin.
func verify(t *testing.T, token string, keys JWKSet, origin string, now time.Time) (jwt.MapClaims, error) {
	t.Helper()
	claims := jwt.MapClaims{}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithAudience(origin), jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(), jwt.WithTimeFunc(func() time.Time { return now }))
	_, err := parser.ParseWithClaims(token, claims, func(token *jwt.Token) (any, error) {
		for _, key := range keys.Keys {
			if key.KeyID == token.Header["kid"] {
				return ed25519.PublicKey(key.X), nil
			}
		}
		return nil, jwt.ErrTokenUnverifiable
	})
	return claims, err
}

func newIdentity(t *testing.T, s *Store) Identity {
	t.Helper()
	identity, err := s.CreateIdentity(t.Context(), DefaultIdentity, "")
	check(t, err)
	check(t, s.LoginIdentity(t.Context(), popcorn, DefaultIdentity))
	return identity
}

func TestIdentitySignsEachCall(t *testing.T) {
	for _, place := range []string{"", "file"} {
		s, _ := newStore(t, place)
		identity := newIdentity(t, s)
		first, other := bearer(t, s, popcorn), bearer(t, s, popcorn)
		claims, err := verify(t, first, identity.JWKSet(), popcorn.Origin, noon)
		check(t, err)
		again, err := verify(t, other, identity.JWKSet(), popcorn.Origin, noon)
		check(t, err)
		if claims["jti"] == again["jti"] || len(claims["jti"].(string)) < 22 {
			t.Errorf("jti %v and %v: want 128 random bits each", claims["jti"], again["jti"])
		}
		if claims["iss"] != identity.Subject || claims["sub"] != identity.Subject {
			t.Errorf("iss %v, sub %v, want %s", claims["iss"], claims["sub"], identity.Subject)
		}
		if life := claims["exp"].(float64) - claims["iat"].(float64); life <= 0 || life > 300 {
			t.Errorf("it is good for %v seconds", life)
		}
		for name, err := range map[string]error{
			"another site": second(verify(t, first, identity.JWKSet(), "https://evil.example", noon)),
			"later":        second(verify(t, first, identity.JWKSet(), popcorn.Origin, noon.Add(5*time.Minute))),
			"no such key":  second(verify(t, first, JWKSet{}, popcorn.Origin, noon)),
		} {
			if err == nil {
				t.Errorf("%s: it verifies", name)
			}
		}
	}
}

func TestKeyIDIsTheThumbprint(t *testing.T) {
	x, err := base64.RawURLEncoding.DecodeString("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo") // RFC 8037, appendix A.2 and A.3
	check(t, err)
	if kid := (PublicKey{X: x}).KeyID(); kid != "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" {
		t.Errorf("got %s", kid)
	}
}

func TestJWKSetIsPublic(t *testing.T) {
	s, system := newStore(t, "")
	identity := newIdentity(t, s)
	document, err := json.Marshal(identity.JWKSet())
	check(t, err)
	var set struct{ Keys []map[string]string }
	check(t, json.Unmarshal(document, &set))
	key := set.Keys[0]
	if len(set.Keys) != 1 || len(key) != 6 || key["kty"] != "OKP" || key["crv"] != "Ed25519" || key["alg"] != "EdDSA" || key["use"] != "sig" || key["kid"] == "" || key["x"] == "" {
		t.Errorf("got %s", document)
	}
	private := system.secrets["identity#default"]
	if private == "" {
		t.Fatal("the private key is not in the keyring")
	}
	err = filepath.WalkDir(s.ConfigDir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if content, _ := os.ReadFile(path); strings.Contains(string(content), private) {
				t.Errorf("%s has the private key", path)
			}
		}
		return err
	})
	check(t, err)
}

func TestRotationKeepsTheKeyBefore(t *testing.T) {
	s, _ := newStore(t, "")
	created := newIdentity(t, s)
	inFlight := bearer(t, s, popcorn)
	rotated, err := s.RotateIdentity(t.Context(), DefaultIdentity)
	check(t, err)
	if rotated.Subject != created.Subject || rotated.Keys[0].KeyID() == created.Keys[0].KeyID() {
		t.Errorf("from %v to %v", created, rotated)
	}
	fresh := bearer(t, s, popcorn)
	for _, token := range []string{inFlight, fresh} {
		if _, err := verify(t, token, rotated.JWKSet(), popcorn.Origin, noon); err != nil {
			t.Errorf("after the rotation: %v", err)
		}
	}
	twice, err := s.RotateIdentity(t.Context(), DefaultIdentity)
	check(t, err)
	if len(twice.Keys) != 2 {
		t.Errorf("%d keys, want the present one and the one before", len(twice.Keys))
	}
	if _, err := verify(t, inFlight, twice.JWKSet(), popcorn.Origin, noon); err == nil {
		t.Error("the first key is still published")
	}
}

func TestRotationThatWasKilledHalfway(t *testing.T) {
	s, system := newStore(t, "")
	newIdentity(t, s)
	before := system.secrets["identity#default"]
	_, err := s.RotateIdentity(t.Context(), DefaultIdentity)
	check(t, err)
	system.secrets["identity#default"] = before // the list has the new key, the keyring does not yet
	token := bearer(t, s, popcorn)
	identity, err := s.Identity(DefaultIdentity)
	check(t, err)
	if _, err := verify(t, token, identity.JWKSet(), popcorn.Origin, noon); err != nil {
		t.Errorf("what is signed does not verify: %v", err)
	}
	again, err := s.RotateIdentity(t.Context(), DefaultIdentity)
	check(t, err)
	if _, err := verify(t, token, again.JWKSet(), popcorn.Origin, noon); err != nil {
		t.Errorf("the next rotation forgot the key that was in use: %v", err)
	}
}

func TestRotationThatFailsChangesNothing(t *testing.T) {
	s, system := newStore(t, "")
	created := newIdentity(t, s)
	system.err = errLocked
	_, err := s.RotateIdentity(t.Context(), DefaultIdentity)
	wantCode(t, err, fault.Auth, "keyring_locked")
	system.err = nil
	after, err := s.Identity(DefaultIdentity)
	check(t, err)
	if len(after.Keys) != 1 || after.Keys[0].KeyID() != created.Keys[0].KeyID() {
		t.Errorf("the list has %v", after.Keys)
	}
}

func TestIdentityFaults(t *testing.T) {
	s, system := newStore(t, "")
	wantCode(t, s.LoginIdentity(t.Context(), popcorn, "nobody"), fault.Auth, "identity_missing")
	wantCode(t, s.DeleteIdentity(t.Context(), "nobody"), fault.Auth, "identity_missing")
	wantCode(t, second(s.RotateIdentity(t.Context(), "nobody")), fault.Auth, "identity_missing")
	newIdentity(t, s)
	wantCode(t, second(s.CreateIdentity(t.Context(), DefaultIdentity, "")), fault.Usage, "identity_exists")
	for name, secret := range map[string]string{"another key": base64.RawURLEncoding.EncodeToString(make([]byte, 32)), "a short one": "AAAA", "no key": "canary!"} {
		system.secrets["identity#default"] = secret
		_, err := s.Credential(t.Context(), popcorn)
		if e := wantCode(t, err, fault.Auth, "identity_damaged"); strings.Contains(e.Error(), secret) {
			t.Errorf("%s: %q repeats it", name, e)
		}
	}
	check(t, s.DeleteIdentity(t.Context(), DefaultIdentity))
	if len(system.secrets) != 0 {
		t.Error("the key is still there")
	}
	_, err := s.Credential(t.Context(), popcorn)
	wantCode(t, err, fault.Auth, "identity_missing")
}

func BenchmarkSign(b *testing.B) {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		b.Fatal(err)
	}
	s := &signer{private: private, public: PublicKey{X: Base64URL(private.Public().(ed25519.PublicKey))}, subject: "me"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.sign("https://popcorn.club", noon); err != nil {
			b.Fatal(err)
		}
	}
}
