package call

import (
	"net/http"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fetch"
)

// withCookies takes the cookies, which some operations have for parameters, out of a header: no caller may set that header
// (T-9), so they go where those go that carry a credential.
func withCookies(header http.Header, secrets []fetch.Secret) (http.Header, []fetch.Secret) {
	cookies := header.Get("Cookie")
	if cookies == "" {
		return header, secrets
	}
	header, secrets = header.Clone(), slices.Clone(secrets)
	header.Del("Cookie")
	for cookie := range strings.SplitSeq(cookies, "; ") {
		name, value, _ := strings.Cut(cookie, "=")
		secrets = append(secrets, fetch.Secret{In: fetch.InCookie, Name: name, Value: value})
	}
	return header, secrets
}
