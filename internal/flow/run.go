package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Runner runs plans.
type Runner struct {
	Store  *Store
	Origin string // of the site that publishes the flow
	Format string // in which it does

	// Do makes one call and returns the body of its answer, of which it need not read more than [MaxOutput]+1 bytes. It asks
	// for approval, and must call Sending right before it sends. Its error is best a [*fault.Error] whose Sent is true.
	Do func(ctx context.Context, call StepCall) (body []byte, err error)

	Started  func(call StepCall)                                          // before a step's call; may be nil
	Finished func(call StepCall, output jsontext.Value, err *fault.Error) // after it; may be nil

	// NotKept is told by Resume of each step that is done and whose output, which was too large to keep, is null from now on.
	// It may be nil.
	NotKept func(step int, name string)
}

// StepCall is one step with its real values.
type StepCall struct {
	Step   int // from 0
	Steps  int // how many the flow has
	Name   string
	Action *manifest.Action
	Input  jsontext.Value   // the whole input, valid by the action's schema
	Values *manifest.Values // its members

	// Sending keeps on the disk that the step is sent from now on. When it fails nothing may be sent.
	Sending func() error
}

// Run runs a flow from its beginning and returns its result, {"flow","steps":[{"action","output"}],"output"} (AA-17). The
// inputs must be those of the plan's Params; they are checked. A run that fails is kept, and its [*fault.Error] tells the
// step, what is done and the name of the run (AA-16).
func (r *Runner) Run(ctx context.Context, p *Plan, inputs *manifest.Values) (jsontext.Value, error) {
	if problems := p.Check(inputs); problems != nil {
		return nil, invalid(p, problems)
	}
	object := inputs.Object()
	if len(object) > maxInputs {
		return nil, fault.New(fault.Usage, "inputs_too_large", "the inputs are larger than %d MiB", maxInputs>>20)
	}
	run := Run{Origin: r.Origin, Format: r.Format, Flow: p.Name, Digest: p.digest, Inputs: json.RawMessage(object)}
	for _, step := range p.Steps {
		run.Steps = append(run.Steps, StepRun{Action: step.Name, State: Pending})
	}
	h, err := r.Store.begin(run)
	if err != nil {
		return nil, err
	}
	return r.start(ctx, p, h)
}

// Resume goes on with a run after its last completed step (AA-16). A step of which nobody knows whether it was done is
// done again only with repeatStep.
func (r *Runner) Resume(ctx context.Context, p *Plan, id string, repeatStep bool) (jsontext.Value, error) {
	h, err := r.Store.resume(id)
	if err != nil {
		return nil, err
	}
	if err := r.mayResume(p, h.Run, repeatStep); err != nil {
		h.release()
		return nil, err
	}
	for i := range h.Next() {
		if h.Steps[i].Output == nil && r.NotKept != nil {
			r.NotKept(i, p.Steps[i].Name)
		}
	}
	return r.start(ctx, p, h)
}

func (r *Runner) mayResume(p *Plan, run *Run, repeatStep bool) error {
	next := run.Next()
	switch {
	case run.Origin != r.Origin || run.Format != r.Format || run.Flow != p.Name:
		return fault.New(fault.Usage, "run_mismatch", "the run %s is of the flow %q of %s (%s)", run.ID, cut(run.Flow), run.Origin, run.Format)
	case run.Digest != p.digest || len(run.Steps) != len(p.Steps):
		return fault.New(fault.Manifest, "flow_changed", "the site changed the flow %q, or one of its actions, since the run %s began", cut(p.Name), run.ID).
			WithHint("start the flow anew, after checking what the run has done: its outputs are in %s", r.Store.path(run.ID))
	case next == len(run.Steps):
		return nil // it only could not be removed
	}
	switch run.Steps[next].State {
	case Started, Unknown:
		if p.Steps[next].Action.Effect != manifest.Read && !repeatStep {
			e := fault.New(fault.Usage, "step_unknown", "nobody knows whether step %d of %d (%s) had its effect", next+1, len(p.Steps), cut(p.Steps[next].Name)).
				WithHint("check with the site; add --repeat-step to send the step again")
			e.Details = map[string]any{"state": Unknown, "step": next, "action": p.Steps[next].Name, "outputs": run.outputs(), "run": run.ID}
			return e
		}
	case Pending, Failed, Done:
	}
	return nil
}

func invalid(p *Plan, problems []fault.Problem) error {
	e := fault.New(fault.Usage, "invalid_arguments", "the inputs of the flow %q are not valid", cut(p.Name))
	for _, problem := range problems {
		if problem.Param == "" { // no input can mend that
			e = fault.New(fault.Manifest, "flow_invalid", "the flow %q cannot be used", cut(p.Name))
		}
	}
	e.Problems = problems
	return e
}

// runner is one run while it is made.
type runner struct {
	*Runner
	plan   *Plan
	run    *held
	inputs *manifest.Values

	doubtful bool // an earlier try of the current step may have had its effect
}

func (r *Runner) start(ctx context.Context, p *Plan, h *held) (jsontext.Value, error) {
	each := &runner{Runner: r, plan: p, run: h, inputs: h.values()}
	for i := h.Next(); i < len(p.Steps); i++ {
		each.doubtful = h.Steps[i].State == Started || h.Steps[i].State == Unknown
		if err := each.step(ctx, i); err != nil {
			h.release()
			return nil, err
		}
	}
	if h.forget() != nil { // a file that stays has to tell that all is done
		_ = h.save()
		h.release()
	}
	return h.result(), nil
}

// step makes one step. Its error is whole.
func (r *runner) step(ctx context.Context, i int) error {
	call, err := r.call(ctx, i)
	if err != nil {
		return r.failed(i, err, Failed)
	}
	sending := false
	call.Sending = func() error {
		sending = true
		return r.sending(i)
	}
	if r.Started != nil {
		r.Started(call)
	}
	body, err := r.Do(ctx, call)
	if !sending && (err == nil || sentOf(err) != fault.SentNo) {
		err = errors.Join(err, errors.New("the call was sent without keeping so"))
		err = &fault.Error{Kind: fault.Internal, Code: "internal", Sent: fault.SentUnknown, Err: err}
	}
	value, failure := r.ended(i, body, err)
	if r.Finished != nil {
		r.Finished(call, value, failure)
	}
	if failure != nil {
		return failure
	}
	return nil
}

// call puts a step's input together and validates it, now that it is known.
func (r *runner) call(ctx context.Context, i int) (StepCall, error) {
	s := &r.plan.Steps[i]
	call := StepCall{Step: i, Steps: len(r.plan.Steps), Name: s.Name, Action: s.Action, Values: &manifest.Values{}}
	var problems []fault.Problem
	input, err := s.with.value(func(ref *reference) (jsontext.Value, error) {
		if err := ctx.Err(); err != nil { // many references into a large output take long
			return nil, err
		}
		return r.find(ref)
	})
	if cancelled := ctx.Err(); cancelled != nil {
		return call, fault.From(cancelled)
	}
	if err != nil {
		problems = []fault.Problem{s.about(i, s.resolving(err))}
	} else {
		for _, problem := range checkBy(s.set, input) {
			problems = append(problems, s.about(i, problem))
		}
	}
	if problems != nil {
		e := fault.New(fault.Manifest, "step_input_invalid", "with the outputs before it the step has no valid input")
		e.Problems = problems
		return call, e
	}
	call.Input = input
	for name, value := range strictjson.Members(input) {
		call.Values.Set(name, value)
	}
	return call, nil
}

// find is the lookup of a run.
func (r *runner) find(ref *reference) (jsontext.Value, error) {
	if ref.step == fromInput {
		return fromInputs(r.inputs, ref)
	}
	output := r.run.Steps[ref.step].Output
	if output == nil {
		return nil, &referenceError{ref, errNotKept}
	}
	return picked(jsontext.Value(output), ref)
}

// sending keeps that a step is sent. A step that only reads may be repeated whatever became of it.
func (r *runner) sending(i int) error {
	step := &r.run.Steps[i]
	step.Begun = r.Store.Now().UTC()
	if r.plan.Steps[i].Action.Effect == manifest.Read {
		return nil
	}
	step.State, step.Code, step.Ended = Started, "", time.Time{}
	return r.run.saveForSure()
}

// codeNotKept is the code of a step that was done, but whose output is too large to be kept.
const codeNotKept = "output_not_kept"

// ended keeps what became of a step's call.
func (r *runner) ended(i int, body []byte, err error) (jsontext.Value, *fault.Error) {
	if err != nil && !outputLost(err) {
		return nil, r.failed(i, err, stateAfter(r.plan.Steps[i].Action.Effect, err))
	}
	step := &r.run.Steps[i]
	var value jsontext.Value
	if err == nil {
		value, err = output(body, maxOutputs-r.run.outputBytes())
	}
	if err != nil && r.plan.Steps[i].Action.Effect == manifest.Read { // it may be read again, and must not be null for those behind it
		e := fault.New(fault.Unavailable, codeNotKept, "its output cannot be kept: %w", err)
		e.Sent = fault.SentYes
		return nil, r.failed(i, e, Failed)
	}
	step.State, step.Output, step.Code, step.Ended = Done, json.RawMessage(value), "", r.Store.Now().UTC()
	var saved error
	if err != nil || i+1 < len(r.run.Steps) { // the file of a complete run is about to go
		save := r.run.save
		if r.plan.Steps[i].Action.Effect == manifest.Read {
			save = r.run.saveSoon
		}
		saved = save()
	}
	switch {
	case err != nil:
		e := fault.New(fault.Unavailable, codeNotKept, "it was done, but its output cannot be kept: %w", err)
		e.Sent = fault.SentYes
		return nil, r.withoutRun(r.stepFault(i, e), saved)
	case saved != nil:
		e := fault.From(saved)
		e.Sent = fault.SentYes
		return value, r.withoutRun(r.stepFault(i, e), saved)
	}
	return value, nil
}

// failed keeps that a step failed, and returns the fault that ends the run. What an earlier try left in doubt, no later
// failure makes certain.
func (r *runner) failed(i int, err error, state State) *fault.Error {
	step := &r.run.Steps[i]
	if r.doubtful {
		state = Unknown
	}
	step.State, step.Code, step.Ended = state, fault.From(err).Code, r.Store.Now().UTC()
	return r.withoutRun(r.stepFault(i, err), r.run.save())
}

// withoutRun takes the name of a run that could not be kept out of its fault.
func (r *runner) withoutRun(e *fault.Error, saved error) *fault.Error {
	if saved == nil {
		return e
	}
	if !strings.Contains(e.Message, saved.Error()) {
		e.Message = fmt.Sprintf("%s (%v)", e.Message, saved)
	}
	delete(e.Details, "run")
	return e
}
