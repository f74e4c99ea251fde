package template

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/strictjson"
)

func mustJSON(t testing.TB, doc string) *JSON {
	t.Helper()
	j, err := ParseJSON([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestAppendJSON(t *testing.T) {
	for name, test := range map[string]struct{ doc, given, want string }{
		"T-2: a number keeps its type and digits":        {doc: `{"a":"{{$a}}"}`, given: `{"a":4.50}`, want: `{"a":4.50}`},
		"T-2: a huge number":                             {doc: `["{{$a}}"]`, given: `{"a":12345678901234567890}`, want: `[12345678901234567890]`},
		"T-2: a boolean, null, a string":                 {doc: `["{{$a}}","{{$b}}","{{$c}}"]`, given: `{"a":true,"b":null,"c":"x\ny"}`, want: `[true,null,"x\ny"]`},
		"T-2: an object keeps its order":                 {doc: `{"a":"<<$a>>"}`, given: `{"a":{"z":1,"a":[2]}}`, want: `{"a":{"z":1,"a":[2]}}`},
		"T-2: spaces inside the braces are no text":      {doc: `"{{ $a }}"`, given: `{"a":1}`, want: `1`},
		"T-2: a space outside is":                        {doc: `" {{$a}}"`, given: `{"a":1}`, want: `" 1"`},
		"T-2: two templates are a text":                  {doc: `"{{$a}}{{$b}}"`, given: `{"a":1,"b":true}`, want: `"1true"`},
		"T-2: a text with quotes is escaped":             {doc: `"say {{$a}}"`, given: `{"a":"\"hi\"\\"}`, want: `"say \"hi\"\\"`},
		"T-2: structures inside a text":                  {doc: `"x{{$a}}"`, given: `{"a":{"b":[1.0,"c"]}}`, want: `"x{\"b\":[1.0,\"c\"]}"`},
		"T-4: a missing one removes its key":             {doc: `{"a":"{{$a}}","b":1}`, given: `{}`, want: `{"b":1}`},
		"T-4: the last key":                              {doc: `{"b":1,"a":"{{$a}}"}`, given: `{}`, want: `{"b":1}`},
		"T-4: an object left empty stays":                {doc: `{"r":{"a":"{{$a}}"}}`, given: `{}`, want: `{"r":{}}`},
		"T-4: at any depth":                              {doc: `{"a":[{"b":{"c":"{{$a}}","d":[]}}]}`, given: `{}`, want: `{"a":[{"b":{"d":[]}}]}`},
		"T-4: an element":                                {doc: `["x","{{$a}}","y","{{$b}}"]`, given: `{"b":2}`, want: `["x","y",2]`},
		"T-4: an array left empty stays":                 {doc: `{"a":["{{$a}}"]}`, given: `{}`, want: `{"a":[]}`},
		"T-4: inside a longer text":                      {doc: `{"a":"x{{$a}}y{{$b}}","c":1}`, given: `{"a":1}`, want: `{"c":1}`},
		"T-4: a member that is not there":                {doc: `{"a":"{{$a.b}}","c":"{{$a.d}}"}`, given: `{"a":{"b":1}}`, want: `{"a":1}`},
		"T-4: a path through a string":                   {doc: `{"a":"{{$a.b}}"}`, given: `{"a":"b"}`, want: `{}`},
		"a given null is given":                          {doc: `{"a":"{{$a.b}}"}`, given: `{"a":{"b":null}}`, want: `{"a":null}`},
		"a path into an array":                           {doc: `["{{$a.0.id}}","{{$a.1.id}}","{{$a.01.id}}","{{$a.x}}"]`, given: `{"a":[{"id":7},{"id":8}]}`, want: `[7,8]`},
		"digits name a member of an object":              {doc: `"{{$a.0}}"`, given: `{"a":{"0":"zero"}}`, want: `"zero"`},
		"a member by its unescaped name":                 {doc: `"{{$a.é}}"`, given: `{"a":{"\u00e9":1}}`, want: `1`},
		"T-1: keys are never templates":                  {doc: `{"{{$a}}":"{{$a}}","{{$}}":2}`, given: `{"a":1}`, want: `{"{{$a}}":1,"{{$}}":2}`},
		"T-10: literals of every type":                   {doc: `{"s":"x","n":1.0,"t":true,"z":null,"o":{},"l":[],"a":"{{$a}}"}`, given: `{"a":1}`, want: `{"s":"x","n":1.0,"t":true,"z":null,"o":{},"l":[],"a":1}`},
		"T-10: literals only":                            {doc: ` { "s" : [ 1.50 , "x" ] } `, given: `{}`, want: `{"s":[1.50,"x"]}`},
		"a template written with escapes":                {doc: `"\u007b\u007b\u0024a}}"`, given: `{"a":1}`, want: `1`},
		"the placeholder of somebody else is sent as is": {doc: `{"k":"{{KEY}}","l":"{{KEY}} {{$a}}"}`, given: `{"a":1}`, want: `{"k":"{{KEY}}","l":"{{KEY}} 1"}`},
		"a value is never expanded again":                {doc: `["{{$a}}","x {{$a}}"]`, given: `{"a":"{{$b}} <<$b>>","b":"secret"}`, want: `["{{$b}} <<$b>>","x {{$b}} <<$b>>"]`},
		"a scalar":                                       {doc: `5`, given: `{}`, want: `5`},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok, err := mustJSON(t, test.doc).Append([]byte("…"), given(test.given))
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if want := "…" + test.want; string(got) != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// T-4: a body that is one template goes away as a whole.
func TestAppendJSONOfAMissingWhole(t *testing.T) {
	for _, doc := range []string{`"{{$a}}"`, `"x{{$a}}"`} {
		if got, ok, err := mustJSON(t, doc).Append(nil, given(`{}`)); ok || err != nil {
			t.Errorf("%s: got %s %v %v", doc, got, ok, err)
		}
	}
}

// T-11: every string that is wrong, by its pointer.
func TestParseJSONReportsAllErrors(t *testing.T) {
	_, err := ParseJSON([]byte(`{"a":["ok","{{$}}"],"b/c":{"d":"x{{$a"}}`))
	list, ok := errors.AsType[SyntaxErrors](err)
	if !ok || len(list) != 2 {
		t.Fatalf("got %v", err)
	}
	got := []string{list[0].Pointer, list[1].Pointer}
	if diff := cmp.Diff([]string{"/a/1", "/b~1c/d"}, got); diff != "" {
		t.Error(diff)
	}
	if list[1].Offset != 1 {
		t.Errorf("offset %d, want 1", list[1].Offset)
	}
	if first, ok := errors.AsType[*SyntaxError](err); !ok || first != list[0] {
		t.Errorf("errors.As finds %v", first)
	}
}

func TestParseJSONRefusesWhatIsNoJSON(t *testing.T) {
	for _, doc := range []string{
		``, `{`, `{"a":}`, `[1,]`, `{"a":1,"a":2}`, `1 2`, `{"a" "b"}`, "\"\xff\"", strings.Repeat("[", 100_000),
		strings.Repeat(`{"a":`, strictjson.MaxDepth+1) + `1` + strings.Repeat("}", strictjson.MaxDepth+1),
	} {
		if _, err := ParseJSON([]byte(doc)); err == nil {
			t.Errorf("accepted %.40q", doc)
		}
	}
	deepest := strings.Repeat("[", strictjson.MaxDepth) + `"{{$a}}"` + strings.Repeat("]", strictjson.MaxDepth)
	if _, err := ParseJSON([]byte(deepest)); err != nil {
		t.Errorf("refused the deepest allowed: %v", err)
	}
}

func TestRefsHavePointers(t *testing.T) {
	var got []string
	for _, ref := range mustJSON(t, `{"a/b":["x",{"c":"{{$x.y}}{{$z}}"}],"d":"<<$x>>","e":{"f":1}}`).Refs() {
		got = append(got, ref.Pointer+" "+ref.String())
	}
	want := []string{"/a~1b/1/c $x.y", "/a~1b/1/c $z", "/d $x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A site must not be able to blow an argument up.
func TestAppendIsBounded(t *testing.T) {
	large := []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
	l := func(string) ([]byte, bool) { return large, true }
	many := `["` + strings.Repeat("{{$a}}", 50) + `"]`
	_, _, err := mustJSON(t, many).Append(nil, l)
	requireValueError(t, err, "larger than")
	_, _, err = mustJSON(t, `[`+strings.Repeat(`"{{$a}}",`, 50)+`1]`).Append(nil, l)
	requireValueError(t, err, "larger than")
	_, err = mustText(t, "/"+strings.Repeat("{{$a}}", 50)).AppendPath(nil, l)
	requireValueError(t, err, "larger than")
	q, err := ParseQuery([]byte(`{"k":` + many + `,"l":` + many + `}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = q.Append(nil, l)
	requireValueError(t, err, "larger than")
}
