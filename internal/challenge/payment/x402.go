package payment

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/challenge"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxAccepts is how many ways to pay are read of one answer.
const maxAccepts = 32

// required is what a site wants by x402.
type required struct {
	version    int
	inBody     bool
	whole      jsontext.Value
	resource   jsontext.Value // version 2; nil for none
	extensions jsontext.Value // version 2, with what we add; nil for none
	header     string         // that carries the payment
}

// x402Offers reads what a site wants: the header first, and only without it the body (X402-1, X402-2).
func (p *Protocol) x402Offers(a *challenge.Answer) []challenge.Offer {
	var doc jsontext.Value
	var err error
	inBody := false
	switch header := a.Header.Values("Payment-Required"); {
	case len(header) > 1:
		err = errors.New("there are two PAYMENT-REQUIRED headers")
	case len(header) == 1 && len(header[0]) > challenge.MaxHeader:
		err = fmt.Errorf("it is larger than %d KiB", challenge.MaxHeader>>10)
	case len(header) == 1 && header[0] != "":
		doc, err = decode(header[0])
	case a.Cut || !bytes.Contains(a.Body, []byte(`"x402Version"`)):
		return nil
	default:
		inBody = true
		doc, err = object(bytes.TrimSpace(a.Body))
		if !bytes.HasPrefix(bytes.TrimSpace(a.Body), []byte("{")) || err == nil && member(doc, "x402Version") == nil {
			return nil // some other body: it makes no claim to be of this protocol
		}
	}
	if err != nil {
		return voidX402("what it wants cannot be read: " + err.Error())
	}
	q := required{whole: doc, inBody: inBody}
	switch version := string(member(doc, "x402Version")); version {
	case "1":
		q.version, q.header = 1, "X-PAYMENT"
	case "2":
		q.version, q.header = 2, "PAYMENT-SIGNATURE"
	default:
		return voidX402("version " + fault.Word(version) + " of x402 is not supported")
	}
	if q.version == 1 && !inBody {
		return voidX402("version 1 of x402 does not come in a header")
	}
	return p.accepts(&q, a.Request)
}

// voidX402 is an answer that is seen to be x402, and cannot be met (CH-4).
func voidX402(trouble string) []challenge.Offer {
	return []challenge.Offer{{Facts: map[string]any{}, Protocol: X402, Trouble: trouble}}
}

// accepts reads each way to pay. One that is void is told of and skipped (X402-7).
func (p *Protocol) accepts(q *required, request *challenge.Request) []challenge.Offer {
	list := member(q.whole, "accepts")
	if list.Kind() != '[' {
		return voidX402("it accepts nothing")
	}
	extensionTrouble := p.extend(q)
	var offers []challenge.Offer
	for _, element := range strictjson.Elements(list) {
		if len(offers) == maxAccepts {
			break
		}
		d, facts, err := p.readX402(q, element, request)
		o := challenge.Offer{Facts: facts, Protocol: X402, Data: d}
		facts["version"] = q.version
		switch {
		case err != nil:
			o.Trouble = err.Error()
		case extensionTrouble != "":
			o.Trouble = extensionTrouble
		}
		offers = append(offers, o)
	}
	if len(offers) == 0 {
		return voidX402("it accepts nothing")
	}
	return offers
}

// extend repeats the extensions of the site, and adds the id that one of them wants (X402-15).
func (p *Protocol) extend(q *required) (trouble string) {
	extensions := member(q.whole, "extensions")
	if q.version != 2 || extensions == nil {
		return ""
	}
	if extensions.Kind() != '{' {
		return "its extensions are no object"
	}
	q.extensions = extensions
	identifier := member(extensions, "payment-identifier")
	info := member(identifier, "info")
	if identifier == nil || string(member(info, "required")) != "true" || str(info, "id") != "" {
		return ""
	}
	id := strictjson.Quote("ap_" + rand.Text())
	q.extensions = strictjson.With(extensions, "payment-identifier", strictjson.With(identifier, "info", strictjson.With(info, "id", id)))
	return ""
}

// readX402 reads one element of accepts. The facts are there beside an error (CH-4).
func (p *Protocol) readX402(q *required, element jsontext.Value, request *challenge.Request) (*demand, map[string]any, error) {
	facts := map[string]any{}
	if element.Kind() != '{' {
		return nil, facts, errors.New("one of accepts is no object")
	}
	element = bytes.Clone(element)
	amountName, resource := "amount", ""
	if q.version == 1 {
		amountName, resource = "maxAmountRequired", str(element, "resource")
	} else {
		q.resource = member(q.whole, "resource")
		resource = str(q.resource, "url")
	}
	d := &demand{Payment: policy.Payment{
		Protocol: X402, Network: policy.CAIP2(str(element, "network")), Scheme: str(element, "scheme"),
		Asset: str(element, "asset"), Payee: str(element, "payTo"), Amount: str(element, amountName),
	}}
	for name, value := range map[string]string{
		"scheme": d.Scheme, "network": d.Network, "asset": d.Asset, "pay_to": d.Payee, "amount": d.Amount, "resource": resource,
	} {
		if value != "" {
			facts[name] = value
		}
	}
	seconds := string(member(element, "maxTimeoutSeconds"))
	if err := d.checkX402(seconds, resource, request); err != nil {
		return nil, facts, err
	}
	facts["max_timeout_seconds"] = json.Number(seconds)
	d.odd = q.oddities(resource, request)
	patience, _ := time.ParseDuration(seconds + "s") // checked above
	d.field = q.header
	d.request = func() payerRequest {
		return payerRequest{X402: q.version, Required: q.whole, Chosen: element, Extension: q.extensions}
	}
	d.payload = func(payload jsontext.Value, now time.Time) error { return d.checkSigned(payload, now, patience) }
	d.build = func(payload, _ jsontext.Value) string { return q.build(element, payload) }
	d.check = func(value string, now time.Time) error { return q.check(d, element, value, now, patience) }
	d.settled = settledX402
	return d, facts, nil
}

// checkX402 says why a way to pay is void (X402-7, X402-8).
func (d *demand) checkX402(seconds, resource string, request *challenge.Request) error {
	for name, value := range map[string]string{"scheme": d.Scheme, "network": d.Network, "asset": d.Asset, "payTo": d.Payee} {
		if !plainName(value) {
			return fmt.Errorf("its %s is missing, or none", name)
		}
	}
	if _, ok := policy.ParseUnits(d.Amount); !ok {
		return fmt.Errorf("its amount %q is no whole number of base units", fault.Word(d.Amount))
	}
	if n, ok := policy.ParseUnits(seconds); !ok || n.Sign() == 0 || len(seconds) > 6 {
		return errors.New("its maxTimeoutSeconds is no number of seconds")
	}
	if resource == "" { // a field that is missing
		return errors.New("it does not say what is paid for")
	}
	if u, err := url.Parse(resource); err != nil || u.Host == "" || !fetch.SameOrigin(resource, request.URL) {
		return fmt.Errorf("it is for %q, which is of another origin than the request", fault.Word(resource))
	}
	return nil
}

// oddities are what a person should know of, and no reason to refuse (X402-2, X402-8).
func (q *required) oddities(resource string, request *challenge.Request) (odd []string) {
	if q.version == 2 && q.inBody {
		odd = append(odd, "version 2 of x402 came in the body of the answer, and not in its header")
	}
	paid, err := url.Parse(resource)
	asked, asErr := url.Parse(request.URL)
	if err == nil && asErr == nil && cmp.Or(paid.EscapedPath(), "/") != cmp.Or(asked.EscapedPath(), "/") {
		odd = append(odd, "the site wants to be paid for another path than was asked for: "+fault.Word(paid.EscapedPath()))
	}
	return odd
}

// build makes the header's value around a bare payload (X402-13).
func (q *required) build(element, payload jsontext.Value) string {
	var doc any
	if q.version == 1 {
		doc = struct {
			Version int            `json:"x402Version"`
			Scheme  jsontext.Value `json:"scheme"`
			Network jsontext.Value `json:"network"`
			Payload jsontext.Value `json:"payload"`
		}{1, member(element, "scheme"), member(element, "network"), payload}
	} else {
		doc = struct {
			Version    int            `json:"x402Version"`
			Resource   jsontext.Value `json:"resource,omitempty"`
			Accepted   jsontext.Value `json:"accepted"`
			Payload    jsontext.Value `json:"payload"`
			Extensions jsontext.Value `json:"extensions,omitempty"`
		}{2, q.resource, element, payload, q.extensions}
	}
	text, err := json.Marshal(doc)
	if err != nil { // the parts are valid JSON
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(text)
}

// check holds a value to what was chosen (X402-14, X402-15).
func (q *required) check(d *demand, element jsontext.Value, value string, now time.Time, patience time.Duration) error {
	doc, err := decode(value)
	if err != nil {
		return fmt.Errorf("its header: %w", err)
	}
	if string(member(doc, "x402Version")) != fmt.Sprint(q.version) {
		return errors.New("it is of another version of x402")
	}
	if q.version == 1 {
		if str(doc, "scheme") != str(element, "scheme") || str(doc, "network") != str(element, "network") {
			return errors.New("it is for another scheme or network")
		}
		return d.checkSigned(member(doc, "payload"), now, patience)
	}
	if !equal(member(doc, "accepted"), element) {
		return errors.New("it accepts something else than was chosen")
	}
	if resource := member(doc, "resource"); resource != nil && !equal(resource, q.resource) {
		return errors.New("it is for another resource")
	}
	given := member(doc, "extensions")
	for name, value := range strictjson.Members(orEmpty(q.extensions)) {
		if own := member(given, name); !equal(own, value) {
			return fmt.Errorf("it leaves out or changes the extension %q", fault.Word(name))
		}
	}
	return d.checkSigned(member(doc, "payload"), now, patience)
}

func orEmpty(object jsontext.Value) jsontext.Value {
	if object == nil {
		return jsontext.Value("{}")
	}
	return object
}

// settledX402 reads what a site says of the settlement, also beside an error (X402-16).
func settledX402(o *challenge.Outcome) (settlement, bool) {
	text := o.Header.Get("Payment-Response")
	if text == "" {
		text = o.Header.Get("X-Payment-Response")
	}
	doc, err := decode(text)
	if err != nil {
		return settlement{Reason: refusal(o)}, false
	}
	s := settlement{
		Document: doc, Reference: str(doc, "transaction"), Amount: str(doc, "amount"), Reason: str(doc, "errorReason"),
		Network: str(doc, "network"), Failed: string(member(doc, "success")) == "false",
	}
	return s, true
}

// refusal is why a payment was refused, as a new demand says: its header, or a body of version 1 (X402-17).
func refusal(o *challenge.Outcome) string {
	doc, err := decode(o.Header.Get("Payment-Required"))
	if err != nil {
		doc, err = object(bytes.TrimSpace(o.Body))
	}
	if err != nil || o.Status < http.StatusBadRequest {
		return ""
	}
	return str(doc, "error")
}

// isHex32 accepts 32 bytes in hexadecimal digits behind "0x".
func isHex32(text string) bool {
	return len(text) == 66 && strings.HasPrefix(text, "0x") && strings.Trim(text[2:], "0123456789abcdefABCDEF") == ""
}
