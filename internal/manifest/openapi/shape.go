package openapi

import (
	"iter"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// inPlace yields every schema that applies to the same value as one does, or may: through references and combinations, each
// once.
func (b *Bundle) inPlace(n *jsontree.Node) iter.Seq[*jsontree.Node] {
	return func(yield func(*jsontree.Node) bool) {
		b.applying(n, map[*jsontree.Node]bool{}, yield)
	}
}

func (b *Bundle) applying(n *jsontree.Node, seen map[*jsontree.Node]bool, yield func(*jsontree.Node) bool) bool {
	if n == nil || n.Kind != '{' || seen[n] {
		return true
	}
	seen[n] = true
	if !yield(n) || !b.applying(b.referred(n), seen, yield) {
		return false
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if list := n.Member(keyword); list != nil {
			for _, part := range list.Items {
				if !b.applying(part, seen, yield) {
					return false
				}
			}
		}
	}
	return true
}

// referred returns what a schema refers to, or nil.
func (b *Bundle) referred(n *jsontree.Node) *jsontree.Node {
	ref := n.Member("$ref").Text()
	if ref == "" {
		return nil
	}
	return b.defs.Member(strings.TrimPrefix(ref, defsPrefix))
}

// isObject reports whether a schema is one of objects, as far as it says.
func (b *Bundle) isObject(n *jsontree.Node) bool { return b.allObjects(n, map[*jsontree.Node]bool{}) }

func (b *Bundle) allObjects(n *jsontree.Node, seen map[*jsontree.Node]bool) bool {
	if n == nil || n.Kind != '{' || seen[n] {
		return false
	}
	seen[n] = true
	if kind := n.Member("type"); kind != nil {
		return kind.Text() == "object" || kind.IsArray() && slices.ContainsFunc(kind.Items, func(n *jsontree.Node) bool { return n.Text() == "object" })
	}
	if n.Member("properties") != nil || b.allObjects(b.referred(n), seen) {
		return true
	}
	if all := n.Member("allOf"); all != nil && slices.ContainsFunc(all.Items, func(part *jsontree.Node) bool { return b.allObjects(part, seen) }) {
		return true
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list := n.Member(keyword)
		if list != nil && !slices.ContainsFunc(list.Items, func(part *jsontree.Node) bool { return !onlyNull(part) && !b.allObjects(part, seen) }) {
			return true
		}
	}
	return false
}

// asObject returns a schema that says nothing of the type with the type object.
func asObject(n *jsontree.Node) *jsontree.Node {
	out := &jsontree.Node{Kind: '{'}
	out.Set("type", jsontree.String("object"))
	for name, value := range n.Members() {
		out.Set(name, value)
	}
	return out
}

// objectWith returns the schema of objects that must have one member.
func objectWith(name string, member *jsontree.Node) *jsontree.Node {
	properties, out := &jsontree.Node{Kind: '{'}, &jsontree.Node{Kind: '{'}
	properties.Set(name, member)
	out.Set("type", jsontree.String("object"))
	out.Set("properties", properties)
	out.Set("required", &jsontree.Node{Kind: '[', Items: []*jsontree.Node{jsontree.String(name)}})
	return out
}

func onlyNull(n *jsontree.Node) bool { return n.Member("type").Text() == "null" }

// requires reports whether a member must be there.
func (b *Bundle) requires(n *jsontree.Node) bool {
	for part := range b.inPlace(n) {
		if list := part.Member("required"); list != nil && len(list.Items) > 0 {
			return true
		}
	}
	return false
}

// closed reports whether a schema may forbid members that are beside those it names.
func (b *Bundle) closed(n *jsontree.Node) bool {
	for part := range b.inPlace(n) {
		for name, value := range part.Members() {
			switch name {
			case "additionalProperties", "unevaluatedProperties":
				if value.Kind != 't' && (value.Kind != '{' || len(value.Names) > 0) {
					return true
				}
			case "patternProperties", "propertyNames", "minProperties", "maxProperties", "not", "if", "const", "enum":
				return true
			}
		}
	}
	return false
}

// members returns the names of all members that a schema names.
func (b *Bundle) members(n *jsontree.Node) map[string]bool {
	names := map[string]bool{}
	for part := range b.inPlace(n) {
		for name := range part.Member("properties").Members() {
			names[name] = true
		}
	}
	return names
}

// takeFiles makes arguments that are paths of files of those members of a form that are files, and returns their names.
func (b *Bundle) takeFiles(n *jsontree.Node) []string {
	var files []string
	for part := range b.inPlace(n) {
		properties := part.Member("properties")
		for name, property := range properties.Members() {
			if file := b.fileSchema(property); file != nil {
				properties.Set(name, file)
				files = append(files, name)
			}
		}
	}
	return files
}

// fileSchema returns the schema of the argument for a member that is a file, or a list of files; nil for any other.
func (b *Bundle) fileSchema(member *jsontree.Node) *jsontree.Node {
	target := b.Target(member)
	items := target.Member("items")
	switch {
	case isBinary(target):
		return fileSchema(target.Member("description").Text())
	case items != nil && isBinary(b.Target(items)):
		list := &jsontree.Node{Kind: '{'}
		list.Set("type", jsontree.String("array"))
		list.Set("items", fileSchema(target.Member("description").Text()))
		return list
	}
	return nil
}

// isBinary reports whether the values of a schema are bytes, in the words of OpenAPI 3.0 or 3.1.
func isBinary(n *jsontree.Node) bool {
	if kind := n.Member("type"); kind != nil && kind.Text() != "string" {
		return false
	}
	if n.Member("format").Text() == "binary" {
		return true
	}
	mediaType := n.Member("contentMediaType").Text()
	return mediaType != "" && n.Member("contentEncoding") == nil && !isText(mediaType) && !IsJSON(mediaType)
}

func fileSchema(description string) *jsontree.Node {
	n := textSchema()
	n.Set("format", jsontree.String("file"))
	if description != "" {
		n.Set("description", jsontree.String(description))
	}
	return n
}
