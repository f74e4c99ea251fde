package manifest

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// CheckObject checks a published document as a whole: one JSON object of at most limit bytes, as [strictjson.Check] has it.
// what names the document. Its error is a [*fault.Error] of kind [fault.Manifest] with the code too_large, not_json, too_deep,
// duplicate_member or wrong_type.
func CheckObject(doc []byte, limit int, what string) error {
	if len(doc) > limit {
		return fault.New(fault.Manifest, "too_large", "the %s is larger than %d bytes", what, limit)
	}
	if err := strictjson.Check(doc); err != nil {
		e := &fault.Error{Kind: fault.Manifest, Code: invalidCode(doc), Message: err.Error(), Err: err}
		if at, ok := errors.AsType[*strictjson.Error](err); ok {
			e.Details = map[string]any{"pointer": at.Pointer, "offset": at.Offset}
		}
		return e
	}
	if jsontext.Value(doc).Kind() != '{' {
		return fault.New(fault.Manifest, "wrong_type", "the %s must be an object", what)
	}
	return nil
}

// invalidCode finds the reason why a document was refused.
func invalidCode(doc []byte) string {
	d := jsontext.NewDecoder(bytes.NewBuffer(doc))
	for {
		_, err := d.ReadToken()
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return "duplicate_member"
		case err != nil:
			return "not_json"
		case d.StackDepth() > strictjson.MaxDepth:
			return "too_deep"
		}
	}
}
