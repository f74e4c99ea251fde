package companion

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestAFaultCrossesThePipe(t *testing.T) {
	cause := &fault.Error{
		Kind: fault.Rejected, Code: "mcp_error", Message: "bad", Hint: "try", Status: 400, RetryAfter: 7, Sent: fault.SentUnknown,
		Details: map[string]any{"data": json.RawMessage(`{"n":1.50}`), "no JSON": func() {}},
	}
	text, err := json.Marshal(FailureOf(fmt.Errorf("on the way: %w", cause)))
	if err != nil {
		t.Fatal(err)
	}
	var failure Failure
	if err := json.Unmarshal(text, &failure); err != nil {
		t.Fatal(err)
	}
	e := failure.Fault()
	if details, err := json.Marshal(e.Details); err != nil || string(details) != `{"data":{"n":1.50}}` {
		t.Errorf("details %s, %v", details, err)
	}
	if e.Kind != cause.Kind || e.Code != cause.Code || e.Message != "on the way: bad" || e.Hint != "try" || e.Status != 400 || e.RetryAfter != 7 || e.Sent != cause.Sent {
		t.Errorf("got %+v", e)
	}
	if FailureOf(nil) != nil {
		t.Error("no error is a failure")
	}
}
