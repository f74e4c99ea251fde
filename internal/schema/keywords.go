package schema

import "github.com/agentctl/agentctl/internal/schema/jsontree"

// since tells the first draft that knows a keyword: older ones ignore it.
func since(keyword string) int {
	switch keyword {
	case "const", "contains", "propertyNames", "examples":
		return 6
	case "if", "then", "else", "$comment", "readOnly", "writeOnly", "contentEncoding", "contentMediaType":
		return 7
	case "$defs", "$anchor", "$recursiveRef", "$vocabulary", "dependentSchemas", "dependentRequired", "unevaluatedItems",
		"unevaluatedProperties", "minContains", "maxContains", "contentSchema", "deprecated":
		return 2019
	case "prefixItems", "$dynamicRef", "$dynamicAnchor":
		return 2020
	}
	return 0
}

// keyword compiles one member of a schema. What is no keyword is ignored.
func (d *document) keyword(s *Schema, name string, n *jsontree.Node, at place) error {
	if d.draft < since(name) || name == "additionalItems" && d.draft >= 2020 {
		return nil
	}
	at = at.to(name)
	switch name {
	case "$ref", "$dynamicRef", "$recursiveRef": // one document has one anchor of a name, so dynamic ones are static
		return d.refer(s, n, at)
	case "$id", "$schema", "$anchor", "$dynamicAnchor", "$comment", "title", "description", "contentEncoding", "contentMediaType":
		return require(n, at, '"', "a string")
	case "deprecated", "readOnly", "writeOnly":
		_, err := boolean(n, at)
		return err
	case "$vocabulary":
		return require(n, at, '{', "an object")
	case "examples":
		return require(n, at, '[', "a list")
	case "$defs", "definitions":
		_, err := d.readNamed(n, at)
		return err
	case "contentSchema":
		_, err := d.read(n, at)
		return err
	}
	if known, err := d.applicator(s, name, n, at); known {
		return err
	}
	return d.assertion(s, name, n, at)
}

// applicator compiles the keywords that apply schemas to the same value or to its parts.
func (d *document) applicator(s *Schema, name string, n *jsontree.Node, at place) (known bool, err error) {
	switch name {
	case "allOf":
		s.all, err = d.readList(n, at)
	case "anyOf":
		s.any, err = d.readList(n, at)
	case "oneOf":
		s.one, err = d.readList(n, at)
	case "not":
		s.not, err = d.read(n, at)
	case "if":
		s.when, err = d.read(n, at)
	case "then":
		s.then, err = d.read(n, at)
	case "else":
		s.other, err = d.read(n, at)
	case "prefixItems", "items", "additionalItems", "unevaluatedItems", "contains":
		err = d.listApplicator(s.lists(), s.node, name, n, at)
	case "properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties", "dependentSchemas", "dependencies":
		err = d.objectApplicator(s.objects(), name, n, at)
	default:
		return false, nil
	}
	return true, err
}

func (d *document) listApplicator(l *listRules, all *jsontree.Node, name string, n *jsontree.Node, at place) (err error) {
	tuple := d.draft < 2020 && all.Member("items").IsArray()
	switch {
	case name == "prefixItems", name == "items" && tuple:
		l.prefix, err = d.readList(n, at)
	case name == "items":
		l.items, err = d.read(n, at)
	case name == "additionalItems" && tuple:
		l.closed = n.Kind == 'f'
		l.items, err = d.read(n, at)
	case name == "additionalItems":
		_, err = d.read(n, at)
	case name == "unevaluatedItems":
		l.unevaluated, err = d.read(n, at)
	case name == "contains":
		l.marks = d.draft >= 2020
		l.contains, err = d.read(n, at)
	}
	return err
}

func (d *document) objectApplicator(o *objectRules, name string, n *jsontree.Node, at place) (err error) {
	switch name {
	case "properties":
		o.properties, err = d.readNamed(n, at)
		o.index = indexed(o.properties)
	case "patternProperties":
		o.patterns, err = d.readPatterns(n, at)
	case "additionalProperties":
		o.additional, err = d.read(n, at)
	case "propertyNames":
		o.names, err = d.read(n, at)
	case "unevaluatedProperties":
		o.unevaluated, err = d.read(n, at)
	case "dependentSchemas":
		var parts []Property
		parts, err = d.readNamed(n, at)
		o.schemas = append(o.schemas, parts...)
	case "dependencies":
		err = d.dependencies(o, n, at)
	}
	return err
}

// readList reads an array of schemas.
func (d *document) readList(n *jsontree.Node, at place) ([]*Schema, error) {
	if n.Kind != '[' || len(n.Items) == 0 {
		return nil, invalid(at.pointer, "must be a list of schemas, and not empty")
	}
	parts := make([]*Schema, len(n.Items))
	for i, item := range n.Items {
		part, err := d.read(item, at.to(n.Token(i)))
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	return parts, nil
}

// readNamed reads an object of schemas.
func (d *document) readNamed(n *jsontree.Node, at place) ([]Property, error) {
	if n.Kind != '{' {
		return nil, invalid(at.pointer, "must be an object of schemas")
	}
	parts := make([]Property, len(n.Items))
	for i, item := range n.Items {
		part, err := d.read(item, at.to(n.Names[i]))
		if err != nil {
			return nil, err
		}
		parts[i] = Property{n.Names[i], part}
	}
	return parts, nil
}

func (d *document) readPatterns(n *jsontree.Node, at place) ([]patternProperty, error) {
	parts, err := d.readNamed(n, at)
	if err != nil {
		return nil, err
	}
	out := make([]patternProperty, len(parts))
	for i, part := range parts {
		names, err := d.pattern(part.Name, at)
		if err != nil {
			return nil, err
		}
		out[i] = patternProperty{names, part.Schema}
	}
	return out, nil
}

// dependencies reads what older drafts have in place of "dependentSchemas" and "dependentRequired".
func (d *document) dependencies(o *objectRules, n *jsontree.Node, at place) error {
	if n.Kind != '{' {
		return invalid(at.pointer, "must be an object of schemas and lists of names")
	}
	for i, item := range n.Items {
		name, at := n.Names[i], at.to(n.Names[i])
		if item.Kind == '[' {
			needs, err := names(item, at)
			if err != nil {
				return err
			}
			o.dependent = append(o.dependent, dependentNames{"dependencies", name, needs})
			continue
		}
		part, err := d.read(item, at)
		if err != nil {
			return err
		}
		o.schemas = append(o.schemas, Property{name, part})
	}
	return nil
}

// few is how many names are looked through one by one faster than they are looked up.
const few = 8

func indexed(properties []Property) map[string]*Schema {
	if len(properties) <= few {
		return nil
	}
	index := make(map[string]*Schema, len(properties))
	for _, p := range properties {
		index[p.Name] = p.Schema
	}
	return index
}
