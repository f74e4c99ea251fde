package payment

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/policy"
)

// mppParams are the parameters of a challenge that its credential repeats, in order; the first five are required (MPP-2,
// MPP-13).
func mppParams() []string {
	return []string{"id", "realm", "method", "intent", "request", "expires", "digest", "description", "opaque"}
}

const mppRequired = 5

// mppOffers reads the "Payment" challenges (MPP-1).
func (p *Protocol) mppOffers(a *challenge.Answer) []challenge.Offer {
	var offers []challenge.Offer
	for _, c := range a.Of("Payment") {
		d, facts, err := p.readMPP(c, a.Request)
		o := challenge.Offer{Facts: facts, Protocol: MPP, Scheme: "payment", Data: d}
		if err != nil {
			o.Trouble = err.Error()
		}
		offers = append(offers, o)
	}
	return offers
}

// readMPP reads one challenge. The facts are there beside an error (CH-4).
func (p *Protocol) readMPP(c challenge.Challenge, request *challenge.Request) (*demand, map[string]any, error) {
	facts := map[string]any{}
	echo := map[string]string{}
	for _, name := range mppParams() {
		if value := c.Get(name); value != "" {
			echo[name] = value
			if name != "request" && name != "opaque" {
				facts[name] = value
			}
		}
	}
	for name, value := range echo { // the credential is JSON, so there it could not be repeated
		if !utf8.ValidString(value) {
			return nil, facts, fmt.Errorf("its %s is no text", name)
		}
	}
	if name := c.Repeated(); name != "" {
		return nil, facts, fmt.Errorf("its parameter %q comes twice", fault.Word(name))
	}
	for _, name := range mppParams()[:mppRequired] {
		if echo[name] == "" {
			return nil, facts, fmt.Errorf("it has no %s", name)
		}
	}
	body, err := decode(echo["request"])
	if err != nil {
		return nil, facts, fmt.Errorf("its request: %w", err)
	}
	d := &demand{ID: echo["id"], Payment: policy.Payment{
		Protocol: MPP, Network: echo["method"], Scheme: echo["intent"],
		Amount: str(body, "amount"), Asset: str(body, "currency"), Payee: str(body, "recipient"),
	}}
	d.Always = d.Scheme == "subscription" // MPP-9
	for name, value := range map[string]string{"amount": d.Amount, "currency": d.Asset, "recipient": d.Payee} {
		if value != "" {
			facts[name] = value
		}
	}
	if err := d.checkMPP(echo, body, request, p.Now()); err != nil {
		return nil, facts, err
	}
	d.field, d.prefix = "Authorization", "Payment "
	d.request = func() payerRequest { return payerRequest{Challenge: echo, Decoded: body} }
	d.payload = func(payload jsontext.Value, _ time.Time) error { return checkProof(d, body, payload) }
	d.build = func(payload, source jsontext.Value) string { return buildMPP(c, payload, source) }
	d.check = func(value string, _ time.Time) error { return d.checkCredential(value, echo, body) }
	d.settled = settledMPP
	return d, facts, nil
}

// maxFact is the most of one value that is kept, or is a name.
const maxFact = 256 // bytes

// checkMPP says why a challenge cannot be met.
func (d *demand) checkMPP(echo map[string]string, body jsontext.Value, request *challenge.Request, now time.Time) error {
	if !regexp.MustCompile(`^[a-z]{1,64}$`).MatchString(d.Network) || !regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`).MatchString(d.Scheme) {
		return errors.New("its method or intent is none")
	}
	for name, parts := range map[string]jsontext.Value{"recipient": member(body, "recipient"), "currency": member(body, "currency"), "amount": member(body, "amount")} {
		if parts != nil && parts.Kind() != '"' {
			return fmt.Errorf("its %s is no text", name)
		}
	}
	if _, ok := policy.ParseUnits(d.Amount); !ok {
		return fmt.Errorf("its amount %q is no whole number of base units", fault.Word(d.Amount))
	}
	if !plainName(d.Asset) || d.Payee != "" && !plainName(d.Payee) {
		return errors.New("its currency or recipient is none")
	}
	if text := echo["expires"]; text != "" {
		expires, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return errors.New("its expiry is no time")
		}
		if d.Expires = expires; !expires.After(now.Add(expiryMargin)) {
			return errors.New("it is expired")
		}
	}
	if echo["opaque"] != "" {
		if _, err := decode(echo["opaque"]); err != nil {
			return fmt.Errorf("its opaque part: %w", err)
		}
	}
	if digest := echo["digest"]; digest != "" && !sameDigest(digest, request.Body) {
		return errors.New("its digest is not that of the request") // MPP-7
	}
	if request.Holds("Authorization") { // BR-6, MPP-18
		return errors.New("the request needs Authorization for another credential, and there is room for one")
	}
	return nil
}

// plainName accepts what can stand in a rule, in a question and in a line of a listing: one word without control characters.
func plainName(text string) bool {
	return text != "" && len(text) <= maxFact && strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) < 0
}

// sameDigest holds a body to a Content-Digest, or to the bare form that some servers send (MPP-7).
func sameDigest(digest string, body []byte) bool {
	value, ok := strings.CutPrefix(strings.ToLower(digest[:min(len(digest), 8)])+digest[min(len(digest), 8):], "sha-256=")
	if !ok {
		return false
	}
	if inner, ok := strings.CutPrefix(value, ":"); ok {
		if value, ok = strings.CutSuffix(inner, ":"); !ok {
			return false
		}
	}
	sum := sha256.Sum256(body)
	given, err := base64.StdEncoding.DecodeString(value)
	return err == nil && string(given) == string(sum[:])
}

// buildMPP makes the credential around a proof: the parameters are repeated as they came, and never encoded anew (MPP-3,
// MPP-13).
func buildMPP(c challenge.Challenge, payload, source jsontext.Value) string {
	echo := map[string]string{}
	for _, name := range mppParams() {
		if value := c.Get(name); value != "" {
			echo[name] = value
		}
	}
	credential, err := json.Marshal(struct {
		Challenge map[string]string `json:"challenge"`
		Payload   jsontext.Value    `json:"payload"`
		Source    jsontext.Value    `json:"source,omitempty"`
	}{echo, payload, source})
	if err != nil { // the parts are valid JSON
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(credential)
}

// checkCredential holds a credential to the challenge that was chosen (MPP-16).
func (d *demand) checkCredential(value string, echo map[string]string, body jsontext.Value) error {
	credential, err := decode(value)
	if err != nil {
		return fmt.Errorf("its credential: %w", err)
	}
	repeated := member(credential, "challenge")
	if repeated.Kind() != '{' {
		return errors.New("its credential repeats no challenge")
	}
	for _, name := range mppParams() {
		if value := member(repeated, name); value != nil && value.Kind() != '"' || str(repeated, name) != echo[name] {
			return fmt.Errorf("its credential is for another challenge: the %s differs", name)
		}
	}
	payload := member(credential, "payload")
	if payload.Kind() != '{' {
		return errors.New("its credential has no payload")
	}
	return checkProof(d, body, payload)
}

// checkProof looks at proofs of methods whose form is known (MPP-15).
func checkProof(d *demand, body, payload jsontext.Value) error {
	details := member(body, "methodDetails")
	switch d.Network {
	case "lightning":
		preimage, err := hex.DecodeString(str(payload, "preimage"))
		if err != nil || len(preimage) != sha256.Size || strings.ToLower(str(payload, "preimage")) != str(payload, "preimage") {
			return errors.New("its preimage is not 64 hexadecimal digits")
		}
		if hash := str(details, "paymentHash"); hash != "" && !strings.EqualFold(hash, bodySum(preimage)) {
			return errors.New("its preimage is not that of the invoice")
		}
	case "stripe":
		if !strings.HasPrefix(str(payload, "spt"), "spt_") {
			return errors.New("its token is none of Stripe's")
		}
	case "evm":
		return checkEVM(d, payload)
	}
	return nil
}

// checkEVM holds a signed authorization to what is paid (MPP-15).
func checkEVM(d *demand, payload jsontext.Value) error {
	if str(payload, "type") != "authorization" {
		return nil
	}
	inner := member(payload, "authorization")
	if inner.Kind() != '{' {
		inner = payload
	}
	if !strings.EqualFold(str(inner, "to"), d.Payee) || str(inner, "value") != d.Amount {
		return errors.New("it authorizes another amount, or another payee")
	}
	return nil
}

// settledMPP reads the receipt of a success; of an error it is ignored (MPP-20). What an error says is its problem's type.
func settledMPP(o *challenge.Outcome) (settlement, bool) {
	if o.Status < http.StatusOK || o.Status >= http.StatusMultipleChoices {
		var s settlement
		if problem, err := object(o.Body); err == nil {
			s.Reason, _ = strings.CutPrefix(str(problem, "type"), "https://paymentauth.org/problems/")
		}
		return s, s.Reason != ""
	}
	doc, err := decode(o.Header.Get("Payment-Receipt"))
	if err != nil {
		return settlement{}, false
	}
	s := settlement{Document: doc, Reference: str(doc, "reference"), Network: str(doc, "method")}
	if status := str(doc, "status"); status != "" && status != "success" {
		s.Failed, s.Reason = true, status
	}
	return s, true
}
