package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

const addToCart = `{"type":"object","required":["product_id","quantity"],"properties":{
	"product_id":{"type":"string"},
	"quantity":{"type":"integer","minimum":1,"maximum":20,"title":"Quantity","description":"how many","examples":[2]}}}`

// catalog is what a shop publishes: an action's effect and input schema by its name.
type catalog map[string][2]string

func shop() catalog {
	return catalog{
		"search_products": {"read", `{"type":"object","required":["query"],"properties":{"query":{"type":"string","minLength":2},"page":{"type":"integer"}}}`},
		"add_to_cart":     {"write", addToCart},
		"checkout":        {"spend", `{"type":"object","required":["cart_id"],"properties":{"cart_id":{"type":"string"},"note":{"type":"string"}},"additionalProperties":false}`},
	}
}

func (c catalog) lookup(name string) (*manifest.Action, error) {
	entry, ok := c[name]
	if !ok {
		return nil, fmt.Errorf("there is no action %q", name)
	}
	a := &manifest.Action{Input: jsontext.Value(entry[1])}
	a.Command, a.Effect = []string{name}, manifest.Effect(entry[0])
	if entry[1] == "" {
		a.Input = nil
	}
	return a, nil
}

// buyProduct is the flow that the draft publishes.
const buyProduct = `[
	{"action":"search_products","with":{"query":"$input.query"}},
	{"action":"add_to_cart","with":{"product_id":"$steps.0.items.0.id","quantity":"$input.quantity"}},
	{"action":"checkout","with":{"cart_id":"$steps.1.cart_id"}}]`

func flowOf(t testing.TB, steps string) manifest.Flow {
	t.Helper()
	f := manifest.Flow{Name: "buy_product"}
	if err := json.Unmarshal([]byte(steps), &f.Steps); err != nil {
		t.Fatal(err)
	}
	return f
}

func planOf(t testing.TB, steps string, c catalog) *Plan {
	t.Helper()
	p, err := Compile(flowOf(t, steps), c.lookup)
	if err != nil {
		t.Fatalf("%v: %+v", err, fault.From(err).Problems)
	}
	return p
}

func valuesOf(object string) *manifest.Values {
	v := &manifest.Values{}
	for name, value := range strictjson.Members(jsontext.Value(object)) {
		v.Set(name, strictjson.Compact(value))
	}
	return v
}

func wantFault(t testing.TB, err error, kind fault.Kind, code string) *fault.Error {
	t.Helper()
	e := fault.From(err)
	if e == nil || e.Kind != kind || e.Code != code {
		t.Fatalf("got %v (%+v), want %s %s", err, e, kind, code)
	}
	return e
}

// lines shows problems one a line: what they are about, and their keyword.
func lines(problems []fault.Problem) string {
	var out []string
	for _, p := range problems {
		out = append(out, strings.TrimSpace(p.Param+" "+p.Pointer+" "+p.Keyword))
	}
	return strings.Join(out, "\n")
}

func noon() time.Time { return time.Date(2027, 3, 15, 12, 0, 0, 0, time.UTC) }

// site answers calls, and counts them.
type site struct {
	answers map[string]string // the body by action
	errors  map[string]error  // in place of an answer
	inputs  []string          // of all that was sent, behind the action's name
	events  []string
}

func newSite() *site {
	return &site{
		answers: map[string]string{
			"search_products": `{"items":[{"id":"p1","price":12345678901234567890}]}`,
			"add_to_cart":     `{ "cart_id": "c<1>" }`,
			"checkout":        `{"order_id":"o1","total":9.90}`,
		},
		errors: map[string]error{},
	}
}

func (s *site) do(_ context.Context, call StepCall) ([]byte, error) {
	err := s.errors[call.Name]
	if err != nil && sentOf(err) == fault.SentNo {
		return nil, err
	}
	if err := call.Sending(); err != nil {
		return nil, err
	}
	s.inputs = append(s.inputs, call.Name+string(call.Input))
	return []byte(s.answers[call.Name]), err
}

func (s *site) runner(dir string) *Runner {
	return &Runner{
		Store: &Store{Dir: filepath.Join(dir, "flows"), Now: noon}, Origin: "https://shop.example", Format: "agent-actions", Do: s.do,
		Started: func(call StepCall) { s.events = append(s.events, "started "+call.Name) },
		Finished: func(call StepCall, output jsontext.Value, err *fault.Error) {
			s.events = append(s.events, fmt.Sprintf("finished %s %s %v", call.Name, output, err != nil))
		},
	}
}

// refused is the site's own error for a call.
func refused(status int, code string) *fault.Error {
	return &fault.Error{Kind: fault.Rejected, Code: code, Message: "no", Status: status, Sent: fault.SentYes, RetryAfter: 7, Details: map[string]any{"left": 3}}
}

var errCut = errors.New("the connection broke")
