package schema

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Compiler compiles schemas that belong together, for example those of one action's parameters: some limits hold for all
// of them. One goroutine may use it at a time.
type Compiler struct {
	schemas, patterns int // what may still come
	known             map[string]*pattern
}

// NewCompiler returns a compiler that has compiled nothing yet.
func NewCompiler() *Compiler { return &Compiler{schemas: maxAllSchemas, patterns: maxAllPatterns} }

// Compile compiles one schema on its own.
func Compile(raw jsontext.Value) (*Schema, error) { return NewCompiler().Compile(raw) }

// Compile compiles a schema of at most 256 KiB. References lead to places within it: "#", "#/json/pointer" and "#anchor".
// "$id", and "$schema" within it, mean nothing but that references below an inner "$id" are refused. Values of keywords
// must have the shape that the draft's meta-schema asks for; draft 4 may use true and false as later drafts do.
//
// Its error is an [*Error]. The bytes of raw must not change any more.
func (c *Compiler) Compile(raw jsontext.Value) (*Schema, error) { return c.compile(raw, MaxBytes) }

func (c *Compiler) compile(raw jsontext.Value, limit int) (*Schema, error) {
	if len(raw) > limit {
		return nil, tooComplex("", "the schema is larger than %d KiB", limit>>10)
	}
	if err := strictjson.Check(raw); err != nil {
		return nil, invalid("", "the schema cannot be read: %v", err)
	}
	d := &document{Compiler: c, root: jsontree.Parse(raw), seen: map[*jsontree.Node]*Schema{}}
	if err := d.dialect(); err != nil {
		return nil, err
	}
	s, err := d.read(d.root, place{})
	if err != nil {
		return nil, err
	}
	if err := d.resolve(); err != nil {
		return nil, err
	}
	for _, each := range d.order {
		if _, err := each.measure(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// document is one schema while it is being compiled.
type document struct {
	*Compiler
	root    *jsontree.Node
	draft   int // 4, 6, 7, 2019 or 2020
	seen    map[*jsontree.Node]*Schema
	order   []*Schema // of seen, so that errors are the same every time
	anchors map[string]*Schema
	pending []reference // still to be resolved
}

// place is where in the document a schema stands.
type place struct {
	pointer string
	inner   bool // below a "$id" of its own, where references would mean something else
}

func (p place) to(tokens ...string) place {
	return place{jsontree.Pointer(p.pointer, tokens...), p.inner}
}

// dialect sets the draft that "$schema" names.
func (d *document) dialect() error {
	d.draft = 2020
	n := d.root.Member("$schema")
	if n == nil {
		return nil
	}
	uri := strings.TrimSuffix(n.Text(), "#")
	switch _, name, _ := strings.Cut(uri, "://json-schema.org/"); name {
	case "draft/2020-12/schema", "schema":
	case "draft/2019-09/schema":
		d.draft = 2019
	case "draft-07/schema":
		d.draft = 7
	case "draft-06/schema":
		d.draft = 6
	case "draft-04/schema":
		d.draft = 4
	default:
		if n.Kind != '"' {
			return invalid("/$schema", "must be a string")
		}
		return remote("/$schema", "the schema needs %q, which is not part of it", cut(uri))
	}
	return nil
}

// read compiles what stands in one place.
func (d *document) read(n *jsontree.Node, at place) (*Schema, error) {
	if s, ok := d.seen[n]; ok {
		return s, nil
	}
	if len(d.seen) == MaxSchemas {
		return nil, tooComplex(at.pointer, "more than %d schemas in one", MaxSchemas)
	}
	if len(at.pointer) > maxPointer {
		return nil, tooComplex("", "a schema below names that are longer than %d bytes together", maxPointer)
	}
	if d.schemas--; d.schemas < 0 {
		return nil, tooComplex(at.pointer, "more than %d schemas in one action", maxAllSchemas)
	}
	s := &Schema{node: n, pointer: at.pointer, types: AnyKind, never: n.Kind == 'f'}
	d.seen[n] = s
	d.order = append(d.order, s)
	switch n.Kind {
	case 't', 'f':
		return s, nil
	case '{':
	default:
		return nil, invalid(at.pointer, "a schema must be an object, true or false")
	}
	d.identify(s, &at)
	for i, name := range n.Names {
		if err := d.keyword(s, name, n.Items[i], at); err != nil {
			return nil, err
		}
	}
	d.finish(s)
	return s, nil
}

// identify takes notice of a schema's names.
func (d *document) identify(s *Schema, at *place) {
	keyword := "$id"
	if d.draft == 4 {
		keyword = "id"
	}
	id := s.node.Member(keyword).Text()
	anchor, local := strings.CutPrefix(id, "#")
	if local && d.draft <= 7 {
		d.anchor(s, anchor, at)
	} else if id != "" && at.pointer != "" {
		at.inner = true
	}
	if d.draft >= 2019 {
		d.anchor(s, s.node.Member("$anchor").Text(), at)
	}
	if d.draft >= 2020 {
		d.anchor(s, s.node.Member("$dynamicAnchor").Text(), at)
	}
}

func (d *document) anchor(s *Schema, name string, at *place) {
	if name == "" || at.inner {
		return
	}
	if d.anchors == nil {
		d.anchors = map[string]*Schema{}
	}
	if _, known := d.anchors[name]; !known {
		d.anchors[name] = s
	}
}

// finish settles what keywords mean together.
func (d *document) finish(s *Schema) {
	if d.draft <= 7 && s.node.Member("$ref") != nil { // all beside a reference is ignored
		*s = Schema{node: s.node, pointer: s.pointer, types: AnyKind}
		return
	}
	if s.when == nil { // "then" and "else" mean nothing alone
		s.then, s.other = nil, nil
	}
	if s.list != nil {
		s.list.finish(s.node)
	}
	if d.draft == 4 {
		s.exclude("minimum", "exclusiveMinimum")
		s.exclude("maximum", "exclusiveMaximum")
	}
}
