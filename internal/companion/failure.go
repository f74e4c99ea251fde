package companion

import (
	"encoding/json"

	"github.com/agentctl/agentctl/internal/fault"
)

// Failure is a fault on its way from one program to the other. Causes, problems, site and command stay behind.
type Failure struct {
	Kind       fault.Kind                 `json:"kind"`
	Code       string                     `json:"code"`
	Message    string                     `json:"message"`
	Hint       string                     `json:"hint,omitempty"`
	Status     int                        `json:"status,omitempty"`
	RetryAfter int                        `json:"retry_after,omitempty"` // seconds
	Sent       fault.Sent                 `json:"sent,omitempty"`
	Details    map[string]json.RawMessage `json:"details,omitempty"`
}

// FailureOf returns an error as a failure, and nil for nil.
func FailureOf(err error) *Failure {
	e := fault.From(err)
	if e == nil {
		return nil
	}
	f := &Failure{
		Kind: e.Kind, Code: e.Code, Message: e.Error(), Hint: e.Hint, Status: e.Status, RetryAfter: e.RetryAfter, Sent: e.Sent,
	}
	for name, value := range e.Details {
		if raw, err := json.Marshal(value); err == nil {
			if f.Details == nil {
				f.Details = map[string]json.RawMessage{}
			}
			f.Details[name] = raw
		}
	}
	return f
}

// Fault is the fault on the other side.
func (f *Failure) Fault() *fault.Error {
	e := &fault.Error{
		Kind: f.Kind, Code: f.Code, Message: f.Message, Hint: f.Hint, Status: f.Status, RetryAfter: f.RetryAfter, Sent: f.Sent,
	}
	for name, raw := range f.Details {
		if e.Details == nil {
			e.Details = map[string]any{}
		}
		e.Details[name] = raw
	}
	return e
}
