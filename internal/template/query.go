package template

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// Query is a parsed object of query parameters. Values may be literals of any type and hold templates at any depth.
type Query struct {
	pairs []pair
}

type pair struct {
	key   string
	value JSON
	first Ref // the first argument that the value uses; zero for a literal
}

// ParseQuery reads a JSON object. Errors are as those of [ParseJSON].
func ParseQuery(raw []byte) (*Query, error) {
	p := parser{d: jsontext.NewDecoder(bytes.NewBuffer(raw))}
	if p.d.PeekKind() != '{' {
		return nil, SyntaxErrors{{Message: "a query must be an object"}}
	}
	q := &Query{}
	p.members(func(key jsontext.Value) {
		name, _ := strictjson.String(key)
		q.pairs = append(q.pairs, pair{key: name, value: JSON{p.value()}})
	})
	for i := range q.pairs {
		if refs := q.pairs[i].value.Refs(); len(refs) > 0 {
			q.pairs[i].first = refs[0]
		}
	}
	p.end()
	return q, p.err()
}

// Refs returns the arguments that the query uses, in document order, each with its pointer.
func (q *Query) Refs() []Ref {
	var refs []Ref
	for i := range q.pairs {
		refs = q.pairs[i].value.root.refs(refs, jsontext.Pointer("").AppendToken(q.pairs[i].key))
	}
	return refs
}

// Append renders the query, without a "?", in declared order. Keys whose value uses an argument that is not given are left
// out (T-4). The error is a [*ValueError].
func (q *Query) Append(dst []byte, l Lookup) ([]byte, error) {
	var (
		start = len(dst)
		value []byte
	)
	for i := range q.pairs {
		var (
			ok  bool
			err error
		)
		value, ok, err = q.pairs[i].value.Append(value[:0], l)
		if err != nil {
			return dst, err
		}
		if !ok {
			continue
		}
		dst = AppendParam(dst, start, q.pairs[i].key, value)
		if err := checkSize(dst, &q.pairs[i].first); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// AppendParam appends "key=value" to a query that begins at start in dst, after a "&" unless it is the first. An array
// repeats the key for each element, an object is compact JSON (T-8). Keys and values are percent-encoded, a space is %20.
func AppendParam(dst []byte, start int, key string, value jsontext.Value) []byte {
	if value.Kind() != '[' {
		return appendPair(dst, start, key, value)
	}
	for _, element := range strictjson.Elements(value) {
		dst = appendPair(dst, start, key, element)
	}
	return dst
}

func appendPair(dst []byte, start int, key string, value jsontext.Value) []byte {
	if len(dst) > start {
		dst = append(dst, '&')
	}
	dst = appendEscaped(dst, key)
	dst = append(dst, '=')
	return appendEscaped(dst, string(appendPlain(nil, value)))
}
