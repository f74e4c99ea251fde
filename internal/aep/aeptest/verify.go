package aeptest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Claims are what a verified assertion says.
type Claims struct {
	Issuer   string      `json:"iss"`
	Subject  string      `json:"sub"`
	Audience string      `json:"aud"`
	Op       string      `json:"op"`
	Resource *string     `json:"resource"`
	Issued   json.Number `json:"iat"`
	Expires  json.Number `json:"exp"`
	ID       string      `json:"jti"`
}

type joseHeader struct {
	Algorithm string `json:"alg"`
	Type      string `json:"typ"`
	KeyID     string `json:"kid"`
}

const (
	maxLife = 300 // seconds
	skew    = 30
)

// verify checks an assertion for an operation and, for "authenticate", a resource (AEP-13 to AEP-15). It uses up its jti.
func (s *Service) verify(ctx context.Context, token, op, resource string) (Claims, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return Claims{}, errors.New("not three parts")
	}
	var header joseHeader
	var claims Claims
	if err := errors.Join(decodePart(parts[0], &header), decodePart(parts[1], &claims)); err != nil {
		return Claims{}, err
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil {
		return Claims{}, err
	}
	did, _, _ := strings.Cut(header.KeyID, "#")
	switch {
	case header.Type != "JWT" || header.Algorithm != "EdDSA" && header.Algorithm != "ES256" || !slices.Contains(s.Algorithms, header.Algorithm):
		return Claims{}, errors.New("wrong header")
	case claims.Issuer != did || claims.Subject != did || claims.Audience != s.DID || claims.Op != op || claims.ID == "":
		return Claims{}, errors.New("wrong claims")
	case (op == "authenticate") != (claims.Resource != nil):
		return Claims{}, errors.New("resource where none belongs, or none where one does")
	case claims.Resource != nil && *claims.Resource != resource:
		return Claims{}, errors.New("another resource")
	}
	if err := s.inTime(claims); err != nil {
		return Claims{}, err
	}
	if err := s.checkSignature(ctx, did, header, []byte(parts[0]+"."+parts[1]), signature); err != nil {
		return Claims{}, err
	}
	return claims, s.useUp(claims)
}

func decodePart(part string, into any) error {
	text, err := base64.RawURLEncoding.Strict().DecodeString(part)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

func (s *Service) inTime(c Claims) error {
	issued, err1 := strconv.ParseInt(c.Issued.String(), 10, 64) // refuses fractions and exponents: integers are asked for
	expires, err2 := strconv.ParseInt(c.Expires.String(), 10, 64)
	now := s.World.Now().Unix()
	if err1 != nil || err2 != nil || expires <= issued || expires-issued > maxLife || issued > now+skew || expires < now-skew {
		return errors.New("out of time")
	}
	return nil
}

func (s *Service) useUp(c Claims) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := c.Subject + " " + c.ID
	if s.used[id] {
		return errors.New("replayed")
	}
	s.used[id] = true
	return nil
}

// checkSignature reads the agent's document from where its DID says it is, and verifies with the key that "kid" names.
func (s *Service) checkSignature(ctx context.Context, did string, header joseHeader, signed, signature []byte) error {
	where, err := documentOf(did)
	if err != nil {
		return err
	}
	text, err := s.World.Fetch(ctx, where)
	if err != nil {
		return err
	}
	var doc struct {
		ID      string
		Methods []struct {
			ID, Controller string
			Key            struct {
				Kty string `json:"kty"`
				Crv string `json:"crv"`
				X   string `json:"x"`
				Y   string `json:"y"`
			} `json:"publicKeyJwk"`
		} `json:"verificationMethod"`
		Authentication []string
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return err
	}
	if doc.ID != did {
		return errors.New("the document of another")
	}
	for _, m := range doc.Methods {
		if m.ID != header.KeyID && header.KeyID != did || m.Controller != did || !slices.Contains(doc.Authentication, m.ID) {
			continue
		}
		x, err1 := base64.RawURLEncoding.DecodeString(m.Key.X)
		y, err2 := base64.RawURLEncoding.DecodeString(m.Key.Y)
		if err1 != nil || err2 != nil {
			return errors.New("a damaged key")
		}
		switch header.Algorithm + " " + m.Key.Kty + " " + m.Key.Crv {
		case "EdDSA OKP Ed25519":
			if len(x) == ed25519.PublicKeySize && ed25519.Verify(x, signed, signature) {
				return nil
			}
		case "ES256 EC P-256":
			if verifyES256(x, y, signed, signature) {
				return nil
			}
		}
	}
	return errors.New("no key verifies it")
}

// verifyES256 wants the signature as r and s, 32 bytes each (AEP-9).
func verifyES256(x, y, signed, signature []byte) bool {
	if len(signature) != 64 || len(x) != 32 || len(y) != 32 {
		return false
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
	digest := sha256.Sum256(signed)
	return err == nil && ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
}

// documentOf is where a did:web has its document (AEP-10).
func documentOf(did string) (string, error) {
	rest, ok := strings.CutPrefix(did, "did:web:")
	if !ok {
		return "", errors.New("not did:web")
	}
	parts := strings.Split(rest, ":")
	host, err := url.PathUnescape(parts[0])
	if len(parts) == 1 {
		return "https://" + host + "/.well-known/did.json", err
	}
	return "https://" + host + "/" + strings.Join(parts[1:], "/") + "/did.json", err
}
