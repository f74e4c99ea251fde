package openapi

import (
	"net/url"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// server returns the absolute URL that the operation's path is joined to, without a slash at its end: the first server of
// the operation, else of the path item, else of the document, else "/" (ODP-109). Relative ones belong to the document's
// own address.
func (d *Document) server(at place) (string, error) {
	text := "/"
	for _, holder := range []*jsontree.Node{at.operation, at.item, d.root} {
		servers := holder.Member("servers")
		if servers == nil || servers.Kind == '[' && len(servers.Items) == 0 {
			continue
		}
		if servers.Kind != '[' {
			return "", unusable(at.pointer, "its servers are no list")
		}
		var err error
		if text, err = fillServer(servers.Items[0], at.pointer); err != nil {
			return "", err
		}
		break
	}
	relative, err := url.Parse(text)
	if err != nil || relative.User != nil || relative.RawQuery != "" || relative.ForceQuery || relative.Fragment != "" {
		return "", unusable(at.pointer, "the server %q is no plain URL", fault.Word(text))
	}
	absolute := d.url.ResolveReference(relative)
	absolute.RawQuery, absolute.Fragment, absolute.RawFragment = "", "", ""
	base := strings.TrimRight(absolute.String(), "/")
	if err := odp.CheckReference(base + "/"); err != nil {
		return "", unusable(at.pointer, "the server: %w", err)
	}
	return base, nil
}

// fillServer returns the URL of a server with the defaults of its variables in place.
func fillServer(server *jsontree.Node, pointer string) (string, error) {
	rest := server.Member("url").Text()
	if rest == "" {
		return "", unusable(pointer, "its server has no URL")
	}
	var out strings.Builder
	for {
		before, behind, found := strings.Cut(rest, "{")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(behind, "}")
		variable := server.Member("variables").Member(name)
		value := variable.Member("default")
		if !closed || value == nil || value.Kind != '"' || !oneOfEnum(variable, value.Text()) {
			return "", unusable(pointer, "the variable %q of its server has no default that can be used", fault.Word(name))
		}
		out.WriteString(value.Text())
		rest = after
	}
}

func oneOfEnum(variable *jsontree.Node, value string) bool {
	enum := variable.Member("enum")
	return enum == nil || slices.ContainsFunc(enum.Items, func(n *jsontree.Node) bool { return n.Text() == value })
}
