package openapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// AppendForm appends the members of an object as an HTML form. A member that is an array repeats its name. encoding says
// how single members are written instead. What holds objects has no form but the one that is said there, and null none at
// all: they become problems.
func AppendForm(out []byte, object jsontext.Value, encoding map[string]Writing) ([]byte, []fault.Problem) {
	var problems []fault.Problem
	for name, value := range jsontree.Parse(object).Members() {
		w, said := encoding[name]
		if !said {
			w = Writing{Style: Form, Explode: true}
		}
		ok := said || value.Kind != '{'
		if ok {
			out, ok = w.appendPairs(out, name, value.Value())
		}
		if !ok {
			problems = append(problems, badValue(name, "cannot be put into a form"))
		}
	}
	return out, problems
}

// spelledOut returns the object of a form with those members as JSON text that hold objects and have no style: so OpenAPI
// wants them ("contentType" of the Encoding Object).
func spelledOut(object jsontext.Value, encoding map[string]Writing) jsontext.Value {
	root, changed := jsontree.Parse(object), false
	for i, item := range root.Items {
		if _, said := encoding[root.Names[i]]; said {
			continue
		}
		if item.Kind == '{' {
			root.Items[i], changed = jsontree.String(string(item.Value())), true
		}
		if item.Kind != '[' {
			continue
		}
		for j, inner := range item.Items {
			if inner.Kind == '{' || inner.Kind == '[' {
				item.Items[j], changed = jsontree.String(string(inner.Value())), true
			}
		}
	}
	if !changed {
		return object
	}
	return root.Value()
}
