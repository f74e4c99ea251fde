package payment

import (
	"errors"
	"math/big"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/policy"
)

// checkSigned holds what a payer signed to what is paid, where the form of that is known: "exact" and "upto" on an Ethereum network, by
// EIP-3009 or Permit2 (X402-14). The signature is the network's to check.
func (d *demand) checkSigned(payload jsontext.Value, now time.Time, patience time.Duration) error {
	if payload.Kind() != '{' {
		return errors.New("it has no payload")
	}
	if d.Scheme != "exact" && d.Scheme != "upto" || !strings.HasPrefix(d.Network, "eip155:") {
		return nil
	}
	a, p := member(payload, "authorization"), member(payload, "permit2Authorization")
	switch {
	case a != nil && p != nil: // which one the signature is for, and the site takes, is anybody's guess
		return errors.New("it has two authorizations")
	case a.Kind() == '{':
		return d.checkAuthorization(a, now, patience)
	case p.Kind() == '{':
		return d.checkPermit2(p, now, patience)
	}
	return errors.New("it has neither an authorization nor a Permit2 one")
}

func (d *demand) checkAuthorization(a jsontext.Value, now time.Time, patience time.Duration) error {
	switch {
	case !strings.EqualFold(str(a, "to"), d.Payee):
		return errors.New("it authorizes another payee")
	case str(a, "value") != d.Amount:
		return errors.New("it authorizes another amount")
	case !within(str(a, "validBefore"), now, patience):
		return errors.New("it is over, or good for longer than the site asked")
	case !isHex32(str(a, "nonce")):
		return errors.New("its nonce is not 32 bytes")
	}
	return nil
}

func (d *demand) checkPermit2(p jsontext.Value, now time.Time, patience time.Duration) error {
	permitted, witness := member(p, "permitted"), member(p, "witness")
	switch {
	case !strings.EqualFold(str(permitted, "token"), d.Asset):
		return errors.New("it permits another token")
	case str(permitted, "amount") != d.Amount:
		return errors.New("it permits another amount")
	case !strings.EqualFold(str(witness, "to"), d.Payee):
		return errors.New("it permits another payee")
	case !within(str(p, "deadline"), now, patience):
		return errors.New("it is over, or good for longer than the site asked")
	}
	return nil
}

// within reports whether a moment, in seconds since 1970, is yet to come, and not after the site's patience ends.
func within(seconds string, now time.Time, patience time.Duration) bool {
	end, ok := policy.ParseUnits(seconds)
	return ok && end.Cmp(big.NewInt(now.Unix())) > 0 && end.Cmp(big.NewInt(now.Add(patience+expiryMargin).Unix())) <= 0
}
