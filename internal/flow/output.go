package flow

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// Limits of what is kept of the answers to a run's calls.
const (
	MaxOutput  = 10 << 20 // bytes of one; who makes the calls need not read more than one byte beyond
	maxOutputs = 64 << 20 // of all together
	maxText    = 1 << 20  // of one that is no JSON
)

// output makes a step's output of the body of its answer. JSON stays as it is, less white space. An empty body is null;
// text that is no JSON becomes a string; other bytes, and text of more than 1 MiB, are null, as nothing could refer to
// them. The error says why an output cannot be kept: the step is done all the same.
func output(body []byte, left int) (jsontext.Value, error) {
	if len(body) > min(MaxOutput, left) {
		return nil, fmt.Errorf("it is larger than %d MiB, or all outputs than %d MiB", MaxOutput>>20, maxOutputs>>20)
	}
	err := strictjson.Check(body)
	switch {
	case err == nil:
		return strictjson.Compact(body), nil
	case len(bytes.TrimSpace(body)) == 0:
		return jsontext.Value("null"), nil
	case jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true)):
		return nil, err
	case len(body) > maxText || !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0:
		return jsontext.Value("null"), nil
	}
	return strictjson.Quote(string(body)), nil
}

// errNotKept is the error of a reference to an output that could not be kept.
var errNotKept = errors.New("the output of that step could not be kept")
