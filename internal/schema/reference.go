package schema

import (
	"net/url"
	"strings"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// reference is one that waits until everything that stands in the document has been read, anchors included.
type reference struct {
	from     *Schema
	at       place
	text     string
	fragment string // unescaped
}

// refer takes notice of a reference. Only "#", "#/pointer" and "#anchor" are followed, and nothing is ever fetched.
func (d *document) refer(s *Schema, n *jsontree.Node, at place) error {
	if n.Kind != '"' {
		return invalid(at.pointer, "a reference must be a string")
	}
	text := n.Text()
	fragment, local := strings.CutPrefix(text, "#")
	switch {
	case text != "" && !local:
		return remote(at.pointer, "the reference %q leads out of the schema", cut(text))
	case at.inner:
		return invalid(at.pointer, "references below an inner \"$id\" are not supported")
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return invalid(at.pointer, "the reference %q is not well formed", cut(text))
	}
	d.pending = append(d.pending, reference{s, at, text, fragment})
	return nil
}

// resolve follows the references, and those in what they lead to.
func (d *document) resolve() error {
	for len(d.pending) > 0 {
		r := d.pending[0]
		d.pending = d.pending[1:]
		target, err := d.target(r)
		if err != nil {
			return err
		}
		r.from.refs = append(r.from.refs, target)
	}
	return nil
}

func (d *document) target(r reference) (*Schema, error) {
	if r.fragment == "" || r.fragment[0] == '/' {
		if n := d.root.At(r.fragment); n != nil {
			return d.read(n, place{pointer: r.fragment})
		}
	} else if s, ok := d.anchors[r.fragment]; ok {
		return s, nil
	}
	return nil, invalid(r.at.pointer, "the reference %q leads nowhere", cut(r.text))
}
