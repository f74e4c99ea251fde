package manifest

import "github.com/go-json-experiment/json/jsontext"

// Values are the arguments of one call, checked and typed: raw compact JSON by parameter name, in the order in which the
// action declares its parameters. The zero value is empty and ready to use.
type Values struct {
	names  []string
	values map[string]jsontext.Value
}

// Set adds or replaces a value, which must be compact JSON. The value is kept, not copied.
func (v *Values) Set(name string, value jsontext.Value) {
	if v.values == nil {
		v.values = make(map[string]jsontext.Value)
	}
	if _, ok := v.values[name]; !ok {
		v.names = append(v.names, name)
	}
	v.values[name] = value
}

// Get returns the value of an argument, or ok=false when it was not given.
func (v *Values) Get(name string) (value jsontext.Value, ok bool) {
	value, ok = v.values[name]
	return value, ok
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
		out = append(out, v.values[name]...)
	}
	return append(out, '}')
}
