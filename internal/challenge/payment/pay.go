package payment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/program"
	"github.com/agentctl/agentctl/internal/strictjson"
)

const (
	payerDeclined = 10       // the exit status of a payer that will not pay (CH-16)
	maxPayerWord  = 1000     // bytes of what a payer says that are shown
	maxValueBytes = 48 << 10 // of the header that is sent
)

// payerRequest is what a payer is told (CH-17).
type payerRequest struct {
	Version   string          `json:"agentctl_payer"`
	Protocol  string          `json:"protocol"`
	X402      int             `json:"x402_version,omitempty"`
	Request   paidRequest     `json:"request"`
	Challenge any             `json:"challenge,omitempty"` // MPP: the parameters as they came
	Decoded   jsontext.Value  `json:"decoded,omitempty"`   // MPP: the request of the challenge
	Required  jsontext.Value  `json:"required,omitempty"`  // x402: all that the site wants
	Chosen    jsontext.Value  `json:"chosen,omitempty"`    // x402: one element of its accepts, unchanged
	Extension jsontext.Value  `json:"extensions,omitempty"`
	Approved  approvedPayment `json:"approved"`
}

type paidRequest struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Body   string `json:"body_sha256"` // of the bytes that are sent, in hex
}

type approvedPayment struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
	Payee    string `json:"payee,omitempty"`
	Network  string `json:"network,omitempty"`
}

// pay asks a payer, and returns the value of the header (CH-16 to CH-19).
func (p *Protocol) pay(ctx context.Context, payer Payer, d *demand) (string, error) {
	request := d.request()
	request.Version, request.Protocol, request.Request = "1", d.Protocol, paidRequest{d.Method, d.URL, bodySum(d.Body)}
	request.Approved = approvedPayment{d.Amount, d.Asset, d.Payee, d.Network}
	input, err := json.Marshal(request)
	if err != nil {
		return "", err
	}
	said, err := program.Run(ctx, program.Command{
		Argv: payer.Command, Environ: p.Environ(), Input: append(input, '\n'), Limit: payer.Timeout, Alone: true,
	})
	if err != nil {
		return "", payerFailed(payer, said, err)
	}
	if words := oneLine(said.Err); words != "" {
		p.Tell(payer.Name + ": " + words)
	}
	value, err := d.read(said.Out, p)
	if err != nil {
		e := fault.New(fault.Payment, "payer_answer_invalid", "what the payer %q returned is not for this payment, so nothing was sent: %w", payer.Name, err)
		return "", e
	}
	return value, nil
}

func payerFailed(payer Payer, said program.Output, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	e := fault.New(fault.Payment, "payer_failed", "the payer %q failed: %w; nothing was sent", payer.Name, err)
	if status, ok := program.Exit(err); ok && status == payerDeclined {
		e = fault.New(fault.Payment, "payer_declined", "the payer %q declined; nothing was sent", payer.Name)
	}
	if words := oneLine(said.Err); words != "" {
		e.Message += ": " + words
	}
	return e
}

// oneLine is as much as is shown of what a payer says. Whoever prints it cleans it.
func oneLine(text string) string {
	return fault.Cut(strings.Join(strings.Fields(text), " "), maxPayerWord)
}

// read makes the header's value of a payer's answer: a header that is ready made, or a proof that goes into one (CH-18). It
// is checked either way (CH-19).
func (d *demand) read(answer []byte, p *Protocol) (string, error) {
	answer = bytes.TrimSpace(answer)
	if len(answer) == 0 || answer[0] != '{' || strictjson.Check(answer) != nil || depth(answer) > maxDepth {
		return "", errors.New("it is not one JSON object")
	}
	header, ready := strictjson.Member(answer, "header")
	payload, bare := strictjson.Member(answer, "payload")
	switch {
	case ready == bare:
		return "", errors.New(`it must have either "header" or "payload"`)
	case bare && payload.Kind() != '{':
		return "", errors.New("its payload is no object")
	case bare:
		if err := d.payload(payload, p.Now()); err != nil {
			return "", err
		}
		source, _ := strictjson.Member(answer, "source")
		if source != nil && source.Kind() != '"' {
			return "", errors.New("its source is no text")
		}
		value := d.build(payload, source)
		if len(value) > maxValueBytes {
			return "", errors.New("its payload is too large for a header")
		}
		return value, d.check(value, p.Now())
	}
	name, _ := strictjson.Member(header, "name")
	text, _ := strictjson.Member(header, "value")
	field, _ := strictjson.String(name)
	value, _ := strictjson.String(text)
	if !strings.EqualFold(field, d.field) {
		return "", errors.New("its header is not " + d.field)
	}
	value, found := cutPrefixFold(value, d.prefix)
	if !found || len(value) > maxValueBytes || strings.ContainsAny(value, " ,\t\r\n") {
		return "", errors.New("the value of its header is none of " + strings.TrimSpace(d.prefix+d.Protocol))
	}
	return value, d.check(value, p.Now())
}

func cutPrefixFold(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}
