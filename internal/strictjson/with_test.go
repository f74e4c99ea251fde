package strictjson

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestWith(t *testing.T) {
	for _, c := range []struct{ object, want string }{
		{`{}`, `{"a":1.0}`},
		{`{"a":2,"b":{"a":3}}`, `{"a":1.0,"b":{"a":3}}`},
		{`{"b":10000000000000000001}`, `{"b":10000000000000000001,"a":1.0}`},
		{`[1]`, `{"a":1.0}`},
		{``, `{"a":1.0}`},
	} {
		if got := With(jsontext.Value(c.object), "a", jsontext.Value("1.0")); string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.object, got, c.want)
		}
	}
}
