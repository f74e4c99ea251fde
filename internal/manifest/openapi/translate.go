package openapi

import (
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// inputs returns the properties of an object that a caller can give: those that are not read-only.
func (b *Bundle) inputs(properties *jsontree.Node) *jsontree.Node {
	if properties.Kind != '{' {
		return properties
	}
	out := &jsontree.Node{Kind: '{'}
	for name, n := range properties.Members() {
		if b.readOnly(n) {
			b.unset[name] = true
			continue
		}
		out.Names, out.Items = append(out.Names, name), append(out.Items, n)
	}
	return out
}

// readOnly reports whether a property's schema, or the one that it refers to, is for answers only.
func (b *Bundle) readOnly(n *jsontree.Node) bool {
	if isTrue(n.Member("readOnly")) {
		return true
	}
	if n.Member("$ref") == nil {
		return false
	}
	target, _, err := b.Find.Resolve(n, "")
	return err == nil && isTrue(target.Member("readOnly"))
}

// assertion returns the value of a keyword that has no schemas in it, as our validator understands it; nil leaves it out.
// What is no value that the keyword can have is left out: it can forbid nothing.
func (b *Bundle) assertion(all *jsontree.Node, name string, n *jsontree.Node, pointer string) *jsontree.Node {
	var ok bool
	switch name {
	case "nullable", "discriminator", "xml", "externalDocs", "example", "additionalItems", "dependencies", "$comment", "id":
		return nil // translated, or said to people only
	case "exclusiveMinimum", "exclusiveMaximum":
		if n.Kind == 't' || n.Kind == 'f' {
			return nil // see exclude
		}
		ok = n.Kind == '0'
	case "minimum", "maximum":
		ok = n.Kind == '0'
		if exclusive := all.Member("exclusive" + strings.ToUpper(name[:1]) + name[1:]); isTrue(exclusive) && ok {
			return nil
		}
	case "multipleOf":
		ok = n.Kind == '0' && n.Raw[0] != '-' && strings.Trim(strings.ToLower(string(n.Raw)), "0.e+-") != ""
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		ok = n.Kind == '0' && strings.Trim(string(n.Raw), "0123456789") == ""
	case "title", "description", "format", "contentEncoding", "contentMediaType":
		ok = n.Kind == '"'
	case "deprecated", "readOnly", "writeOnly", "uniqueItems":
		ok = n.Kind == 't' || n.Kind == 'f'
	case "enum", "examples":
		ok = n.Kind == '['
	case "required":
		return distinctNames(n)
	case "dependentRequired":
		return dependentNames(n)
	case "type":
		return knownTypes(n)
	case "pattern":
		return b.pattern(n, pointer)
	case "const", "default":
		ok = true
	default:
		return nil // extensions, and what nobody knows
	}
	if !ok {
		_ = b.flaw(CodeInvalid, pointer, "%s has a value that it cannot have", name)
		return nil
	}
	return n
}

func (b *Bundle) pattern(n *jsontree.Node, pointer string) *jsontree.Node {
	if n.Kind != '"' || !schema.ValidPattern(n.Text()) {
		_ = b.flaw(CodeIncomplete, pointer, "the pattern is none that is understood: it is not checked")
		return nil
	}
	return n
}

// distinctNames keeps of a list what are names, each once. A single true, which older documents have here, is none.
func distinctNames(n *jsontree.Node) *jsontree.Node {
	out := &jsontree.Node{Kind: '['}
	if n.IsArray() {
		for _, item := range n.Items {
			if item.Kind == '"' && !slices.ContainsFunc(out.Items, func(other *jsontree.Node) bool { return other.Text() == item.Text() }) {
				out.Items = append(out.Items, item)
			}
		}
	}
	if len(out.Items) == 0 {
		return nil
	}
	return out
}

func dependentNames(n *jsontree.Node) *jsontree.Node {
	out := &jsontree.Node{Kind: '{'}
	for name, item := range n.Members() {
		if names := distinctNames(item); names != nil {
			out.Set(name, names)
		}
	}
	return out
}

// knownTypes keeps the types that JSON Schema has. Where there is none left the value may be anything.
func knownTypes(n *jsontree.Node) *jsontree.Node {
	known := func(n *jsontree.Node) bool {
		return slices.Contains([]string{"string", "integer", "number", "boolean", "array", "object", "null"}, n.Text())
	}
	if n.Kind == '"' && known(n) {
		return n
	}
	list := distinctNames(n)
	if list == nil {
		return nil
	}
	if list.Items = slices.DeleteFunc(list.Items, func(n *jsontree.Node) bool { return !known(n) }); len(list.Items) == 0 {
		return nil
	}
	return list
}

// translate completes the copy of a schema by what OpenAPI says in words of its own.
func (b *Bundle) translate(n, out *jsontree.Node) *jsontree.Node {
	if b.Old && out.Member("$ref") != nil { // beside a reference nothing counts, but words for people do no harm
		keep(out, "$ref", "title", "description", "deprecated")
	}
	b.exclude(n, out)
	if example := n.Member("example"); example != nil && out.Member("examples") == nil {
		out.Set("examples", &jsontree.Node{Kind: '[', Items: []*jsontree.Node{example}})
	}
	b.require(out)
	b.discriminate(n, out)
	if isTrue(n.Member("nullable")) {
		return nullable(out)
	}
	return out
}

// keep leaves only some members in an object.
func keep(n *jsontree.Node, names ...string) {
	all := &jsontree.Node{Kind: '{', Names: n.Names, Items: n.Items}
	n.Names, n.Items = nil, nil
	for name, item := range all.Members() {
		if slices.Contains(names, name) {
			n.Names, n.Items = append(n.Names, name), append(n.Items, item)
		}
	}
}

// exclude gives the limits their meaning that stand beside "exclusiveMinimum": true.
func (b *Bundle) exclude(n, out *jsontree.Node) {
	for limit, exclusive := range map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"} {
		if value := n.Member(limit); isTrue(n.Member(exclusive)) && value != nil && value.Kind == '0' {
			out.Set(exclusive, value)
		}
	}
}

// require takes back that a property must be there which is no input.
func (b *Bundle) require(out *jsontree.Node) {
	list := out.Member("required")
	if list == nil || len(b.unset) == 0 {
		return
	}
	properties := out.Member("properties")
	list = &jsontree.Node{Kind: '[', Items: slices.DeleteFunc(slices.Clone(list.Items), func(n *jsontree.Node) bool {
		return b.unset[n.Text()] && properties.Member(n.Text()) == nil
	})}
	out.Set("required", list)
}

// discriminate makes alternatives that a property tells apart judge by it. Without a mapping, several may fit: which one
// is meant is for the site to see.
func (b *Bundle) discriminate(n, out *jsontree.Node) {
	discriminator, branches := n.Member("discriminator"), out.Member("oneOf")
	property := discriminator.Member("propertyName").Text()
	if property == "" || branches == nil {
		return
	}
	words := map[string]*jsontree.Node{} // by the reference under "$defs"
	for word, target := range discriminator.Member("mapping").Members() {
		ref := target.Text()
		if !strings.Contains(ref, "/") {
			ref = jsontree.Pointer("#/components/schemas", ref)
		}
		pointer, err := LocalPointer(ref)
		name, known := b.names[pointer]
		if err != nil || !known {
			continue
		}
		if words[name] == nil {
			words[name] = &jsontree.Node{Kind: '['}
		}
		words[name].Items = append(words[name].Items, jsontree.String(word))
	}
	alternatives := &jsontree.Node{Kind: '['}
	for _, branch := range branches.Items {
		name := strings.TrimPrefix(branch.Member("$ref").Text(), defsPrefix)
		if values := words[name]; values != nil && name != "" {
			branch = withMember(branch, property, values)
		}
		alternatives.Items = append(alternatives.Items, branch)
	}
	rename(out, "oneOf", "anyOf", alternatives)
}

// withMember returns a schema that also wants one of some values in a member.
func withMember(branch *jsontree.Node, property string, values *jsontree.Node) *jsontree.Node {
	enum, properties := &jsontree.Node{Kind: '{'}, &jsontree.Node{Kind: '{'}
	enum.Set("enum", values)
	properties.Set(property, enum)
	out := &jsontree.Node{Kind: '{', Names: slices.Clone(branch.Names), Items: slices.Clone(branch.Items)}
	out.Set("properties", properties)
	return out
}

// rename replaces a member by one of another name, unless that is there.
func rename(n *jsontree.Node, old, name string, value *jsontree.Node) {
	i := slices.Index(n.Names, old)
	if i < 0 || n.Member(name) != nil {
		return
	}
	n.Names = slices.Clone(n.Names)
	n.Names[i], n.Items[i] = name, value
}

// nullable lets a schema allow null.
func nullable(n *jsontree.Node) *jsontree.Node {
	null := jsontree.String("null")
	if enum := n.Member("enum"); enum != nil && !slices.ContainsFunc(enum.Items, func(n *jsontree.Node) bool { return n.Kind == 'n' }) {
		n.Set("enum", &jsontree.Node{Kind: '[', Items: append(slices.Clone(enum.Items), jsontree.Null())})
	}
	switch kind := n.Member("type"); {
	case kind == nil:
	case kind.Kind == '"' && kind.Text() != "null":
		n.Set("type", &jsontree.Node{Kind: '[', Items: []*jsontree.Node{kind, null}})
	case kind.IsArray() && !slices.ContainsFunc(kind.Items, func(n *jsontree.Node) bool { return n.Text() == "null" }):
		n.Set("type", &jsontree.Node{Kind: '[', Items: append(slices.Clone(kind.Items), null)})
	}
	if !slices.ContainsFunc([]string{"$ref", "allOf", "anyOf", "oneOf"}, func(name string) bool { return n.Member(name) != nil }) {
		return n
	}
	words, onlyNull := &jsontree.Node{Kind: '{'}, &jsontree.Node{Kind: '{'}
	onlyNull.Set("type", null)
	rest := &jsontree.Node{Kind: '{'}
	for name, item := range n.Members() {
		if slices.Contains([]string{"title", "description", "examples", "default", "deprecated", "writeOnly"}, name) {
			words.Set(name, item)
		} else {
			rest.Set(name, item)
		}
	}
	words.Set("anyOf", &jsontree.Node{Kind: '[', Items: []*jsontree.Node{rest, onlyNull}})
	return words
}
