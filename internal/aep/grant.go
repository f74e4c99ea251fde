package aep

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// GrantType is a kind of credential (AEP-23).
type GrantType string

// The kinds of credentials.
const (
	OAuthBearer GrantType = "oauth-bearer" //nolint:gosec // the name of a kind
	APIKey      GrantType = "api-key"
	Basic       GrantType = "basic"
)

// maxNamesBytes is the most that a Service may call a credential and its scopes: it is kept where all agents are.
const maxNamesBytes = 8 << 10

// GrantRequest is what to ask a credential for.
type GrantRequest struct {
	Type        GrantType
	Scopes      []string // nil: what the Service thinks fit
	Label       string   // for the owner to tell credentials apart; of api-key and basic only
	TokenFormat string   // of oauth-bearer only
}

// Credential is what a grant brings. Who has it is the agent: it is a secret, and shown only to its Service (AEP-25).
type Credential struct {
	Service DID       `json:"service"`
	Agent   DID       `json:"agent"`
	Type    GrantType `json:"type"`
	ID      string    `json:"id,omitempty"` // to revoke this one alone; "" when the Service gave none
	Expires time.Time `json:"expires_at"`
	Scopes  []string  `json:"scopes,omitempty"` // empty: not limited to scopes

	Token    string `json:"token,omitempty"`    // of oauth-bearer
	Key      string `json:"key,omitempty"`      // of api-key …
	Header   string `json:"header,omitempty"`   // … and where it goes
	Username string `json:"username,omitempty"` // of basic
	Password string `json:"password,omitempty"`
	Realm    string `json:"realm,omitempty"`
}

// String tells what the credential is, never the secret.
func (c Credential) String() string { return string(c.Type) + " credential of " + c.Service.String() }

// GoString is [Credential.String]: %#v must not show the secret either.
func (c Credential) GoString() string { return c.String() }

// Grant asks for a credential. The agent must be enrolled: a Service that has Status is asked first, and Grant never enrols
// (AEP-23). The credential is kept in the store before it is returned.
func (c *Client) Grant(ctx context.Context, in *Inspect, who Signer, request GrantRequest) (Credential, error) {
	in, err := c.current(ctx, in)
	if err != nil {
		return Credential{}, err
	}
	if err := request.check(in); err != nil {
		return Credential{}, err
	}
	if in.Supports(OpStatus) == nil {
		enrolment, err := c.status(ctx, in, who)
		if err == nil {
			err = enrolment.Err()
		}
		if err != nil {
			return Credential{}, err
		}
	}
	cmd := command{in: in, who: who, op: OpGrant, body: func(string) jsontext.Value { return request.body() }}
	answer, done, err := c.run(ctx, cmd)
	if err != nil {
		return Credential{}, err
	}
	credential, err := readCredential(answer, in, who.DID(), request.Type)
	if err != nil {
		return Credential{}, err
	}
	if err := c.Store.Keep(ctx, credential); err != nil {
		return Credential{}, err
	}
	return credential, done()
}

func (g GrantRequest) check(in *Inspect) error {
	if err := in.Supports(OpGrant); err != nil {
		return err
	}
	known := []GrantType{OAuthBearer, APIKey, Basic}
	switch {
	case !slices.Contains(in.GrantTypes, string(g.Type)) || !slices.Contains(known, g.Type):
		return fault.New(fault.Usage, "unsupported_grant_type", "%s does not grant %q that can be used here", in.Origin, fault.Word(string(g.Type))).
			WithHint("it grants %q", in.GrantTypes)
	case g.Label != "" && g.Type == OAuthBearer:
		return fault.New(fault.Usage, "invalid_arguments", "a grant of %q has no label", g.Type)
	case g.TokenFormat != "" && g.Type != OAuthBearer:
		return fault.New(fault.Usage, "invalid_arguments", "a grant of %q has no token format", g.Type)
	}
	return nil
}

func (g GrantRequest) body() jsontext.Value {
	var body manifest.Values
	body.Set("grant_type", strictjson.Quote(string(g.Type)))
	if len(g.Scopes) > 0 {
		list := []byte{'['}
		for i, scope := range g.Scopes {
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, strictjson.Quote(scope)...)
		}
		body.Set("requested_scopes", append(list, ']'))
	}
	if g.Label != "" {
		body.Set("label", strictjson.Quote(g.Label))
	}
	if g.TokenFormat != "" {
		body.Set("token_format", strictjson.Quote(g.TokenFormat))
	}
	return body.Object()
}

// readCredential reads the answer to a grant (AEP-24). Nothing of it enters an error.
func readCredential(r *reader, in *Inspect, agent DID, kind GrantType) (Credential, error) {
	c := Credential{Service: in.Service, Agent: agent, Type: kind, ID: r.optionalText("/credential_id"), Expires: r.optionalTime("/expires_at")}
	if c.Expires.IsZero() {
		r.fail("/expires_at", "must be a time as in RFC 3339")
	}
	if n := r.root.At("/scopes"); n != nil && n.Kind != 'n' {
		c.Scopes = r.texts("/scopes")
	}
	if len(c.ID)+len(strings.Join(c.Scopes, "")) > maxNamesBytes || len(c.Scopes) > maxNames {
		r.fail("/credential_id", "and scopes are too long")
	}
	switch kind {
	case OAuthBearer:
		c.Token = r.text("/access_token")
		if r.text("/token_type") != "Bearer" {
			r.fail("/token_type", `must be "Bearer"`)
		}
		if !visible(c.Token, "") {
			r.fail("/access_token", "has characters that no token has, or too many")
		}
	case APIKey:
		c.Key, c.Header = r.text("/api_key"), r.text("/header")
		checkAPIKey(r, c, in.headerNames())
	case Basic:
		c.Username, c.Password, c.Realm = r.text("/username"), r.text("/password"), r.optionalText("/realm")
		if !basicText(c.Username) || !basicText(c.Password) || strings.Contains(c.Username, ":") {
			r.fail("/username", "and password must be text without control characters, the username without a colon")
		}
	}
	if r.err != nil {
		return Credential{}, badAnswer(OpGrant, "%w", r.err)
	}
	return c, nil
}
