package manifest

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Values are the arguments of one call, checked and typed: raw compact JSON by parameter name, in the order in which the
// action declares its parameters. The zero value is empty and ready to use.
type Values struct {
	names  []string
	values []jsontext.Value // of the names
	index  map[string]int   // where the names are; nil while there are fewItems at most
}

// fewItems are found faster without an index.
const fewItems = 16

// Set adds or replaces a value, which must be compact JSON. The value is kept, not copied.
func (v *Values) Set(name string, value jsontext.Value) {
	if i := v.find(name); i >= 0 {
		v.values[i] = value
		return
	}
	v.names, v.values = append(v.names, name), append(v.values, value)
	switch {
	case v.index != nil:
		v.index[name] = len(v.names) - 1
	case len(v.names) > fewItems:
		v.index = make(map[string]int, 2*len(v.names))
		for i, name := range v.names {
			v.index[name] = i
		}
	}
}

// find returns where a name is; -1 for nowhere.
func (v *Values) find(name string) int {
	if v.index == nil {
		return slices.Index(v.names, name)
	}
	if i, ok := v.index[name]; ok {
		return i
	}
	return -1
}

// Get returns the value of an argument, or ok=false when it was not given.
func (v *Values) Get(name string) (value jsontext.Value, ok bool) {
	if i := v.find(name); i >= 0 {
		return v.values[i], true
	}
	return nil, false
}

// Names returns the arguments that were given, in order.
func (v *Values) Names() []string { return v.names }

// Object returns the values as one compact JSON object.
func (v *Values) Object() jsontext.Value {
	out := []byte{'{'}
	for i, name := range v.names {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, name)
		out = append(out, ':')
		out = append(out, v.values[i]...)
	}
	return append(out, '}')
}
