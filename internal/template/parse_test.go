package template

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ref(name string, path ...string) Ref { return Ref{Name: name, Path: path} }

func TestParseTextReadsTheGrammar(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		shape string // with § for each template
		refs  []Ref
	}{
		"no template":                          {text: "plain $5 {a} <b>", shape: "plain $5 {a} <b>"},
		"empty":                                {text: "", shape: ""},
		"one template":                         {text: "{{$a}}", shape: "§", refs: []Ref{ref("a")}},
		"angle brackets":                       {text: "<<$a>>", shape: "§", refs: []Ref{ref("a")}},
		"spaces inside the braces":             {text: "{{ \t$a }}", shape: "§", refs: []Ref{ref("a")}},
		"two in a row":                         {text: "{{$a}}{{$b}}", shape: "§§", refs: []Ref{ref("a"), ref("b")}},
		"in a longer text":                     {text: "v{{$a}}-<<$b.c>>!", shape: "v§-§!", refs: []Ref{ref("a"), ref("b", "c")}},
		"a path":                               {text: "{{$a.b.c}}", shape: "§", refs: []Ref{ref("a", "b", "c")}},
		"an index in a path":                   {text: "{{$items.0.id}}", shape: "§", refs: []Ref{ref("items", "0", "id")}},
		"braces around a template are literal": {text: "{{{$a}}}", shape: "{§}", refs: []Ref{ref("a")}},
		"more brackets around":                 {text: "<<<$a>>>", shape: "<§>", refs: []Ref{ref("a")}},
		"a placeholder of somebody else":       {text: "Bearer {{TOKEN}} <<TOKEN>> {{ X }}", shape: "Bearer {{TOKEN}} <<TOKEN>> {{ X }}"},
		"a placeholder before a template":      {text: "{{A}}{{$a}}", shape: "{{A}}§", refs: []Ref{ref("a")}},
		"an open placeholder":                  {text: "{{A {{$a}}", shape: "{{A §", refs: []Ref{ref("a")}},
		"braces alone":                         {text: "{{}} {{ }} {{", shape: "{{}} {{ }} {{"},
		"a dollar alone":                       {text: "$a {$a} $", shape: "$a {$a} $"},
		"a name with a dash":                   {text: "{{$my-name}}", shape: "§", refs: []Ref{ref("my-name")}},
		"a name with a space":                  {text: "{{$my name}}", shape: "§", refs: []Ref{ref("my name")}},
		"a name beyond ASCII":                  {text: "{{$größe.日本}}", shape: "§", refs: []Ref{ref("größe", "日本")}},
		"a name that begins with a dollar":     {text: "{{$$filter}}", shape: "§", refs: []Ref{ref("$filter")}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := ParseText(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := text.Shape("§"); got != test.shape {
				t.Errorf("shape %q, want %q", got, test.shape)
			}
			opt := cmp.Transformer("path", func(r Ref) string { return r.String() })
			if diff := cmp.Diff(test.refs, text.Refs(), opt); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// T-11: what begins like a template has to be one.
func TestParseTextRefusesJunkWithItsOffset(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		offset  int
		message string
	}{
		"no name":              {text: "{{$}}", message: "names no argument"},
		"no name in brackets":  {text: "<<$>>", message: "names no argument"},
		"only a path":          {text: "{{$.a}}", message: "names no argument"},
		"a gap in the path":    {text: "{{$a..b}}", message: "empty path segment"},
		"a path that ends":     {text: "x{{$a.}}", offset: 1, message: "empty path segment"},
		"unclosed":             {text: "ab{{$a", offset: 2, message: `not closed with "}}"`},
		"half closed":          {text: "{{$a}", message: `not closed with "}}"`},
		"closed by the other":  {text: "{{$a>>", message: `not closed with "}}"`},
		"closed by the other2": {text: "<<$a}}", message: `not closed with ">>"`},
		"mixed and then right": {text: "{{$a>>}}", message: `unexpected ">"`},
		"nested":               {text: "{{$a{{$b}}}}", message: `unexpected "{"`},
		"a stray brace":        {text: "{{$a}b}}", message: `unexpected "}"`},
		"a space before":       {text: "{{$ a}}", message: "space inside its path"},
		"a space in the path":  {text: "{{$a. b}}", message: "space inside its path"},
		"a control character":  {text: "{{$a\x00b}}", message: "control character"},
		"the second is wrong":  {text: "{{$a}}{{$}}", offset: 6, message: "names no argument"},
		"an endless one":       {text: "{{$" + strings.Repeat("é", 1000), message: "…"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseText(test.text)
			e, ok := errors.AsType[*SyntaxError](err)
			if !ok {
				t.Fatalf("got %v, want a *SyntaxError", err)
			}
			if e.Offset != test.offset || !strings.Contains(e.Message, test.message) || len(e.Message) > 200 {
				t.Errorf("got %q at %d, want %q at %d", e.Message, e.Offset, test.message, test.offset)
			}
		})
	}
}
