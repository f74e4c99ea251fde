package cli

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/agentctl/agentctl/internal/audit"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
)

func TestOutcomeOf(t *testing.T) {
	reset := &fault.Error{Kind: fault.Unavailable, Code: "connection_reset", Sent: fault.SentUnknown}
	for name, row := range map[string]struct {
		result *call.Result
		err    error
		want   audit.Outcome
		text   string
	}{
		"an answer":            {&call.Result{Status: 201}, nil, audit.Outcome{Status: 201, Sent: "yes"}, "done (201 Created)"},
		"an error of the site": {nil, &fault.Error{Kind: fault.Rejected, Code: "SOLD_OUT", Status: 409, Sent: fault.SentYes}, audit.Outcome{Status: 409, Kind: "rejected", Code: "SOLD_OUT", Sent: "yes"}, "rejected SOLD_OUT (409)"},
		"a reset":              {nil, reset, audit.Outcome{Kind: "unavailable", Code: "connection_reset", Sent: "unknown"}, "unknown: unavailable connection_reset"},
		"no connection":        {nil, &fault.Error{Kind: fault.Unavailable, Code: "connect_failed"}, audit.Outcome{Kind: "unavailable", Code: "connect_failed", Sent: "no"}, "not sent: unavailable connect_failed"},
		"Ctrl-C":               {nil, &fault.Error{Kind: fault.Interrupted, Code: "interrupted", Sent: fault.SentUnknown}, audit.Outcome{Kind: "interrupted", Code: "interrupted", Sent: "unknown"}, "unknown: interrupted"},
		"a bare cancellation":  {nil, context.Canceled, audit.Outcome{Kind: "interrupted", Sent: "unknown"}, "unknown: interrupted"},
		"a fault in a wrapper": {nil, fmt.Errorf("x: %w", reset), audit.Outcome{Kind: "unavailable", Sent: "unknown"}, "unknown: unavailable"},
		"anything else":        {nil, errors.New("x"), audit.Outcome{Kind: "internal", Sent: "unknown"}, "unknown: internal"},
	} {
		t.Run(name, func(t *testing.T) {
			got := outcomeOf(row.result, row.err)
			if !reflect.DeepEqual(got, row.want) || outcomeText(&got) != row.text {
				t.Errorf("got %+v (%s), want %+v (%s)", got, outcomeText(&got), row.want, row.text)
			}
		})
	}
}
