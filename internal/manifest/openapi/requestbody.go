package openapi

import (
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// body reads the request body; nil when there is none.
func (r *actionReader) body(b *Bundle, method string) (plan *BodyPlan, rule *jsontree.Node, err error) {
	n, pointer := r.root.Member("requestBody"), jsontree.Pointer(r.pointer, "requestBody")
	if n == nil {
		return nil, nil, nil
	}
	if n, pointer, err = r.find.Resolve(n, pointer); err != nil {
		return nil, nil, err
	}
	plan = &BodyPlan{Required: isTrue(n.Member("required"))}
	list := Contents(n, pointer)
	switch {
	case method == http.MethodGet || method == http.MethodHead: // OpenAPI 3.0.3, section 4.7.10: it is to be ignored
		r.flaw(invalid(pointer, "%s has no body: what is said about one is ignored", method))
		return nil, nil, nil
	case len(list) == 0 && (!plan.Required || untyped(n)):
		r.flaw(invalid(pointer, "its body has no media type: none is sent"))
		return nil, nil, nil
	case len(list) == 0:
		return nil, nil, invalid(pointer, "its body has no media type")
	}
	for _, c := range list {
		plan.Types = append(plan.Types, c.MediaType)
	}
	content, ok := choose(list)
	if !ok { // nobody but the caller knows what to send
		return plan, nil, nil
	}
	plan.MediaType = content.MediaType
	r.flaws = append(r.flaws, plan.readEncoding(content)...)
	n, pointer = content.Schema()
	switch {
	case IsForm(plan.MediaType) || isMultipart(plan.MediaType):
		rule, err = r.form(plan, b, n, pointer)
	case n != nil && IsJSON(plan.MediaType):
		rule, err = b.Add(n, pointer)
	}
	if err != nil {
		return nil, nil, err
	}
	return plan, rule, nil
}

// untyped reports whether a body has no more than empty names for its media types.
func untyped(body *jsontree.Node) bool {
	for mediaType := range body.Member("content").Members() {
		if strings.TrimSpace(mediaType) != "" {
			return false
		}
	}
	return true
}

// form reads the schema of a form, which is one of objects: where nothing is said, members may have any name.
func (r *actionReader) form(plan *BodyPlan, b *Bundle, n *jsontree.Node, pointer string) (*jsontree.Node, error) {
	if n == nil {
		n = anything()
	}
	rule, err := b.Add(n, pointer)
	if err != nil {
		return nil, err
	}
	target, multipart := b.Target(rule), isMultipart(plan.MediaType)
	switch kind := target.Member("type"); {
	case b.isObject(rule) || target.Kind == 'f':
	case kind == nil && onlyMembers(target):
		rule = asObject(target)
	case kind != nil && multipart:
		r.flaw(invalid(pointer, "its form is no object: what it is goes into a part that is named %q", unnamedPart))
		rule = objectWith(unnamedPart, rule)
	case kind != nil && kind.Text() != "string":
		r.flaw(invalid(pointer, "its form is no object: its members are not checked"))
		rule = asObject(anything())
	}
	if multipart {
		plan.Files = b.takeFiles(rule)
	}
	return rule, nil
}

// unnamedPart is what a part of a form is named that has no name: what most servers call a file.
const unnamedPart = "file"
