package schema

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// bundle puts the documents together. The trees change: it is done once.
func (b *bundler) bundle() (jsontext.Value, error) {
	first := b.files[0]
	definitions, err := b.place(first)
	if err != nil {
		return nil, err
	}
	length := b.size
	for _, l := range b.links {
		text := "#" + (&url.URL{Fragment: l.target.file.prefix + l.target.pointer}).EscapedFragment()
		if length += len(text); length > maxBundleBytes/2 {
			return nil, l.file.fault(CodeTooComplex, l.pointer, "the references are too long together")
		}
		*l.node = *jsontree.String(text)
	}
	for _, n := range b.schemas {
		localize(n, n == first.root)
	}
	for _, f := range b.files[1:] {
		definitions.Set(strings.TrimPrefix(f.prefix, "/$defs/"), f.root)
	}
	return first.root.Value(), nil
}

// place gives every document but the first one a name in that one's "$defs", which it returns.
func (b *bundler) place(first *file) (*jsontree.Node, error) {
	if len(b.files) == 1 {
		return nil, nil
	}
	definitions := first.root.Member("$defs")
	if definitions == nil {
		definitions = &jsontree.Node{Kind: '{'}
		first.root.Set("$defs", definitions)
	}
	if definitions.Kind != '{' {
		return nil, first.fault(CodeInvalid, "/$defs", "must be an object of schemas")
	}
	number := 1
	for _, f := range b.files[1:] {
		for f.prefix == "" {
			name := fmt.Sprintf("external-%d", number)
			if number++; definitions.Member(name) == nil {
				f.prefix = "/$defs/" + name
			}
		}
	}
	return definitions, nil
}

// localize takes from a schema what has a meaning only among documents.
func localize(n *jsontree.Node, first bool) {
	names, items := n.Names[:0], n.Items[:0]
	for i, name := range n.Names {
		switch name {
		case "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$recursiveAnchor", "$recursiveRef":
			continue // the last two are of 2019-09 and mean nothing in 2020-12
		case "$schema":
			if !first {
				continue
			}
		}
		names, items = append(names, name), append(items, n.Items[i])
	}
	n.Names, n.Items = names, items
}

// locate tells of an error in the bundle in terms of the document that it is in.
func (b *bundler) locate(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	located := *e
	located.URL = cut(b.files[0].url)
	for _, f := range slices.Backward(b.files[1:]) {
		if rest, ok := strings.CutPrefix(e.Pointer, f.prefix); ok && (rest == "" || rest[0] == '/') {
			located.Pointer, located.URL = rest, cut(f.url)
			break
		}
	}
	return &located
}
