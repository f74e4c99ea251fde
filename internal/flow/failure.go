package flow

import (
	"fmt"
	"maps"
	"net/http"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// stepFault is the failure of a step: that of its call, with the place in the flow and what is done so far (AA-16). Sent is
// about the whole run: earlier steps may have had their effect where this one was not sent. details.sent is about this one,
// and so is details.state, which tells whether it may be repeated. People count
// steps from 1; details.step is from 0, as references are.
func (r *runner) stepFault(step int, err error) *fault.Error {
	cause := fault.From(err)
	e := *cause
	name := r.plan.Steps[step].Name
	e.Message = fmt.Sprintf("step %d of %d (%s): %s", step+1, len(r.plan.Steps), cut(name), cause.Error())
	e.Details = maps.Clone(cause.Details)
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Sent = sentOf(err)
	e.Details["step"], e.Details["action"], e.Details["sent"] = step, name, e.Sent
	e.Details["outputs"], e.Details["run"] = r.run.outputs(), r.run.ID
	e.Details["state"] = r.run.Steps[step].State
	if e.Sent == fault.SentNo && r.hadEffect() {
		e.Sent = fault.SentYes
	}
	return &e
}

// hadEffect reports whether a step that is done changed something.
func (r *runner) hadEffect() bool {
	for i := range r.run.Next() {
		if r.plan.Steps[i].Action.Effect != manifest.Read {
			return true
		}
	}
	return false
}

// sentOf tells whether a call that failed was sent. Of an error that is no fault of ours nothing is known.
func sentOf(err error) fault.Sent {
	e, ok := err.(*fault.Error) //nolint:errorlint // one with a wrapper tells less
	switch {
	case !ok:
		return fault.SentUnknown
	case e.Sent == "":
		return fault.SentNo
	}
	return e.Sent
}

// stateAfter is the state of a step whose call failed. It failed for certain when nothing was sent, when it only reads, or
// when the site refused it; a site that broke off, or failed itself, may have done it all the same.
func stateAfter(effect manifest.Effect, err error) State {
	e, sent := fault.From(err), sentOf(err)
	switch {
	case effect == manifest.Read, sent == fault.SentNo:
		return Failed
	case sent == fault.SentUnknown, e.Status >= 500, e.Status == http.StatusRequestTimeout:
		return Unknown
	case e.Status >= 400, e.Kind == fault.Rejected: // an error document may come with any status
		return Failed
	}
	return Unknown
}

// outputLost reports whether a call succeeded and only its answer was too large to read.
func outputLost(err error) bool {
	e := fault.From(err)
	return e.Code == "too_large" && e.Sent == fault.SentYes && e.Status >= 200 && e.Status < 300
}
