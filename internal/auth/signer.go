package auth

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// tokenLife is how long a token that an identity signs is good: long enough for a slow request and clocks that differ,
// short enough that a stolen one is of little use.
const tokenLife = 2 * time.Minute

// signer signs tokens with the key of an identity.
type signer struct {
	private ed25519.PrivateKey
	public  PublicKey
	subject string
}

// sign makes a token for one origin: EdDSA, with a random "jti", so that each is used once.
func (s *signer) sign(origin string, now time.Time) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims{
		"iss": s.subject, "sub": s.subject, "aud": origin,
		"iat": now.Unix(), "exp": now.Add(tokenLife).Unix(), "jti": rand.Text(), // 130 bits
	})
	token.Header["kid"] = s.public.KeyID()
	signed, err := token.SignedString(s.private)
	if err != nil {
		return "", fmt.Errorf("signing a token: %w", err)
	}
	return signed, nil
}

// Base64URL is bytes that JSON has as base64url without padding.
type Base64URL []byte

// MarshalText encodes the bytes.
func (b Base64URL) MarshalText() ([]byte, error) {
	return []byte(base64.RawURLEncoding.EncodeToString(b)), nil
}

// UnmarshalText decodes the bytes.
func (b *Base64URL) UnmarshalText(text []byte) (err error) {
	*b, err = base64.RawURLEncoding.DecodeString(string(text))
	return err
}

// PublicKey is the public part of an Ed25519 key.
type PublicKey struct {
	X       Base64URL `json:"x"`
	Created time.Time `json:"created"`
}

// KeyID is the key's thumbprint of RFC 7638: SHA-256 over its required members in order, in base64url.
func (k PublicKey) KeyID() string {
	x := base64.RawURLEncoding.EncodeToString(k.X)
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// JWK is a public key as a service wants it (RFC 7517, RFC 8037).
type JWK struct {
	KeyType   string    `json:"kty"`
	Curve     string    `json:"crv"`
	X         Base64URL `json:"x"`
	KeyID     string    `json:"kid"`
	Algorithm string    `json:"alg"`
	Use       string    `json:"use"`
}

// JWKSet is the document with which a service verifies what an identity signs.
type JWKSet struct {
	Keys []JWK `json:"keys"`
}

// JWKSet returns the identity's public keys, the present one first.
func (p Identity) JWKSet() JWKSet {
	set := JWKSet{Keys: make([]JWK, len(p.Keys))}
	for i, key := range p.Keys {
		set.Keys[i] = JWK{KeyType: "OKP", Curve: "Ed25519", X: key.X, KeyID: key.KeyID(), Algorithm: "EdDSA", Use: "sig"}
	}
	return set
}
