package openapi

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// followed is what a reference leads to, through others: a value, or the code and the words for why there is none.
type followed struct {
	value         jsontext.Value
	code, message string
}

// follow follows the references from a value, which stands at pointer, to what is none.
func (d *reader) follow(value jsontext.Value, pointer string) (jsontext.Value, *Error) {
	ref, ok := refOf(value)
	if !ok {
		return value, nil
	}
	end, known := d.followed[ref]
	if !known {
		end = d.lead(ref)
		d.followed[ref] = end
	}
	if end.message != "" {
		return nil, &Error{end.code, pointer, end.message}
	}
	return end.value, nil
}

func (d *reader) lead(ref string) followed {
	for range MaxReferences {
		target, err := LocalPointer(ref)
		if err != nil {
			return followed{code: CodeRemoteRef, message: err.Error()}
		}
		value := d.at(target)
		if value == nil {
			return followed{code: CodeMissingRef, message: fmt.Sprintf("the reference %q leads nowhere", fault.Word(ref))}
		}
		next, more := refOf(value)
		if !more {
			return followed{value: value}
		}
		ref = next
	}
	return followed{code: CodeCircular, message: "too many references follow one on another"}
}

// answer is what is known of the answers to an operation.
type answer struct {
	types []string // media types of those that tell of success
	link  bool     // a header Link is named, or the answer is an array: it may go on behind one
}

// answersTo reads what the Responses Object says.
func (d *reader) answersTo(responses jsontext.Value) answer {
	var out answer
	for status, response := range strictjson.SharedMembers(responses) {
		if !strings.HasPrefix(status, "2") && status != "default" {
			continue
		}
		a := d.answerOf(response)
		out.link = out.link || a.link
		if status != "default" {
			out.types = append(out.types, a.types...)
		}
	}
	return out
}

func (d *reader) answerOf(response jsontext.Value) answer {
	ref, elsewhere := refOf(response)
	if a, known := d.answers[ref]; elsewhere && known {
		return a
	}
	a := answer{}
	response, _ = d.follow(response, "")
	for name, value := range strictjson.SharedMembers(response) {
		switch name {
		case "headers":
			for header := range strictjson.SharedMembers(value) {
				a.link = a.link || strings.EqualFold(header, "Link")
			}
		case "content":
			for mediaType, content := range strictjson.SharedMembers(value) {
				a.types = append(a.types, mediaType)
				a.link = a.link || d.isList(content)
			}
		}
	}
	if elsewhere {
		d.answers[ref] = a
	}
	return a
}

// isList reports whether the schema of an answer is that of an array.
func (d *reader) isList(content jsontext.Value) bool {
	schema := member(content, "schema")
	ref, elsewhere := refOf(schema)
	if is, known := d.lists[ref]; elsewhere && known {
		return is
	}
	schema, _ = d.follow(schema, "")
	is := texts(schema, "type")["type"] == "array"
	if elsewhere {
		d.lists[ref] = is
	}
	return is
}
