package input

import (
	"fmt"
	"net/url"
	"regexp/syntax"
	"strconv"
	"strings"
)

// Limits of one parameter's schema. They are far beyond honest use; what is beyond them costs the reader more than it
// cost the writer.
const (
	maxSchemaBytes  = 256 << 10
	maxSchemaCount  = 1000   // schemas within the schema: the validator's compiler takes quadratic time
	maxAllSchemas   = 4000   // schemas of all parameters together
	maxAllPatterns  = 20_000 // elements of all patterns together, repetitions written out: see [patternSize]
	maxEvaluations  = 10_000 // schemas evaluated on one and the same value; references multiply them
	maxPatternBytes = 4 << 10
	maxUnguarded    = 500 // schemas, references followed, that are checked without a deadline; see [schema.size]
)

// schemaError says why a schema cannot be used, and where in it.
type schemaError struct {
	code    string // "schema_invalid", "schema_too_complex" or "schema_remote_ref"
	pointer string
	message string
}

func (e *schemaError) Error() string {
	if e.pointer == "" {
		return e.message
	}
	return fmt.Sprintf("%s at %s", e.message, e.pointer)
}

func invalid(pointer, format string, args ...any) *schemaError {
	return &schemaError{"schema_invalid", pointer, fmt.Sprintf(format, args...)}
}

func tooComplex(pointer, format string, args ...any) *schemaError {
	return &schemaError{"schema_too_complex", pointer, fmt.Sprintf(format, args...)}
}

// outliner reads a schema into its outline. It also vets it, before the validator's compiler may see it.
type outliner struct {
	root    *tree
	seen    map[*tree]*schema
	order   []*schema         // of seen, so that errors are the same every time
	anchors map[string]string // name → pointer; nil until one is looked up
	budget  *budget
}

// budget is what the parameters of one action may still cost together.
type budget struct{ schemas, patterns int }

// outline reads a schema, in place: it drops "$id" and inner "$schema" members from it, which nothing but references
// across documents needs.
func outline(root *tree, b *budget) (*schema, error) {
	o := &outliner{root: root, seen: map[*tree]*schema{}, budget: b}
	s, err := o.read(root, "", false)
	if err != nil {
		return nil, err
	}
	for _, each := range o.order {
		if _, err := each.count(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// read outlines the schema at a place. Below a "$id" of its own, references would mean something else.
func (o *outliner) read(t *tree, pointer string, ownID bool) (*schema, error) {
	if s, ok := o.seen[t]; ok {
		return s, nil
	}
	if len(o.seen) == maxSchemaCount {
		return nil, tooComplex(pointer, "more than %d schemas in one", maxSchemaCount)
	}
	if o.budget.schemas--; o.budget.schemas < 0 {
		return nil, tooComplex(pointer, "more than %d schemas in one action", maxAllSchemas)
	}
	s := &schema{tree: t, pointer: pointer, declared: anyKind}
	o.seen[t] = s
	o.order = append(o.order, s)
	switch {
	case t.kind == 'f':
		s.declared = 0
		return s, nil
	case t.kind == 't':
		return s, nil
	case t.kind != '{':
		return nil, invalid(pointer, "a schema must be an object, true or false")
	}
	if pointer != "" {
		ownID = ownID || t.member("$id") != nil
		t.drop("$schema")
	}
	t.drop("$id")
	for i, name := range t.names {
		if err := o.keyword(s, name, t.items[i], ownID); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (o *outliner) keyword(s *schema, name string, value *tree, ownID bool) error {
	at := pointerTo(s.pointer, name)
	one := func(into *[]*schema) error {
		part, err := o.read(value, at, ownID)
		*into = append(*into, part)
		return err
	}
	many := func(into *[]*schema) error { return o.readAll(value, at, ownID, into) }
	switch name {
	case "type":
		s.declared &= typesOf(value)
	case "enum":
		s.limitTo(value.items)
	case "const":
		s.limitTo([]*tree{value})
	case "pattern":
		return o.vetPattern(at, value.text())
	case "$ref", "$dynamicRef", "$recursiveRef":
		return o.reference(s, at, value, ownID)
	case "allOf":
		return many(&s.all)
	case "anyOf", "oneOf":
		group := []*schema(nil)
		err := many(&group)
		s.either = append(s.either, group)
		return err
	case "not", "if", "then", "else":
		return one(&s.inPlace)
	case "dependentSchemas", "dependencies":
		return many(&s.inPlace)
	case "properties":
		return o.readProperties(s, value, at, ownID)
	case "additionalProperties":
		part, err := o.read(value, at, ownID)
		s.additional = part
		return err
	case "prefixItems":
		return many(&s.prefix)
	case "items":
		if value.kind == '[' { // as before 2020-12
			return many(&s.prefix)
		}
		part, err := o.read(value, at, ownID)
		s.items = part
		return err
	case "patternProperties":
		for _, pattern := range value.names {
			if err := o.vetPattern(at, pattern); err != nil {
				return err
			}
		}
		return many(&s.elsewhere)
	case "$defs", "definitions":
		return many(&s.elsewhere)
	case "contains", "propertyNames", "additionalItems", "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return one(&s.elsewhere)
	}
	return nil
}

// readAll reads every element of an array, or every member of an object, as a schema. What is neither is left to the
// validator's compiler, which checks the schema against its meta-schema; so are the lists of names in "dependencies".
func (o *outliner) readAll(value *tree, at string, ownID bool, into *[]*schema) error {
	for i, item := range value.items {
		token := strconv.Itoa(i)
		if value.kind == '{' {
			token = value.names[i]
			if item.kind == '[' {
				continue
			}
		}
		part, err := o.read(item, pointerTo(at, token), ownID)
		if err != nil {
			return err
		}
		*into = append(*into, part)
	}
	return nil
}

func (o *outliner) readProperties(s *schema, value *tree, at string, ownID bool) error {
	for i, name := range value.names {
		part, err := o.read(value.items[i], pointerTo(at, name), ownID)
		if err != nil {
			return err
		}
		s.properties = append(s.properties, property{name, part})
	}
	return nil
}

// reference resolves "#", "#/pointer" and "#anchor". Nothing else is followed, and nothing is ever fetched.
func (o *outliner) reference(s *schema, at string, value *tree, ownID bool) error {
	if value.kind != '"' {
		return invalid(at, "a reference must be a string")
	}
	ref := value.text()
	fragment, local := strings.CutPrefix(ref, "#")
	switch {
	case ref != "" && !local:
		return &schemaError{"schema_remote_ref", at, fmt.Sprintf("the reference %q leads out of the schema", cut(ref))}
	case ownID:
		return invalid(at, "references below an inner \"$id\" are not supported")
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return invalid(at, "the reference %q is not well formed", cut(ref))
	}
	if pointer != "" && pointer[0] != '/' {
		pointer = o.anchor(pointer)
	}
	target := o.root.at(pointer)
	if target == nil {
		return invalid(at, "the reference %q leads nowhere", cut(ref))
	}
	part, err := o.read(target, pointer, false)
	if err != nil {
		return err
	}
	s.all = append(s.all, part)
	return nil
}

// anchor returns the pointer to a named place; where there is none, one that leads nowhere.
func (o *outliner) anchor(name string) string {
	if o.anchors == nil {
		o.anchors = map[string]string{}
		o.collectAnchors(o.root, "")
	}
	if pointer, ok := o.anchors[name]; ok {
		return pointer
	}
	return "#" + name
}

func (o *outliner) collectAnchors(t *tree, pointer string) {
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name := t.member(keyword).text(); name != "" {
			o.anchors[name] = pointer
		}
	}
	for i, item := range t.items {
		token := strconv.Itoa(i)
		if t.kind == '{' {
			token = t.names[i]
		}
		if item.kind == '{' || item.kind == '[' {
			o.collectAnchors(item, pointerTo(pointer, token))
		}
	}
}

// vetPattern measures a pattern before it is compiled. What Go's parser refuses goes to an engine that does not write
// repetitions out.
func (o *outliner) vetPattern(at, pattern string) error {
	if len(pattern) > maxPatternBytes {
		return tooComplex(at, "a pattern is longer than %d bytes", maxPatternBytes)
	}
	if re, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		o.budget.patterns -= patternSize(re)
	}
	if o.budget.patterns < 0 {
		return tooComplex(at, "the patterns of one action repeat more than %d elements", maxAllPatterns)
	}
	return nil
}

// patternSize counts the elements of a pattern as Go's engine compiles it: x{1000} is x a thousand times.
func patternSize(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/2
	for _, sub := range re.Sub {
		n += patternSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxAllPatterns+1)
}

func typesOf(value *tree) kinds {
	if value.kind != '[' {
		return kindNamed(value.text())
	}
	var out kinds
	for _, item := range value.items {
		out |= kindNamed(item.text())
	}
	return out
}

func (s *schema) limitTo(values []*tree) {
	var out kinds
	for _, value := range values {
		out |= value.kinds()
	}
	s.declared &= out
	s.values = values
}

// count returns how many schemas are evaluated on one value, at most: what applies in place, followed through references.
// It narrows kinds on its way back. A schema that comes back to itself without a step into the value has no meaning.
func (s *schema) count() (int, error) {
	if s.cost > 0 {
		return s.cost, nil
	}
	if s.cost < 0 {
		return 0, invalid(s.pointer, "the schema refers to itself without end")
	}
	s.cost = -1
	total := 1
	for _, group := range append([][]*schema{s.all, s.inPlace}, s.either...) {
		for _, part := range group {
			cost, err := part.count()
			if err != nil {
				return 0, err
			}
			total += cost
			if total > maxEvaluations {
				return 0, tooComplex(s.pointer, "more than %d schemas apply to one value", maxEvaluations)
			}
		}
	}
	s.narrow()
	s.cost = total
	return total, nil
}

// size returns how many schemas there are when every reference is followed: checking then takes time in proportion to
// the size of a value. It is more than maxUnguarded, and no more is known, when a schema is part of itself.
func (s *schema) size(known map[*schema]int) int {
	if n, ok := known[s]; ok {
		return n
	}
	known[s] = maxUnguarded + 1 // while it is being counted
	n := 1
	for part := range s.parts() {
		n = min(n+part.size(known), maxUnguarded+1)
	}
	known[s] = n
	return n
}
