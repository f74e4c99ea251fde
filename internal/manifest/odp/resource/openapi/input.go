package openapi

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// bodyArgument is the argument that holds the whole body, where its members cannot be arguments of their own.
const bodyArgument = "body"

// input puts the parameters and the body together into one schema of all arguments.
//
// The members of a body that is an object are arguments of their own where that means the same as the body's schema does:
// it must be there to be complete, and beside parameters it may hold nothing but lists of members. Otherwise, and when a
// name is taken, the whole body is the argument "body".
func input(parameters []parameter, plan *bodyPlan, rule *jsontree.Node, b *bundle) (jsontext.Value, error) {
	whole := &jsontree.Node{Kind: '{'}
	whole.Set("type", jsontree.String("object"))
	properties, required := &jsontree.Node{Kind: '{'}, &jsontree.Node{Kind: '['}
	for _, p := range parameters {
		n, err := p.rule(b)
		if err != nil {
			return nil, err
		}
		properties.Set(p.argument, n)
		if p.required {
			required.Items = append(required.Items, jsontree.String(p.argument))
		}
	}
	additional := &jsontree.Node{Kind: 'f', Raw: jsontext.Value("false")}
	switch {
	case plan == nil || plan.mediaType == "":
	case rule != nil && flat(parameters, plan, rule, b):
		object := b.target(rule)
		if len(parameters) == 0 {
			return b.complete(rule), nil
		}
		for name, n := range members(object.Member("properties")) {
			properties.Set(name, n)
		}
		if list := object.Member("required"); list != nil {
			required.Items = append(required.Items, list.Items...)
		}
		additional = object.Member("additionalProperties")
	default:
		if slices.ContainsFunc(parameters, func(p parameter) bool { return p.argument == bodyArgument }) {
			return nil, unusable("", "a parameter has the name that its body needs: %q", bodyArgument)
		}
		plan.argument = bodyArgument
		if rule == nil {
			rule = &jsontree.Node{Kind: 't', Raw: jsontext.Value("true")}
		}
		properties.Set(bodyArgument, rule)
		if plan.required {
			required.Items = append(required.Items, jsontree.String(bodyArgument))
		}
	}
	whole.Set("properties", properties)
	if len(required.Items) > 0 {
		whole.Set("required", required)
	}
	if additional != nil {
		whole.Set("additionalProperties", additional)
	}
	return b.complete(whole), nil
}

// rule returns the schema of a parameter's value, with what the parameter says about itself.
func (p parameter) rule(b *bundle) (*jsontree.Node, error) {
	n := &jsontree.Node{Kind: '{'}
	if p.schema != nil {
		var err error
		if n, err = b.add(p.schema, jsontree.Pointer(p.pointer, "schema")); err != nil {
			return nil, err
		}
	}
	if n.Kind == '{' && n.Member("description") == nil && p.description != "" {
		n.Set("description", jsontree.String(p.description))
	}
	return n, nil
}

// flat reports whether the members of a body can be arguments of their own.
func flat(parameters []parameter, plan *bodyPlan, rule *jsontree.Node, b *bundle) bool {
	object := b.target(rule)
	if object.Member("type").Text() != "object" {
		return false
	}
	list := object.Member("required")
	if !plan.required && list != nil && len(list.Items) > 0 || list != nil && list.Kind != '[' {
		return false
	}
	if len(parameters) == 0 {
		return true
	}
	for _, name := range object.Names {
		if !slices.Contains([]string{
			"type", "properties", "required", "additionalProperties", "title", "description", "example", "examples", "default",
			"deprecated", "readOnly", "writeOnly", "externalDocs", "xml", "$comment",
		}, name) {
			return false
		}
	}
	if additional := object.Member("additionalProperties"); additional != nil && additional.Kind != 'f' && additional.Kind != 't' {
		return false
	}
	properties := object.Member("properties")
	if properties != nil && properties.Kind != '{' {
		return false
	}
	return !slices.ContainsFunc(parameters, func(p parameter) bool { return properties.Member(p.argument) != nil })
}

// target returns the schema that one stands for which is nothing but a reference.
func (b *bundle) target(n *jsontree.Node) *jsontree.Node {
	for range maxReferences {
		if len(n.Names) != 1 || n.Names[0] != "$ref" {
			break
		}
		next := b.defs.Member(n.Items[0].Text()[len("#/$defs/"):])
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// complete returns a schema as one value with everything that it refers to.
func (b *bundle) complete(n *jsontree.Node) jsontext.Value {
	if len(b.defs.Names) == 0 || n.Kind != '{' {
		return n.Value()
	}
	out := &jsontree.Node{Kind: '{', Names: slices.Clone(n.Names), Items: slices.Clone(n.Items)}
	if own := n.Member("$defs"); own != nil { // nothing refers to them there: references were led to their copies
		out.Names, out.Items = nil, nil
		for name, item := range members(n) {
			if name != "$defs" {
				out.Set(name, item)
			}
		}
	}
	out.Set("$defs", b.defs)
	return out.Value()
}
