package template

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

func texts() []string {
	return []string{
		"", "{{$a}}", "{{ $a.b.0 }}/x", "<<$a>>", "{{{$a}}}", "{{NAME}}{{$a}}", "{{$", "{{$a..b}}", "{{$a>>", "/o/{{$a}}/.{{$a}}?q={{$a}}", "%2e{{$a}}",
		"{{$\x00}}", "{{$é}}", "<<<$a>>>", "{{\n$a}}", "{{$a b}}",
	}
}

// Whatever the template and the value, rendering never panics, never leaves its segment and never adds a header.
func FuzzParseText(f *testing.F) {
	for _, text := range texts() {
		for _, value := range []string{"x", "", ".", "..", "a/b?c#d%2e", "\r\nX: y", "{{$a}}", "\x00"} {
			f.Add(text, value)
		}
	}
	f.Fuzz(func(t *testing.T, source, value string) {
		text, err := ParseText(source)
		if err != nil {
			return
		}
		l := func(string) ([]byte, bool) { return strictjson.Quote(value), true }
		if header, ok, err := text.Header(l); ok && err == nil {
			literal := strings.ContainsFunc(text.Shape(""), isControl)
			if !literal && strings.ContainsFunc(header, isControl) {
				t.Errorf("header %q", header)
			}
		}
		path, err := text.AppendPath(nil, l)
		if err != nil {
			return
		}
		shape := appendURLLiteral(nil, text.Shape("x"))
		for _, c := range []string{"/", "?", "&", "#", " ", "\n", `\`} {
			if got, want := strings.Count(string(path), c), strings.Count(string(shape), c); got != want {
				t.Errorf("%q with %q: %d of %q, want %d: %s", source, value, got, c, want, path)
			}
		}
		requireSafeSegments(t, string(path), string(shape))
	})
}

// requireSafeSegments compares a path with the shape of its template: no segment may have become empty, "." or "..".
func requireSafeSegments(t *testing.T, path, shape string) {
	path, _, _ = strings.Cut(path, "?")
	shape, _, _ = strings.Cut(shape, "?")
	before := strings.Split(shape, "/")
	for i, segment := range strings.Split(path, "/") {
		if (segment == "" || IsDotSegment(segment)) && segment != before[i] {
			t.Errorf("segment %d of %q is %q", i, path, segment)
		}
	}
}

// What parses renders valid JSON, whatever the argument, and without arguments no template is left.
func FuzzParseJSON(f *testing.F) {
	for _, text := range texts() {
		quoted := string(strictjson.Quote(text))
		f.Add(`{"a":[`+quoted+`,1.50],"b":`+quoted+`}`, `{"b":["{{$a}}"]}`)
		f.Add(quoted, `"x"`)
	}
	f.Add(`{"a":{"b":{}},"c":[]}`, `1e5`)
	f.Add(`[`, ``)
	f.Fuzz(func(t *testing.T, doc, value string) {
		j, err := ParseJSON([]byte(doc))
		if err != nil {
			return
		}
		if strictjson.Check([]byte(value)) == nil {
			compact := strictjson.Compact([]byte(value))
			out, ok, err := j.Append(nil, func(string) ([]byte, bool) { return compact, true })
			if err == nil && ok && !valid(out) {
				t.Errorf("%s with %s renders %s", doc, value, out)
			}
		}
		out, ok, err := j.Append(nil, func(string) ([]byte, bool) { return nil, false })
		if err != nil {
			t.Fatalf("nothing given: %v", err)
		}
		if !ok {
			return
		}
		if again, err := ParseJSON(out); err != nil || len(again.Refs()) > 0 {
			t.Errorf("%s leaves templates in %s (%v)", doc, out, err)
		}
		if len(j.Refs()) == 0 && !bytes.Equal(out, strictjson.Compact([]byte(doc))) {
			t.Errorf("%s without templates renders %s", doc, out)
		}
	})
}

// valid is strictjson.Check without its limits on numbers and depth, which templates may add up to.
func valid(doc jsontext.Value) bool { return doc.IsValid() }

// A query holds exactly the separators that it should.
func FuzzParseQuery(f *testing.F) {
	f.Add(`{"a":"{{$a}}","b":["{{$a}}",{"c":"<<$a>>"}]}`, `x&y=z#`)
	f.Add(`{"a&b":"x{{$a}}"}`, "\r\n")
	f.Fuzz(func(t *testing.T, doc, value string) {
		q, err := ParseQuery([]byte(doc))
		if err != nil {
			return
		}
		out, err := q.Append(nil, func(string) ([]byte, bool) { return strictjson.Quote(value), true })
		if err != nil {
			return
		}
		if len(out) == 0 {
			return
		}
		for pair := range strings.SplitSeq(string(out), "&") {
			if strings.Count(pair, "=") != 1 || strings.ContainsAny(pair, "?#/ \r\n+") {
				t.Errorf("%s with %q renders %s", doc, value, out)
			}
		}
	})
}
