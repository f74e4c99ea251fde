package strictjson

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzShared holds what is found in a document without reading it to what the JSON library finds in it.
func FuzzShared(f *testing.F) {
	for _, seed := range []string{
		` { "a" : [ 1 , "\\" , "\"]" ] , "\u00e9\\" : {"b":{}} , "" : null } `, `[true,[],{"a":"}"}, -1.50e3 ]`, `{}`, ` [ ] `, `"\\\""`, `12`, ` nul`,
		`{"a"}`, `{"a":}`, `{"a":1,}`, `[1,`, `["`, `["\`, `[,]`, `{"a":1 "b":2}`, `]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		members, elements := SharedMembers(doc), SharedElements(doc)
		var got []string
		for name, value := range members {
			got = append(got, fmt.Sprintf("%q: %s", name, value))
		}
		for i, value := range elements {
			got = append(got, fmt.Sprintf("%d: %s", i, value))
		}
		AppendCompact(nil, doc)
		if Check(doc) != nil {
			return // as long as it comes to an end
		}
		var want []string
		for name, value := range Members(doc) {
			want = append(want, fmt.Sprintf("%q: %s", name, value))
		}
		for i, value := range Elements(doc) {
			want = append(want, fmt.Sprintf("%d: %s", i, value))
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		compact := slices.Clone(jsontext.Value(doc))
		if err := compact.Compact(); err != nil || string(Compact(doc)) != string(compact) {
			t.Errorf("got %s, want %s: %v", Compact(doc), compact, err)
		}
	})
}

func TestSharedValuesCannotGrowIntoTheirNeighbours(t *testing.T) {
	doc := jsontext.Value(`{"a":"x","b":[1,2]}`)
	for _, value := range SharedMembers(doc) {
		_ = append(value, "oops"...)
		for _, element := range SharedElements(value) {
			_ = append(element, "oops"...)
		}
	}
	if string(doc) != `{"a":"x","b":[1,2]}` {
		t.Errorf("got %s", doc)
	}
}
