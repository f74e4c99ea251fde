package input

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema"
)

// maxLooked bounds how many schemas are looked at for all properties together. It is far beyond honest use.
const maxLooked = 200_000

// CompileObject prepares an action whose arguments have one JSON Schema together, as members of one object; nil means any
// object. The parameters are the properties that the schema declares, itself or through what applies in place. Texts are
// read by the schema of their property, and the whole object is checked against the whole schema. What is not declared may
// be given by --input and --arg where the schema allows it.
//
// Its error is that of [Compile] without a "param" in its details. A schema that no object can satisfy is one, with the
// code "schema_invalid".
func CompileObject(whole jsontext.Value, args []string) (*Set, error) {
	if whole == nil {
		whole = jsontext.Value("true")
	}
	compiled, err := schema.Compile(whole)
	if err != nil {
		return nil, schemaFault(err)
	}
	if !allowsObjects(compiled) {
		return nil, schemaFault(&schema.Error{Code: schema.CodeInvalid, Message: "the schema allows no object, but arguments are one"})
	}
	declared := members(compiled)
	s := &Set{whole: compiled, index: make(map[string]int, len(declared)), params: make([]param, len(declared))}
	parts, looked := count(compiled), 0
	for i, p := range declared {
		at := compiled.Member(p.Name)
		if looked += parts + count(at); looked > maxLooked {
			return nil, schemaFault(&schema.Error{Code: schema.CodeTooComplex, Message: "too many schemas apply to too many properties"})
		}
		if !standsAlone(p.Schema, at) {
			p.Schema = nil
		}
		s.index[p.Name] = i
		s.params[i] = newParam(p, at)
	}
	s.positions = s.positional(args)
	return s, nil
}

// allowsObjects reports whether an object is not ruled out for certain.
func allowsObjects(s *schema.Schema) bool {
	kinds := schema.AnyKind
	for part := range always(s) {
		if part.Node().Kind == 'f' { // the schema false
			return false
		}
		kinds &= part.Kinds()
	}
	return kinds.Any(schema.ObjectKind)
}

// standsAlone reports whether a property's schema says by itself, outside the whole, all that the whole says about it.
func standsAlone(raw jsontext.Value, compiled *schema.Schema) bool {
	if compiled == nil || compiled.Node() == nil { // put together from several
		return false
	}
	return !slices.ContainsFunc([]string{`"$ref"`, `"$dynamicRef"`, `"$recursiveRef"`}, func(keyword string) bool {
		return bytes.Contains(raw, []byte(keyword))
	})
}

// Required returns the names of the members that every valid object has, declared or not, in the order in which the schema
// of [CompileObject] requires them; for [Compile], the required parameters in order.
func (s *Set) Required() []string {
	if s.whole != nil {
		return required(s.whole)
	}
	var out []string
	for i := range s.params {
		if s.params[i].Required {
			out = append(out, s.params[i].Name)
		}
	}
	return out
}

// required returns the members without which no object is valid.
func required(s *schema.Schema) []string {
	var out []string
	known := map[string]bool{}
	for part := range always(s) {
		names := elements(part.Node().Member("required"))
		if len(names) == 0 || !part.Requires(names[0].Text()) { // ignored beside a "$ref" of older drafts
			continue
		}
		for _, n := range names {
			if name := n.Text(); !known[name] {
				known[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

// take returns the position of an argument, also of one that is not declared where the whole schema may allow it.
func (c *call) take(name string) (int, bool) {
	i, ok := c.find(name)
	if ok || c.set.whole == nil || !utf8.ValidString(name) {
		return i, ok
	}
	i = len(c.params)
	c.params = append(c.params, newParam(manifest.Param{Name: name}, c.set.whole.Member(name)))
	c.arguments = append(c.arguments, argument{})
	if c.extras == nil {
		c.extras = map[string]int{}
	}
	c.extras[name] = i
	return i, true
}
