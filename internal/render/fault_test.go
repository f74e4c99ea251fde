package render

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestFault(t *testing.T) {
	const start = `{"error":{"kind":`
	for name, test := range map[string]struct {
		e           *fault.Error
		human, json string
	}{
		"a message": {
			&fault.Error{Kind: fault.Internal, Message: "it broke"},
			"error: it broke\n",
			start + `"internal","code":"internal","message":"it broke","sent":"no"}}` + "\n",
		},
		"everything, in the order of the contract": {
			&fault.Error{
				Kind: fault.Usage, Code: "invalid_arguments", Message: "2 arguments are wrong", Hint: "agentctl popcorn.club orders create --help",
				Site: "popcorn.club", Command: []string{"orders", "create"}, Status: 422, RetryAfter: 30, Sent: fault.SentUnknown,
				Problems: []fault.Problem{
					{Param: "qty", Pointer: "/qty", Keyword: "minimum", Message: "must be at least 1"},
					{Param: "address", Pointer: "/address/a~1b/0", Message: "is too long"},
					{Pointer: "", Message: "unexpected input"},
				},
				Details: map[string]any{"b": jsontext.Value(`{"z":0.1000,"a":1}`), "a": "<x>"},
			},
			"error: 2 arguments are wrong\n  --qty must be at least 1\n  --address.a/b.0 is too long\n  unexpected input\n" +
				"hint: agentctl popcorn.club orders create --help\n",
			start + `"usage","code":"invalid_arguments","message":"2 arguments are wrong","hint":"agentctl popcorn.club orders create --help",` +
				`"site":"popcorn.club","command":["orders","create"],"problems":[{"param":"qty","pointer":"/qty","keyword":"minimum",` +
				`"message":"must be at least 1"},{"param":"address","pointer":"/address/a~1b/0","message":"is too long"},` +
				`{"message":"unexpected input"}],"status":422,"retry_after":30,"sent":"unknown","details":{"a":"<x>","b":{"z":0.1000,"a":1}}}}` + "\n",
		},
		"a site's own code is part of what a person is told": {
			&fault.Error{Kind: fault.Rejected, Code: "TEA\x1b[m", Message: "no coffee", Status: 418, Sent: fault.SentYes},
			"error: no coffee (TEA)\n",
			start + `"rejected","code":"TEA\u001b[m","message":"no coffee","status":418,"sent":"yes"}}` + "\n",
		},
		"a code that the message has is not repeated": {
			&fault.Error{Kind: fault.Rejected, Code: "TEA", Message: "TEA", Status: 418, Sent: fault.SentYes},
			"error: TEA\n",
			start + `"rejected","code":"TEA","message":"TEA","status":418,"sent":"yes"}}` + "\n",
		},
		"a status is no code of a site": {
			&fault.Error{Kind: fault.Rejected, Code: "http_404", Message: "404 Not Found", Status: 404, Sent: fault.SentYes},
			"error: 404 Not Found\n",
			start + `"rejected","code":"http_404","message":"404 Not Found","status":404,"sent":"yes"}}` + "\n",
		},
		"a site's text is cleaned": {
			&fault.Error{Kind: fault.Rejected, Code: "x\x1b[2J", Message: "no\x1b[31m\u202e\nerror: fake", Hint: "a\x07", Problems: []fault.Problem{{Param: "q\x1b[m", Message: "m\r"}}},
			"error: no\ufffd error: fake\n  --q m\ufffd\nhint: a\ufffd\n",
			start + `"rejected","code":"x\u001b[2J","message":"no\u001b[31m\u202e\nerror: fake","hint":"a\u0007","problems":[{"param":"q\u001b[m","message":"m\r"}],"sent":"no"}}` + "\n",
		},
		"details that are no JSON cost only themselves": {
			&fault.Error{Kind: fault.Internal, Message: "x", Details: map[string]any{"n": math.NaN()}},
			"error: x\n",
			start + `"internal","code":"internal","message":"x","sent":"no"}}` + "\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, out, errs := pipe()
			Fault(s, test.e, false)
			if errs.String() != test.human {
				t.Errorf("got\n%swant\n%s", errs, test.human)
			}
			errs.Reset()
			Fault(s, test.e, true)
			if errs.String() != test.json {
				t.Errorf("got\n%swant\n%s", errs, test.json)
			}
			if !json.Valid(errs.Bytes()) || out.Len() > 0 {
				t.Errorf("not JSON, or on the wrong stream: %q", out)
			}
		})
	}
}

func TestFaultInColour(t *testing.T) {
	s, _, errs := screen()
	s.ErrColor = true
	Fault(s, fault.New(fault.Usage, "x", "bad").WithHint("try"), false)
	if want := "\x1b[1;31merror:\x1b[0m bad\n\x1b[36mhint:\x1b[0m try\n"; errs.String() != want {
		t.Errorf("got %q, want %q", errs, want)
	}
}
