package openapi

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Body is a request body as a caller has it: sent byte by byte.
type Body struct {
	Type string // its media type; "" where the action knows it
	Data []byte
}

// Media types of bodies that arguments can be put into.
const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

// Sendable reports whether a text can stand in a header as the media type of a body.
func Sendable(mediaType string) bool {
	return odp.Essence(mediaType) != "" && !strings.ContainsFunc(mediaType, func(r rune) bool { return r < ' ' || r > '~' })
}

// IsJSON reports whether bodies of a media type are JSON.
func IsJSON(mediaType string) bool {
	essence := odp.Essence(mediaType)
	return essence == jsonType || strings.HasSuffix(essence, "+json")
}

// IsForm reports whether bodies of a media type are HTML forms in their simple encoding.
func IsForm(mediaType string) bool { return odp.Essence(mediaType) == formType }

// CheckJSON judges a JSON body against a schema; nil allows anything.
func CheckJSON(body []byte, rule jsontext.Value) []fault.Problem {
	if err := strictjson.Check(body); err != nil {
		return []fault.Problem{{Keyword: "json", Message: "the body: " + err.Error()}}
	}
	if rule == nil {
		return nil
	}
	compiled, err := schema.Compile(rule)
	if err != nil {
		return []fault.Problem{{Keyword: "schema", Message: "the body cannot be checked: " + err.Error()}}
	}
	failures, err := compiled.Validate(body)
	if err != nil {
		return []fault.Problem{{Keyword: "schema", Message: "the body cannot be checked: " + err.Error()}}
	}
	var problems []fault.Problem
	for _, f := range failures {
		problems = append(problems, fault.Problem{Pointer: f.Pointer, Keyword: f.Keyword, Message: "does not match the schema of the body"})
	}
	return problems
}

// AppendForm appends the members of an object as an HTML form. A member that is an array repeats its name; what holds
// objects or null has no form and becomes a problem.
func AppendForm(out []byte, object jsontext.Value) ([]byte, []fault.Problem) {
	var problems []fault.Problem
	root := jsontree.Parse(object)
	for name, value := range members(root) {
		items := []*jsontree.Node{value}
		if value.Kind == '[' {
			items = value.Items
		}
		for _, item := range items {
			text, ok := plain(item)
			if !ok {
				problems = append(problems, badValue(name, "cannot be put into a form"))
				break
			}
			out = appendPair(out, escape(name), escape(text))
		}
	}
	return out, problems
}

// bodyPlan is how an operation's arguments become its body.
type bodyPlan struct {
	required  bool
	mediaType string         // of a body that is made of arguments; "" when none can be
	argument  string         // the one argument that holds the whole body; "" when all that are no parameters are its members
	rule      jsontext.Value // the schema of a JSON body, complete; nil allows anything
	types     []string       // the media types that the operation takes
}

// body reads the request body of an operation; nil when it has none.
func (d *Document) body(at place, b *bundle) (plan *bodyPlan, rule *jsontree.Node, err error) {
	n := at.operation.Member("requestBody")
	if n == nil {
		return nil, nil, nil
	}
	n, pointer, err := d.resolve(n, jsontree.Pointer(at.pointer, "requestBody"))
	if err != nil {
		return nil, nil, err
	}
	required := n.Member("required")
	plan = &bodyPlan{required: required != nil && required.Kind == 't'}
	if at.method == "get" || at.method == "head" {
		if plan.required {
			return nil, nil, unusable(pointer, "a body is needed, which %s has not", strings.ToUpper(at.method))
		}
		return nil, nil, nil
	}
	for mediaType, content := range members(n.Member("content")) {
		if !Sendable(mediaType) {
			continue
		}
		plan.types = append(plan.types, mediaType)
		if sent := argumentType(mediaType, content); sent != "" && plan.mediaType == "" {
			plan.mediaType = sent
			rule = content.Member("schema")
			pointer = jsontree.Pointer(pointer, "content", mediaType, "schema")
		}
	}
	if len(plan.types) == 0 {
		return nil, nil, unusable(pointer, "its body has no media type")
	}
	if rule == nil {
		return plan, nil, nil
	}
	rule, err = b.add(rule, pointer)
	return plan, rule, err
}

// argumentType returns the type of a body of that media type that is made of arguments, or "" when none can be.
func argumentType(mediaType string, content *jsontree.Node) string {
	switch essence := odp.Essence(mediaType); {
	case IsJSON(mediaType):
		return mediaType
	case essence == "*/*" || essence == "application/*":
		return jsonType
	case essence == formType && content.Member("encoding") == nil:
		return formType
	}
	return ""
}
