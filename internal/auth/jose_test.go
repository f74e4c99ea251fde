package auth

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestJOSE has the npm package jose verify a signed token with the published keys, as a service in Node.js would:
// scripts/jose-verify installs it, and makes this test fail rather than be skipped where it is missing.
func TestJOSE(t *testing.T) {
	dir := filepath.Join("..", "..", ".tools", "jose")
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "node_modules", "jose"))
	}
	if err != nil {
		if os.Getenv("AGENTCTL_TEST_JOSE") != "" {
			t.Fatal(err)
		}
		t.Skipf("run scripts/jose-verify for this: %v", err)
	}
	s, _ := newStore(t, "")
	s.Now = time.Now
	created := newIdentity(t, s)
	before := bearer(t, s, popcorn)
	rotated, err := s.RotateIdentity(t.Context(), DefaultIdentity)
	check(t, err)
	after := bearer(t, s, popcorn)

	type row struct {
		Token string `json:"token"`
		Keys  JWKSet `json:"keys"`
		Want  string `json:"want"`
	}
	request, err := json.Marshal(map[string]any{
		"audience": popcorn.Origin, "issuer": created.Subject,
		"rows": map[string]row{
			"a token and its key":          {before, created.JWKSet(), "ok"},
			"the key before, after it":     {before, rotated.JWKSet(), "ok"},
			"the present key":              {after, rotated.JWKSet(), "ok"},
			"a key that came later":        {after, created.JWKSet(), "ERR_JWKS_NO_MATCHING_KEY"},
			"a token that was tampered":    {before[:len(before)-8] + "AAAAAAAA", created.JWKSet(), "ERR_JWS_SIGNATURE_VERIFICATION_FAILED"},
			"a token for another audience": {bearer(t, s, otherAudience(t, s)), rotated.JWKSet(), "ERR_JWT_CLAIM_VALIDATION_FAILED"},
		},
	})
	check(t, err)
	const program = `
import { createLocalJWKSet, calculateJwkThumbprint, jwtVerify } from 'jose'
import { readFileSync } from 'node:fs'
const { audience, issuer, rows } = JSON.parse(readFileSync(0))
for (const [name, { token, keys, want }] of Object.entries(rows)) {
  let got = 'ok'
  try {
    for (const key of keys.keys)
      if (await calculateJwkThumbprint(key) !== key.kid) throw { code: 'the kid is not the thumbprint' }
    await jwtVerify(token, createLocalJWKSet(keys), {
      audience, issuer, subject: issuer, algorithms: ['EdDSA'], maxTokenAge: '5m', requiredClaims: ['jti', 'exp', 'iat'],
    })
  } catch (error) {
    got = error.code ?? String(error)
  }
  if (got !== want) console.log(name + ': ' + got + ', want ' + want)
}
console.log('done')
`
	verifier := exec.Command(node, "--input-type=module", "-e", program)
	verifier.Dir = dir
	verifier.Stdin = bytes.NewReader(request)
	out, err := verifier.CombinedOutput()
	if err != nil || string(out) != "done\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// otherAudience is an account of another site that the same identity signs for.
func otherAudience(t *testing.T, s *Store) Account {
	t.Helper()
	shop := Account{Origin: "https://shop.example"}
	check(t, s.LoginIdentity(t.Context(), shop, DefaultIdentity))
	return shop
}
