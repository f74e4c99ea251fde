package openapi

import (
	"net/url"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	standard "github.com/agentctl/agentctl/internal/manifest/openapi"
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
		filled, err := standard.FillServer(servers.Items[0])
		if err != nil {
			return "", unusable(at.pointer, "%s", err.Message)
		}
		text = filled
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
