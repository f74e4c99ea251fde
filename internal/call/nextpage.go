package call

import (
	"net/url"

	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/linkheader"
)

// nextPage is where an answer says that it goes on. It is relative to what was answered, redirects included.
func nextPage(r *fetch.Response) string {
	target := linkheader.Find(r.Header, "next")
	if target == "" {
		return ""
	}
	base, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	next, err := base.Parse(target)
	if err != nil {
		return ""
	}
	next.Fragment = ""
	return next.String()
}
