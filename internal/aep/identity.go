package aep

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"io"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

// Identity is an agent that holds its own key.
type Identity struct {
	Agent DID
	Key   Key
	Name  string // of the key in the agent's document, behind "#"; "" where there is only one
}

// NewIdentity makes an agent and its key for one Service, below a DID whose documents its owner can publish. Its path is
// opaque and says nothing about the Service, so that Services cannot tell that two agents are one's (AEP-12).
func NewIdentity(below DID, algorithm Algorithm, random io.Reader) (Identity, error) {
	key, err := NewKey(algorithm, random)
	if err != nil {
		return Identity{}, err
	}
	secret := make([]byte, 10)
	if _, err := io.ReadFull(random, secret); err != nil {
		return Identity{}, fmt.Errorf("making an identity: %w", err)
	}
	opaque := strings.ToLower(base32.StdEncoding.EncodeToString(secret))
	did, err := ParseDID(below.String() + ":" + opaque)
	return Identity{Agent: did, Key: key, Name: "k1"}, err
}

// DID returns the agent.
func (i Identity) DID() DID { return i.Agent }

// Algorithm returns how the agent's key signs.
func (i Identity) Algorithm() Algorithm { return i.Key.Algorithm() }

// keyID names the key: what "kid" of an assertion is.
func (i Identity) keyID() string {
	if i.Name == "" {
		return i.Agent.String()
	}
	return i.Agent.String() + "#" + i.Name
}

// Sign signs an assertion of the agent.
func (i Identity) Sign(_ context.Context, a Assertion) (string, error) {
	if err := a.Check(); err != nil {
		return "", err
	}
	if a.Agent != i.Agent {
		return "", fmt.Errorf("an assertion of %q is not for %q to sign", a.Agent, i.Agent)
	}
	token := jwt.NewWithClaims(i.Key.method(), a.claims()) // "alg" and "typ" are set by it
	token.Header["kid"] = i.keyID()
	signed, err := token.SignedString(i.Key.private)
	if err != nil {
		return "", fmt.Errorf("signing an assertion: %w", err)
	}
	return signed, nil
}

// systemRandom is where random bytes come from unless somebody says otherwise.
func systemRandom() io.Reader { return rand.Reader }
