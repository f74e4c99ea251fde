package render

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/strictjson"
)

func TestPretty(t *testing.T) {
	const in = `{"z":[1,{"a":0.1000}],"e":{},"l":[],"s":"\u00e9 \"q\"","t":true,"n":null}`
	const want = `{
  "z": [
    1,
    {
      "a": 0.1000
    }
  ],
  "e": {},
  "l": [],
  "s": "\u00e9 \"q\"",
  "t": true,
  "n": null
}
`
	var out bytes.Buffer
	if err := Pretty(&out, []byte(in), false); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
	out.Reset()
	if err := Pretty(&out, []byte(in), true); err != nil {
		t.Fatal(err)
	}
	if got := string(OnlyColors(out.Bytes(), false)); got != want {
		t.Errorf("colours change the text:\n%s", got)
	}
	if !strings.Contains(out.String(), colorName+`"z"`+colorReset+": [") || !strings.Contains(out.String(), colorNumber+"0.1000"+colorReset) {
		t.Errorf("names or numbers have no colour: %q", out.String())
	}
}

func TestPrettyPrintsNothingOfWhatItRefuses(t *testing.T) {
	for _, in := range []string{"", "{", `{"a":1,"a":2}`, "1 2", strings.Repeat("[", 65) + strings.Repeat("]", 65)} {
		var out bytes.Buffer
		if err := Pretty(&out, []byte(in), true); !isNotJSON(err) || out.Len() > 0 {
			t.Errorf("%.20q: %v, %q", in, err, out.String())
		}
	}
}

func FuzzPretty(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,"\u00e9"],"b":{}}`, `[]`, "\"\u202e\u009b\U000e0041\"", `-0.1e-7`, ` null `, `{"":""}`, `"\\u202e\\\""`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var out bytes.Buffer
		if err := Pretty(&out, doc, false); err != nil {
			if strictjson.Check(doc) == nil || out.Len() > 0 {
				t.Fatalf("%q: %v, %q", doc, err, out.Bytes())
			}
			return
		}
		if !isSafe(out.String()) {
			t.Fatalf("unsafe: %q", out.String())
		}
		if a, b := decode(t, doc), decode(t, out.Bytes()); !reflect.DeepEqual(a, b) {
			t.Fatalf("%q became %q", doc, out.String())
		}
	})
}

func decode(t *testing.T, doc []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", doc, err)
	}
	return v
}

func BenchmarkPretty(b *testing.B) {
	doc := []byte("[" + strings.Repeat(`{"id":"ord_8fJ2","qty":2,"price":4.50,"tags":["a","b"],"note":null},`, 15000) + "0]")
	for _, color := range []bool{false, true} {
		b.Run(map[bool]string{false: "plain", true: "color"}[color], func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if err := Pretty(io.Discard, doc, color); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
