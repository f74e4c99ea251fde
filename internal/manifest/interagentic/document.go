package interagentic

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// open checks a document as a whole and returns a reader that stands before its one object.
func open(doc []byte, limit int) (*reader, error) {
	if len(doc) > limit {
		return nil, fault.New(fault.Manifest, "too_large", "the document is larger than %d bytes", limit)
	}
	if err := strictjson.Check(doc); err != nil {
		return nil, invalid(doc, err)
	}
	r := newReader(doc)
	if r.d.PeekKind() != '{' {
		return nil, fault.New(fault.Manifest, "wrong_type", "the document must be an object")
	}
	return r, nil
}

func invalid(doc []byte, err error) *fault.Error {
	e := &fault.Error{Kind: fault.Manifest, Code: invalidCode(doc), Message: err.Error(), Err: err}
	if at, ok := errors.AsType[*strictjson.Error](err); ok {
		e.Details = map[string]any{"pointer": at.Pointer, "offset": at.Offset}
	}
	return e
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
