package aep

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"

	"github.com/golang-jwt/jwt/v5"
)

// Algorithm is how an assertion is signed, as JOSE calls it.
type Algorithm string

// The algorithms of the protocol (AEP-9).
const (
	EdDSA Algorithm = "EdDSA" // Ed25519
	ES256 Algorithm = "ES256" // P-256 with SHA-256
)

const (
	pemType     = "PRIVATE KEY"
	maxKeyBytes = 4 << 10
	keyBytes    = 32 // of the private part, with either algorithm
)

// Key is a private key. It never shows itself when printed.
type Key struct {
	algorithm Algorithm
	private   crypto.Signer
}

// NewKey makes a key from 32 random bytes.
func NewKey(algorithm Algorithm, random io.Reader) (Key, error) {
	if algorithm != EdDSA && algorithm != ES256 {
		return Key{}, fmt.Errorf("%q is no algorithm that keys are made for", algorithm)
	}
	secret := make([]byte, keyBytes)
	for {
		if _, err := io.ReadFull(random, secret); err != nil {
			return Key{}, fmt.Errorf("making a key: %w", err)
		}
		if algorithm == EdDSA {
			return Key{EdDSA, ed25519.NewKeyFromSeed(secret)}, nil
		}
		if private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret); err == nil { // else, once in 2^32, it is out of range
			return Key{ES256, private}, nil
		}
	}
}

// ParseKey reads what [Key.PKCS8] wrote.
func ParseKey(text []byte) (Key, error) {
	if len(text) > maxKeyBytes {
		return Key{}, errors.New("the key is larger than 4 KiB")
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != pemType || len(bytes.TrimSpace(rest)) > 0 {
		return Key{}, errors.New("the key is no PKCS #8 private key in PEM")
	}
	private, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return Key{}, errors.New("the key is no PKCS #8 private key") // the parser's own words may tell of the key
	}
	switch private := private.(type) {
	case ed25519.PrivateKey:
		return Key{EdDSA, private}, nil
	case *ecdsa.PrivateKey:
		if private.Curve == elliptic.P256() {
			return Key{ES256, private}, nil
		}
	}
	return Key{}, errors.New("the key is neither of Ed25519 nor of P-256")
}

// PKCS8 returns the key in PEM, for [ParseKey]. It is the secret itself.
func (k Key) PKCS8() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der}), nil
}

// Algorithm returns how the key signs.
func (k Key) Algorithm() Algorithm { return k.algorithm }

// IsZero reports whether the key is none.
func (k Key) IsZero() bool { return k.private == nil }

// String tells the algorithm, never the key.
func (k Key) String() string { return string(k.algorithm) + " key" }

// GoString is [Key.String]: %#v must not show the key either.
func (k Key) GoString() string { return k.String() }

// JWK is a public key as a DID document has it (RFC 7517, RFC 8037; AEP-11).
type JWK struct {
	KeyType string `json:"kty"`
	Curve   string `json:"crv"`
	X       string `json:"x"`           // base64url without padding
	Y       string `json:"y,omitempty"` // of P-256
}

// Public returns the public part.
func (k Key) Public() (JWK, error) {
	encode := base64.RawURLEncoding.EncodeToString
	switch public := k.private.Public().(type) {
	case ed25519.PublicKey:
		return JWK{KeyType: "OKP", Curve: "Ed25519", X: encode(public)}, nil
	case *ecdsa.PublicKey:
		point, err := public.Bytes() // 0x04, X, Y
		if err != nil {
			return JWK{}, err
		}
		return JWK{KeyType: "EC", Curve: "P-256", X: encode(point[1 : 1+keyBytes]), Y: encode(point[1+keyBytes:])}, nil
	}
	return JWK{}, errors.New("the key is of no kind that can be published")
}

// method is how the library signs with the key: ES256 as r and s, 32 bytes each (AEP-9).
func (k Key) method() jwt.SigningMethod {
	if k.algorithm == EdDSA {
		return jwt.SigningMethodEdDSA
	}
	return jwt.SigningMethodES256
}
