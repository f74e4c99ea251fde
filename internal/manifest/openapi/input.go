package openapi

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Inputs is what becomes the one schema of all arguments.
type Inputs struct {
	Parameters []Parameter // named
	Body       *BodyPlan   // nil: there is none; its Argument is set where it is needed
	Rule       *jsontree.Node
	Bundle     *Bundle
}

// Schema puts the parameters and the body together.
//
// The members of a body that is an object are arguments of their own where that means the same as the body's schema does.
// Otherwise the whole body is the argument "body". A strict bundle is stricter here too: the body must be there to be
// complete, beside parameters it may hold nothing but lists of members, and none of the same name. Its error is an [*Error].
func (in Inputs) Schema() (jsontext.Value, error) {
	whole, properties, required := &jsontree.Node{Kind: '{'}, &jsontree.Node{Kind: '{'}, &jsontree.Node{Kind: '['}
	whole.Set("type", jsontree.String("object"))
	for _, p := range in.Parameters {
		n, err := p.rule(in.Bundle)
		if err != nil {
			return nil, err
		}
		properties.Set(p.Argument, n)
		if p.Required {
			required.Items = append(required.Items, jsontree.String(p.Argument))
		}
	}
	additional := nothing()
	switch how := in.how(); how {
	case noBody:
	case alone:
		return in.Bundle.Complete(in.Rule), nil
	case beside, together:
		object := in.Bundle.Target(in.Rule)
		for name, n := range object.Member("properties").Members() {
			properties.Set(name, n)
		}
		list := object.Member("required")
		if how == together {
			rest := &jsontree.Node{Kind: '{'}
			rest.Set("required", list)
			whole.Set("if", in.withoutBody())
			whole.Set("else", rest)
		} else if list != nil {
			required.Items = append(required.Items, list.Items...)
		}
		additional = object.Member("additionalProperties")
	case applied, optional:
		additional = nil
		whole.Set(in.alternative(how))
	case asOne:
		if slices.ContainsFunc(in.Parameters, func(p Parameter) bool { return p.Argument == BodyArgument }) {
			return nil, invalid("", "a parameter has the name that its body needs: %q", BodyArgument)
		}
		in.Body.Argument = BodyArgument
		properties.Set(BodyArgument, in.bodyRule())
		if in.Body.Required {
			required.Items = append(required.Items, jsontree.String(BodyArgument))
		}
	}
	whole.Set("properties", properties)
	if len(required.Items) > 0 {
		whole.Set("required", required)
	}
	if additional != nil {
		whole.Set("additionalProperties", additional)
	}
	return in.Bundle.Complete(whole), nil
}

// manner is how a body becomes arguments.
type manner int

const (
	noBody   manner = iota
	alone           // its schema is that of all arguments
	beside          // its members stand beside the parameters
	together        // they do, and what is required is only where one of them is given
	applied         // its schema applies besides
	optional        // its schema applies unless only parameters are given
	asOne           // it is one argument
)

func (in Inputs) how() manner {
	switch b := in.Bundle; {
	case in.Body == nil || in.Body.MediaType == "":
		return noBody
	case in.Rule == nil || !inArguments(in.Body.MediaType):
		return asOne
	case b.Strict && in.strictlyFlat():
		if len(in.Parameters) == 0 {
			return alone
		}
		return beside
	case b.Strict || !b.isObject(in.Rule):
		return asOne
	case !in.Body.Required && b.requires(in.Rule):
		if len(in.Parameters) > 0 && b.closed(in.Rule) {
			return asOne
		}
		if onlyMembers(b.Target(in.Rule)) {
			return together
		}
		return optional
	case len(in.Parameters) == 0:
		return alone
	case onlyMembers(b.Target(in.Rule)):
		return beside
	case b.closed(in.Rule):
		return asOne
	}
	return applied
}

// alternative returns the keyword, and its value, that makes the body's schema apply.
func (in Inputs) alternative(how manner) (string, *jsontree.Node) {
	if how == applied {
		return "allOf", &jsontree.Node{Kind: '[', Items: []*jsontree.Node{in.Rule}}
	}
	return "anyOf", &jsontree.Node{Kind: '[', Items: []*jsontree.Node{in.Rule, in.withoutBody()}}
}

// withoutBody is the schema of arguments that are parameters alone.
func (in Inputs) withoutBody() *jsontree.Node {
	names, outside := &jsontree.Node{Kind: '['}, &jsontree.Node{Kind: '{'}
	for _, p := range in.Parameters {
		names.Items = append(names.Items, jsontree.String(p.Argument))
	}
	if len(names.Items) == 0 {
		outside.Set("maxProperties", &jsontree.Node{Kind: '0', Raw: jsontext.Value("0")})
	} else {
		only := &jsontree.Node{Kind: '{'}
		only.Set("enum", names)
		outside.Set("propertyNames", only)
	}
	return outside
}

// bodyRule returns the schema of the one argument that is the body.
func (in Inputs) bodyRule() *jsontree.Node {
	switch mediaType := in.Body.MediaType; {
	case inArguments(mediaType) && in.Rule == nil:
		return anything()
	case inArguments(mediaType):
		return in.Rule
	case isText(mediaType):
		return textSchema()
	}
	in.Body.Files = []string{BodyArgument}
	return fileSchema("")
}

// rule returns the schema of a parameter's value, with what the parameter says about itself.
func (p Parameter) rule(b *Bundle) (*jsontree.Node, error) {
	n := &jsontree.Node{Kind: '{'}
	if p.Schema != nil {
		at := p.schemaAt
		if at == "" {
			at = jsontree.Pointer(p.Pointer, "schema")
		}
		var err error
		if n, err = b.Add(p.Schema, at); err != nil {
			return nil, err
		}
	}
	if n.Kind != '{' {
		return n, nil
	}
	if n.Member("description") == nil && p.Description != "" {
		n.Set("description", jsontree.String(p.Description))
	}
	if n.Member("examples") == nil && p.Example != nil {
		n.Set("examples", &jsontree.Node{Kind: '[', Items: []*jsontree.Node{p.Example}})
	}
	return n, nil
}

// strictlyFlat reports whether the members of a body can be arguments of their own without any doubt.
func (in Inputs) strictlyFlat() bool {
	object := in.Bundle.Target(in.Rule)
	if object.Member("type").Text() != "object" {
		return false
	}
	list := object.Member("required")
	if !in.Body.Required && list != nil && len(list.Items) > 0 || list != nil && list.Kind != '[' {
		return false
	}
	if len(in.Parameters) == 0 {
		return true
	}
	if additional := object.Member("additionalProperties"); additional != nil && additional.Kind != 'f' && additional.Kind != 't' {
		return false
	}
	properties := object.Member("properties")
	if properties != nil && properties.Kind != '{' || !onlyMembers(object) {
		return false
	}
	return !slices.ContainsFunc(in.Parameters, func(p Parameter) bool { return properties.Member(p.Argument) != nil })
}

// onlyMembers reports whether the schema of an object says nothing but what members it has.
func onlyMembers(object *jsontree.Node) bool {
	for _, name := range object.Names {
		if !slices.Contains([]string{
			"type", "properties", "required", "additionalProperties", "title", "description", "example", "examples", "default",
			"deprecated", "readOnly", "writeOnly", "externalDocs", "xml", "$comment",
		}, name) {
			return false
		}
	}
	return true
}
