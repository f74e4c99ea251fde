package strictjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// With sets a member of a JSON object, and leaves the others as they are and where they are; a new one comes last. What is
// no object counts as an empty one.
func With(object jsontext.Value, name string, value jsontext.Value) jsontext.Value {
	var out bytes.Buffer
	out.WriteByte('{')
	found := false
	add := func(name string, value jsontext.Value) {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(Quote(name))
		out.WriteByte(':')
		out.Write(value)
	}
	if object.Kind() == '{' {
		for n, v := range Members(object) {
			if n == name {
				v, found = value, true
			}
			add(n, v)
		}
	}
	if !found {
		add(name, value)
	}
	out.WriteByte('}')
	return out.Bytes()
}
