package aep

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Op is what an assertion is for (AEP-14).
type Op string

// The commands, and what is no command: showing an assertion to a protected resource.
const (
	OpEnroll       Op = "enroll"
	OpStatus       Op = "status"
	OpGrant        Op = "grant"
	OpRevoke       Op = "revoke"
	OpAuthenticate Op = "authenticate"
)

const (
	assertionLife    = time.Minute     // our choice (AEP-13)
	maxAssertionLife = 5 * time.Minute // the protocol's
	clockSkew        = 30 * time.Second
)

// Assertion is what an agent says of itself in one request (AEP-13).
type Assertion struct {
	Agent    DID
	Service  DID
	Op       Op
	Resource string // if and only if Op is OpAuthenticate: the URL of the request (AEP-14)
	Issued   time.Time
	Expires  time.Time
	ID       string // a new one each time: "jti"
}

// Signer signs assertions for one agent: an [Identity], or a platform that holds its key.
type Signer interface {
	DID() DID
	Algorithm() Algorithm
	// Sign returns the assertion as a JWS in compact form. It refuses one that is against the rules.
	Sign(ctx context.Context, a Assertion) (string, error)
}

// Check says what is wrong with an assertion (AEP-13, AEP-14).
func (a Assertion) Check() error {
	life := a.Expires.Unix() - a.Issued.Unix()
	switch {
	case a.Agent.IsZero() || a.Service.IsZero() || a.ID == "":
		return errors.New("an assertion names the agent, the service and itself")
	case life <= 0 || life > int64(maxAssertionLife/time.Second):
		return fmt.Errorf("an assertion lives up to %s", maxAssertionLife)
	case a.Op == OpAuthenticate:
		_, err := parseHTTPS(a.Resource)
		if err != nil {
			return fmt.Errorf("the resource %w", err)
		}
		return nil
	case !a.Op.isCommand():
		return fmt.Errorf("%q is nothing that an assertion is for", a.Op)
	case a.Resource != "":
		return errors.New("an assertion for a command names no resource")
	}
	return nil
}

func (o Op) isCommand() bool { return slices.Contains([]Op{OpEnroll, OpStatus, OpGrant, OpRevoke}, o) }

// claims are the assertion as JSON: times in whole seconds.
func (a Assertion) claims() jwt.MapClaims {
	claims := jwt.MapClaims{
		"iss": a.Agent.String(), "sub": a.Agent.String(), "aud": a.Service.String(), "op": string(a.Op),
		"iat": a.Issued.Unix(), "exp": a.Expires.Unix(), "jti": a.ID,
	}
	if a.Resource != "" {
		claims["resource"] = a.Resource
	}
	return claims
}

// CheckSigned says what another signer's assertion says else than was asked for: it must be a's, signed with an algorithm,
// by a key of a's agent (AEP-36). The signature itself is for the Service to verify. The error does not repeat the token.
func (a Assertion) CheckSigned(token string, algorithm Algorithm) error {
	content := jwt.MapClaims{}
	parsed, _, err := jwt.NewParser(jwt.WithJSONNumber(), jwt.WithStrictDecoding()).ParseUnverified(token, content)
	if err != nil {
		return errors.New("the signed assertion is no JWS")
	}
	kid, _ := parsed.Header["kid"].(string)
	did, _, _ := strings.Cut(kid, "#")
	if parsed.Header["alg"] != string(algorithm) || parsed.Header["typ"] != "JWT" || did != a.Agent.String() {
		return errors.New("the header of the signed assertion is not what was asked for")
	}
	issued, err1 := content.GetIssuedAt()
	expires, err2 := content.GetExpirationTime()
	if err1 != nil || err2 != nil || issued == nil || expires == nil {
		return errors.New("the signed assertion has no times")
	}
	life := expires.Sub(issued.Time)
	if life <= 0 || life > maxAssertionLife || issued.Sub(a.Issued).Abs() > clockSkew {
		return errors.New("the times of the signed assertion are not what was asked for")
	}
	for name, want := range a.claims() {
		if text, isText := want.(string); isText && content[name] != text {
			return fmt.Errorf("%q of the signed assertion is not what was asked for", name)
		}
	}
	if _, named := content["resource"]; named && a.Resource == "" {
		return errors.New("the signed assertion names a resource, which was not asked for")
	}
	return nil
}

// canonicalResource is a URL as the client sends it, which is what its assertion must name: no default port, a path.
func canonicalResource(resource string) (string, error) {
	u, err := parseHTTPS(resource)
	if err != nil {
		return "", err
	}
	canonical := url.URL{Scheme: "https", Host: strings.TrimPrefix(originOf(u), "https://"), Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery, ForceQuery: u.ForceQuery}
	if canonical.Path == "" {
		canonical.Path = "/"
	}
	return canonical.String(), nil
}
