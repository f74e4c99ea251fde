package jsontree

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

func TestNodes(t *testing.T) {
	n := Parse(jsontext.Value(`{"a~b":[1.0,{"c/d":"\u0041"}],"e":null}`))
	for pointer, want := range map[string]string{
		"":                 `{"a~b":[1.0,{"c/d":"\u0041"}],"e":null}`,
		"/a~0b/0":          `1.0`,
		"/a~0b/1/c~1d":     `"\u0041"`,
		"/e":               `null`,
		"/f":               "",
		"/a~0b/2":          "",
		"/a~0b/-1":         "",
		"/a~0b/0/x":        "",
		"e":                "",
		"/a~0b/1/c~1d/x/y": "",
	} {
		got := ""
		if at := n.At(pointer); at != nil {
			got = string(at.Value())
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", pointer, got, want)
		}
	}
	if got := n.At("/a~0b/1").Member("c/d").Text(); got != "A" {
		t.Errorf("got %q", got)
	}
	if got := Pointer("/x", "a~b", "c/d", ""); got != "/x/a~0b/c~1d/" {
		t.Errorf("got %q", got)
	}
	n.Set("e", String("\n"))
	n.Set("g", Null())
	if got, want := string(n.Value()), `{"a~b":[1.0,{"c/d":"\u0041"}],"e":"\n","g":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var none *Node
	if none.Member("a") != nil || none.Text() != "" || none.IsArray() {
		t.Error("a nil node has something")
	}
}

// A tree says the same as the document that it was made from.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,{"b":"\u0041"}],"c":{}}`, ` [ ] `, ` 1.0 `, `"x"`, "null"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if strictjson.Check(doc) != nil {
			return
		}
		want := jsontext.Value(doc).Clone()
		if err := want.Canonicalize(); err != nil {
			t.Skip()
		}
		got := Parse(doc).Value()
		if err := got.Canonicalize(); err != nil || string(got) != string(want) {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	})
}
