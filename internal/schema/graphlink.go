package schema

import (
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// link is a reference of a graph.
type link struct {
	spot
	from    *resource
	node    *jsontree.Node // its text
	dynamic bool
	anchor  string // the name of the dynamic anchor that it leads to
	target  spot
}

// follow finds what a reference leads to. What stands there is a schema from now on, whatever it was before.
func (b *bundler) follow(l *link) error {
	at, err := l.from.base.Parse(l.node.Text())
	if err != nil {
		return l.fault("is not well formed")
	}
	r, err := b.document(withoutFragment(at), l.file.level+1)
	if err != nil {
		return err
	}
	if at.Fragment == "" || at.Fragment[0] == '/' {
		return b.point(l, r, at.Fragment)
	}
	found, ok := r.anchors[at.Fragment]
	if !ok {
		return l.fault("leads nowhere")
	}
	l.target = found.spot
	if l.dynamic && found.dynamic {
		l.anchor = at.Fragment
	}
	return nil
}

// point follows a JSON Pointer into a resource, perhaps through others within it.
func (b *bundler) point(l *link, r *resource, pointer string) error {
	l.target = spot{r.file, r.pointer + pointer}
	n := r.node
	for token := range jsontree.Tokens(pointer) {
		if n = n.Child(token); n == nil {
			return l.fault("leads nowhere")
		}
		if inner := b.roots[n]; inner != nil {
			r = inner
		}
	}
	return b.schema(r, n, l.target.pointer)
}

// dynamic makes sure that dynamic references have only one place to go: which one of several is meant depends on the way
// that led to the reference, and no "#/pointer" can tell that.
func (b *bundler) dynamic() error {
	places := map[string]int{}
	for _, r := range b.roots {
		for name, found := range r.anchors {
			if found.dynamic {
				places[name]++
			}
		}
	}
	for _, l := range b.links {
		if l.anchor != "" && places[l.anchor] > 1 {
			e := l.fault("has more than one place to go")
			e.Code = CodeUnsupported
			return e
		}
	}
	return nil
}

func (l *link) fault(what string) *Error {
	return l.file.fault(CodeInvalid, l.pointer, "the reference %q %s", cut(l.node.Text()), what)
}
