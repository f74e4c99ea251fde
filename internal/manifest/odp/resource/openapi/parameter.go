package openapi

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Where a parameter goes.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "header"
)

const (
	maxParameters = 256
	maxNameRunes  = 128
)

// parameter is one that the request has outside its body.
type parameter struct {
	name        string
	in          string
	argument    string // the name that callers know it by
	required    bool
	explode     bool
	json        bool // the value goes as JSON text
	description string
	schema      *jsontree.Node // nil: anything
	pointer     string
}

// parameters returns those of the path item and of the operation; the operation's replace those of the same name in the
// same place.
func (d *Document) parameters(at place) ([]parameter, error) {
	var out []parameter
	for i, holder := range []*jsontree.Node{at.item, at.operation} {
		list := holder.Member("parameters")
		pointer := at.pointer
		if i == 0 {
			pointer = pointer[:strings.LastIndexByte(pointer, '/')]
		}
		if list != nil && list.Kind != '[' {
			return nil, unusable(pointer, "its parameters are no list")
		}
		if list == nil {
			continue
		}
		if len(list.Items) > maxParameters {
			return nil, unusable(pointer, "it has more than %d parameters", maxParameters)
		}
		own, err := d.list(list, jsontree.Pointer(pointer, "parameters"))
		if err != nil {
			return nil, err
		}
		out = slices.DeleteFunc(out, func(p parameter) bool { return slices.ContainsFunc(own, p.same) })
		out = append(out, own...)
	}
	return out, nameArguments(out)
}

func (d *Document) list(list *jsontree.Node, pointer string) ([]parameter, error) {
	var out []parameter
	for i, n := range list.Items {
		p, err := d.parameter(n, jsontree.Pointer(pointer, list.Token(i)))
		switch {
		case err != nil:
			return nil, err
		case ignored(p):
			continue
		case slices.ContainsFunc(out, p.same):
			return nil, unusable(p.pointer, "the parameter %q is there twice", fault.Word(p.name))
		}
		out = append(out, p)
	}
	return out, nil
}

func (p parameter) same(q parameter) bool {
	return p.in == q.in && (p.name == q.name || p.in == inHeader && strings.EqualFold(p.name, q.name))
}

// ignored reports whether OpenAPI says that a parameter means nothing: these headers are made otherwise.
func ignored(p parameter) bool {
	return p.in == inHeader && slices.ContainsFunc([]string{"Accept", "Content-Type", "Authorization"},
		func(name string) bool { return strings.EqualFold(name, p.name) })
}

func (d *Document) parameter(n *jsontree.Node, pointer string) (p parameter, err error) {
	if n, pointer, err = d.resolve(n, pointer); err != nil {
		return p, err
	}
	c := odp.NewCursor(n, codeUnusable)
	p = parameter{
		name: c.Member("name").Text(1, maxNameRunes), in: c.Member("in").OneOf(inPath, inQuery, inHeader),
		required: c.Optional("required").Bool(), description: n.Member("description").Text(),
		schema: n.Member("schema"), pointer: pointer,
	}
	style := "simple"
	if p.in == inQuery {
		style = "form"
	}
	p.explode = style == "form"
	if explode := c.Optional("explode"); explode != nil {
		p.explode = explode.Bool()
	}
	if given := c.Optional("style"); given != nil {
		given.OneOf(style)
	}
	if content := c.Optional("content"); content != nil {
		p.json, p.schema = true, readContent(content)
	}
	p.check(c)
	if issue := c.Issue(); issue != nil {
		return p, unusable(pointer+issue.Pointer, "the parameter %q: %q %s", fault.Word(n.Member("name").Text()), issue.Pointer, issue.Message)
	}
	return p, nil
}

// readContent reads the one media type of a parameter that is not written in a style: JSON text.
func readContent(c *odp.Cursor) *jsontree.Node {
	if !c.Object() || c.Len() != 1 || !IsJSON(c.Node().Names[0]) {
		c.Fail("must have one media type, which is JSON")
		return nil
	}
	return c.Node().Items[0].Member("schema")
}

func (p parameter) check(c *odp.Cursor) {
	switch {
	case strings.ContainsFunc(p.name, func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Cf, r) }):
		c.Member("name").Fail("must not hold control characters")
	case p.in == inPath && !p.required:
		c.Member("required").Fail("must be true for a part of the path")
	case p.in == inHeader && !ignored(p) && !settable(p.name):
		c.Member("name").Fail("is a header that no argument can set")
	}
}

// settable reports whether an argument may become a header: it is a name, and neither part of how messages travel nor
// what carries a credential (ODP-111, ODP-137).
func settable(name string) bool {
	if !isToken(name) {
		return false
	}
	lower := strings.ToLower(name)
	if strings.HasPrefix(lower, "proxy-") || strings.HasPrefix(lower, "sec-") {
		return false
	}
	return !slices.Contains([]string{
		"host", "connection", "content-length", "content-encoding", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive",
		"cookie", "cookie2", "aep-authorization", "payment-signature", "x-payment", "forwarded", "origin", "referer", "accept-encoding",
	}, lower)
}

// isToken reports whether a text can be the name of a header (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

// nameArguments gives each parameter the name that callers use: its own, or with its place before it where two share one.
func nameArguments(list []parameter) error {
	taken := map[string]bool{}
	for i := range list {
		p := &list[i]
		p.argument = p.name
		if taken[p.argument] {
			p.argument = p.in + "-" + p.name
		}
		if taken[p.argument] {
			return unusable(p.pointer, "two parameters share the name %q", fault.Word(p.name))
		}
		taken[p.argument] = true
	}
	return nil
}
