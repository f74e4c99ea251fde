package openapi

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	standard "github.com/agentctl/agentctl/internal/manifest/openapi"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Body is a request body as a caller has it: sent byte by byte.
type Body = standard.Body

// Sendable reports whether a text can stand in a header as the media type of a body.
func Sendable(mediaType string) bool { return standard.Sendable(mediaType) }

// IsJSON reports whether bodies of a media type are JSON.
func IsJSON(mediaType string) bool { return standard.IsJSON(mediaType) }

// IsForm reports whether bodies of a media type are HTML forms in their simple encoding.
func IsForm(mediaType string) bool { return standard.IsForm(mediaType) }

// CheckJSON judges a JSON body against a schema; nil allows anything.
func CheckJSON(body []byte, rule jsontext.Value) []fault.Problem {
	return standard.CheckJSON(body, rule)
}

// AppendForm appends the members of an object as an HTML form. A member that is an array repeats its name; what holds
// objects or null has no form and becomes a problem.
func AppendForm(out []byte, object jsontext.Value) ([]byte, []fault.Problem) {
	return standard.AppendForm(out, object, nil)
}

// body reads the request body of an operation; nil when it has none.
func (d *Document) body(at place, b *standard.Bundle) (plan *standard.BodyPlan, rule *jsontree.Node, err error) {
	n := at.operation.Member("requestBody")
	if n == nil {
		return nil, nil, nil
	}
	n, pointer, err := d.lookup().Resolve(n, jsontree.Pointer(at.pointer, "requestBody"))
	if err != nil {
		return nil, nil, err
	}
	required := n.Member("required")
	plan = &standard.BodyPlan{Required: required != nil && required.Kind == 't'}
	if at.method == "get" || at.method == "head" {
		if plan.Required {
			return nil, nil, unusable(pointer, "a body is needed, which %s has not", strings.ToUpper(at.method))
		}
		return nil, nil, nil
	}
	for _, content := range standard.Contents(n, pointer) {
		plan.Types = append(plan.Types, content.MediaType)
		if sent := argumentType(content); sent != "" && plan.MediaType == "" {
			plan.MediaType = sent
			rule, pointer = content.Schema()
		}
	}
	if len(plan.Types) == 0 {
		return nil, nil, unusable(pointer, "its body has no media type")
	}
	if rule == nil {
		return plan, nil, nil
	}
	rule, err = b.Add(rule, pointer)
	return plan, rule, err
}

// argumentType returns the type of a body of that media type that is made of arguments, or "" when none can be.
func argumentType(content standard.Content) string {
	switch essence := odp.Essence(content.MediaType); {
	case IsJSON(content.MediaType):
		return content.MediaType
	case essence == "*/*" || essence == "application/*":
		return "application/json"
	case IsForm(content.MediaType) && content.Node.Member("encoding") == nil:
		return essence
	}
	return ""
}
