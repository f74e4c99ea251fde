package flow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// State is how far one step of a run is.
type State string

// The states of a step. A step that is "started" was sent, or was about to be, by a program that did not live to tell.
const (
	Pending State = "pending"
	Started State = "started"
	Done    State = "done"
	Failed  State = "failed"  // certainly without effect
	Unknown State = "unknown" // it may have had its effect
)

// Run is one run of a flow as it is kept. Its inputs and outputs are whole, secrets included: without them it could not go
// on.
type Run struct {
	Version int             `json:"version"`
	ID      string          `json:"run"`
	Origin  string          `json:"origin"` // of the site
	Format  string          `json:"format"` // in which the site publishes the flow
	Flow    string          `json:"flow"`
	Digest  string          `json:"digest"` // of what the site published about the flow when the run began
	Begun   time.Time       `json:"begun"`
	Changed time.Time       `json:"changed"`
	Inputs  json.RawMessage `json:"inputs"`
	Steps   []StepRun       `json:"steps"`
}

// StepRun is one step of a run.
type StepRun struct {
	Action string          `json:"action"`
	State  State           `json:"state"`
	Output json.RawMessage `json:"output,omitempty"` // of one that is done; nil when it could not be kept
	Code   string          `json:"code,omitempty"`   // of the error that ended it
	Begun  time.Time       `json:"begun,omitzero"`
	Ended  time.Time       `json:"ended,omitzero"`
}

// Next is the number of the first step that is not done; of all steps when the run is complete.
func (r *Run) Next() int {
	for i := range r.Steps {
		if r.Steps[i].State != Done {
			return i
		}
	}
	return len(r.Steps)
}

// values are the inputs of the run.
func (r *Run) values() *manifest.Values {
	values := &manifest.Values{}
	for name, value := range strictjson.Members(jsontext.Value(r.Inputs)) {
		values.Set(name, strictjson.Compact(value))
	}
	return values
}

// outputs are those of the steps that are done, by their numbers. One that could not be kept is null.
func (r *Run) outputs() []json.RawMessage {
	out := []json.RawMessage{}
	for _, step := range r.Steps[:r.Next()] {
		out = append(out, step.value())
	}
	return out
}

func (s *StepRun) value() json.RawMessage {
	if s.Output == nil {
		return json.RawMessage("null")
	}
	return s.Output
}

// outputBytes is the size of all outputs together.
func (r *Run) outputBytes() int {
	sum := 0
	for i := range r.Steps {
		sum += len(r.Steps[i].Output)
	}
	return sum
}

// result is what a complete run comes to (AA-17).
func (r *Run) result() jsontext.Value {
	out := append([]byte(`{"flow":`), strictjson.Quote(r.Flow)...)
	out = append(out, `,"steps":[`...)
	for i := range r.Steps {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, `{"action":`...), strictjson.Quote(r.Steps[i].Action)...)
		out = append(append(out, `,"output":`...), r.Steps[i].value()...)
		out = append(out, '}')
	}
	out = append(append(out, `],"output":`...), r.Steps[len(r.Steps)-1].value()...)
	return append(out, '}')
}

// text is the run as it is written. Strings of outputs keep their spelling.
func (r *Run) text() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(r)
	return out.Bytes(), err
}

// parseRun refuses whatever this program cannot have written.
func parseRun(text []byte, id string) (*Run, error) {
	if !jsontext.Value(text).IsValid() { // no member twice, whatever its depth: outputs are checked below
		return nil, errors.New("it is not valid JSON")
	}
	r := new(Run)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(r); err != nil {
		return nil, err
	}
	switch {
	case r.Version != 1:
		return nil, errors.New("it is none of this version's")
	case r.ID != id:
		return nil, fmt.Errorf("it is the run %q", cut(r.ID))
	case jsontext.Value(r.Inputs).Kind() != '{' || strictjson.Check(r.Inputs) != nil:
		return nil, errors.New("its inputs cannot be")
	case len(r.Steps) == 0 || len(r.Steps) > MaxSteps:
		return nil, errors.New("it has no steps, or too many")
	case r.Begun.IsZero() || r.Changed.IsZero():
		return nil, errors.New("it has no time")
	}
	return r, r.checkSteps()
}

func (r *Run) checkSteps() error {
	next := r.Next()
	for i, step := range r.Steps {
		switch {
		case !slices.Contains([]State{Pending, Started, Done, Failed, Unknown}, step.State):
			return fmt.Errorf("its step %d is %q", i, cut(string(step.State)))
		case i > next && step.State != Pending:
			return fmt.Errorf("its step %d was made before step %d", i, next)
		case step.Output != nil && (step.State != Done || strictjson.Check(step.Output) != nil):
			return fmt.Errorf("the output of its step %d cannot be", i)
		}
	}
	return nil
}

// idLength is how many characters the name of a run has, of 5 random bits each.
const idLength = 10

// validID reports whether a word can be the name of a run. Nothing else may become part of a path.
func validID(id string) bool {
	return len(id) == idLength && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
