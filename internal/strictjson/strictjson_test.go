package strictjson

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct{ doc, message, pointer string }{
		"an object":                    {doc: ` {"a":[1,{"b":null}],"c":"é"} `},
		"a scalar":                     {doc: `"x"`},
		"a number with many digits":    {doc: `12345678901234567890.1000`},
		"the deepest allowed":          {doc: strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)},
		"empty":                        {doc: "", message: "the document is empty"},
		"only space":                   {doc: "  ", message: "the document is empty"},
		"cut short":                    {doc: `{"a":{"b":`, message: "the document is cut short"},
		"cut inside a string":          {doc: `{"a":"b`, message: "the document is cut short"},
		"duplicate":                    {doc: `{"a":{"b":1,"b":2}}`, message: "duplicate member", pointer: "/a/b"},
		"duplicate by escape":          {doc: `{"a":1,"\u0061":2}`, message: "duplicate member", pointer: "/a"},
		"one level too deep":           {doc: strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), message: "nested deeper than 64 levels"},
		"trailing":                     {doc: `{} x`, message: "there is more behind the value"},
		"two values":                   {doc: `1 2`, message: "there is more behind the value"},
		"invalid UTF-8":                {doc: "\"\xff\"", message: "not valid JSON: invalid UTF-8"},
		"huge exponent":                {doc: `{"a":1e999999999}`, message: "a number is too long or its exponent too large", pointer: "/a"},
		"an exponent beyond int":       {doc: `[1e99999999999999999999]`, message: "a number is too long or its exponent too large", pointer: "/0"},
		"a number of too many digits":  {doc: strings.Repeat("9", MaxNumberBytes+1), message: "a number is too long or its exponent too large"},
		"HTML":                         {doc: "<!doctype html>", message: "not valid JSON"},
		"a byte order mark before all": {doc: "\ufeff{}", message: "not valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check([]byte(test.doc))
			if test.message == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("got %v, want an *Error", err)
			}
			if !strings.HasPrefix(e.Message, test.message) {
				t.Errorf("message %q, want %q", e.Message, test.message)
			}
			if test.pointer != "" && e.Pointer != test.pointer {
				t.Errorf("pointer %q, want %q", e.Pointer, test.pointer)
			}
		})
	}
}

func TestMembersKeepOrderAndDigits(t *testing.T) {
	var got []string
	for name, value := range Members(jsontext.Value(`{"z": 0.1000, "a": {"q": 1e2}}`)) {
		got = append(got, name+"="+string(Compact(value)))
	}
	if want := `z=0.1000 a={"q":1e2}`; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,"\u00e9"]}`, `[]`, `"x"`, `{"a":1,"a":2}`, `1e9999`, "\xff", ``, `[]]`, `{} {}`, `-0.1e-1001`, ` [ 1e1000 , "1e9999" ] `, strings.Repeat("[", 65) + strings.Repeat("]", 65)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if short, long := Check(doc), examine(doc); (short == nil) != (long == nil) {
			t.Fatalf("the short way says %v, the long one %v", short, long)
		}
		if Check(doc) != nil {
			return
		}
		compact := Compact(doc)
		if err := Check(compact); err != nil {
			t.Fatalf("compact form of an accepted document is refused: %v", err)
		}
		for range Members(doc) {
		}
		for range Elements(doc) {
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for name, doc := range map[string]string{
		"small": `{"orders":[{"id":"ord_8fJ2","qty":2,"status":"confirmed"}]}`,
		"large": `[` + strings.Repeat(`{"id":"ord_8fJ2","qty":2,"price":"12.50","tags":["a","b"]},`, 1000) + `0]`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if err := Check([]byte(doc)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
