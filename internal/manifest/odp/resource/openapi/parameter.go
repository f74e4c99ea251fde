package openapi

import (
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	standard "github.com/agentctl/agentctl/internal/manifest/openapi"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

const maxNameRunes = 128

// parameters returns those of the path item and of the operation; the operation's replace those of the same name in the
// same place.
func (d *Document) parameters(at place) ([]standard.Parameter, error) {
	var out []standard.Parameter
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
		if len(list.Items) > standard.MaxParameters {
			return nil, unusable(pointer, "it has more than %d parameters", standard.MaxParameters)
		}
		own, err := d.list(list, jsontree.Pointer(pointer, "parameters"))
		if err != nil {
			return nil, err
		}
		out = standard.Merge(out, own)
	}
	if err := standard.NameArguments(out, nil); err != nil {
		return nil, refusal(err)
	}
	return out, nil
}

func (d *Document) list(list *jsontree.Node, pointer string) ([]standard.Parameter, error) {
	var out []standard.Parameter
	for i, n := range list.Items {
		p, err := d.parameter(n, jsontree.Pointer(pointer, list.Token(i)))
		switch {
		case err != nil:
			return nil, err
		case p.Ignored():
			continue
		case slices.ContainsFunc(out, p.Same):
			return nil, unusable(p.Pointer, "the parameter %q is there twice", fault.Word(p.Name))
		}
		out = append(out, p)
	}
	return out, nil
}

func (d *Document) parameter(n *jsontree.Node, pointer string) (p standard.Parameter, err error) {
	if n, pointer, err = d.lookup().Resolve(n, pointer); err != nil {
		return p, refusal(err)
	}
	c := odp.NewCursor(n, codeUnusable)
	p = standard.Parameter{
		Name:     c.Member("name").Text(1, maxNameRunes),
		In:       standard.Place(c.Member("in").OneOf(string(standard.InPath), string(standard.InQuery), string(standard.InHeader))),
		Required: c.Optional("required").Bool(), Description: n.Member("description").Text(),
		Schema: n.Member("schema"), Pointer: pointer,
	}
	p.Writing = standard.DefaultWriting(p.In)
	if explode := c.Optional("explode"); explode != nil {
		p.Writing.Explode = explode.Bool()
	}
	if given := c.Optional("style"); given != nil {
		given.OneOf(string(p.Writing.Style))
	}
	if content := c.Optional("content"); content != nil {
		p.Writing.JSON, p.Schema = true, readContent(content)
	}
	check(p, c)
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

func check(p standard.Parameter, c *odp.Cursor) {
	switch {
	case !standard.Visible(p.Name):
		c.Member("name").Fail("must not hold control characters")
	case p.In == standard.InPath && !p.Required:
		c.Member("required").Fail("must be true for a part of the path")
	case p.In == standard.InHeader && !p.Ignored() && !standard.Settable(p.Name): // ODP-111, ODP-137
		c.Member("name").Fail("is a header that no argument can set")
	}
}
