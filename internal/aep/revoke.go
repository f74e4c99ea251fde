package aep

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Revocation is what to end: all credentials, those of one type, or one of them (AEP-27). Service and Agent are filled in by
// [Client.Revoke].
type Revocation struct {
	Service DID
	Agent   DID
	Type    GrantType // "": of every type
	ID      string    // "": all of the type
}

// Revoke ends credentials and drops them from the store. It succeeds also when the Service knows none.
func (c *Client) Revoke(ctx context.Context, in *Inspect, who Signer, what Revocation) error {
	if what.ID != "" && what.Type == "" {
		return fault.New(fault.Usage, "invalid_arguments", "a credential is revoked by its type and id")
	}
	in, err := c.current(ctx, in)
	if err != nil {
		return err
	}
	what.Service, what.Agent = in.Service, who.DID()
	cmd := command{in: in, who: who, op: OpRevoke, body: func(string) jsontext.Value { return what.body() }}
	_, done, err := c.run(ctx, cmd)
	if err != nil {
		return err
	}
	if err := c.Store.Drop(ctx, what); err != nil {
		return err
	}
	return done()
}

func (w Revocation) body() jsontext.Value {
	var body manifest.Values
	if w.Type == "" {
		body.Set("all_grant_types", strictjson.Quote("true"))
		return body.Object()
	}
	body.Set("grant_type", strictjson.Quote(string(w.Type)))
	if w.ID != "" {
		body.Set("credential_id", strictjson.Quote(w.ID))
	}
	return body.Object()
}
