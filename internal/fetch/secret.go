package fetch

import (
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/agentctl/agentctl/internal/fault"
)

// SecretPlace is the part of a request that carries a [Secret].
type SecretPlace string

// The places, as OpenAPI calls them.
const (
	InHeader SecretPlace = "header"
	InQuery  SecretPlace = "query"
	InCookie SecretPlace = "cookie"
)

// Secret is a part of a request that proves who sends it. It is added to each request for the origin that it is meant for when that is
// written, and is in no URL, header or error that this package hands out.
type Secret struct {
	In    SecretPlace
	Name  string
	Value string // as it is meant; it is encoded where it stands in a query
	TLS13 bool   // it is sent over TLS 1.3 or not at all (CH-12)
}

// Check says why a request cannot carry the secret; nil when it can. The error does not repeat it. A field that is for the
// client alone can be none, but for Authorization.
func (s Secret) Check() error {
	switch {
	case s.In == InHeader && !httpguts.ValidHeaderFieldName(s.Name), s.In == InCookie && !httpguts.ValidHeaderFieldName(s.Name):
		return invalidSecret("%s is no name for a %s field", quote(s.Name), s.In)
	case s.In == InHeader && clientHeader(s.Name):
		return invalidSecret("the header %s cannot carry a credential", quote(s.Name))
	case s.In == InHeader && !httpguts.ValidHeaderFieldValue(s.Value):
		return invalidSecret("the credential holds characters that no header may carry")
	case s.In == InCookie && !cookieValue(s.Value):
		return invalidSecret("the credential holds characters that no cookie may carry")
	case s.In == InQuery && s.Name == "":
		return invalidSecret("a query field without a name cannot carry a credential")
	case s.In != InHeader && s.In != InQuery && s.In != InCookie:
		return invalidSecret("a request has no place %s for a credential", quote(string(s.In)))
	}
	return nil
}

// clientHeader reports whether a header field is for the client alone, and no place for a credential either.
func clientHeader(name string) bool {
	name = textproto.CanonicalMIMEHeaderKey(name)
	return name != "Authorization" && ownHeader(name)
}

func invalidSecret(format string, args ...any) error {
	return fault.New(fault.Usage, "invalid_request", format, args...)
}

// cookieValue reports whether text can be the value of a cookie as it is (RFC 6265 section 4.1.1).
func cookieValue(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`",;\`, r) }) < 0
}

// addSecrets writes the secrets into a request that is about to be sent. A field of the same name gives way: it is no
// second credential.
func addSecrets(r *http.Request, secrets []Secret) {
	var query, cookies []string
	for _, s := range secrets {
		switch s.In {
		case InHeader:
			r.Header.Set(s.Name, s.Value)
		case InQuery:
			r.URL.RawQuery = withoutField(r.URL.RawQuery, s.Name)
			query = append(query, url.QueryEscape(s.Name)+"="+url.QueryEscape(s.Value))
		case InCookie:
			cookies = append(cookies, s.Name+"="+s.Value)
		}
	}
	if len(query) > 0 {
		if r.URL.RawQuery != "" {
			query = append([]string{r.URL.RawQuery}, query...)
		}
		r.URL.RawQuery = strings.Join(query, "&")
	}
	if len(cookies) > 0 {
		r.Header["Cookie"] = []string{strings.Join(cookies, "; ")}
	}
}

// WithField shows a URL with a field at the end of its query, in place of one that has the name already, as it is sent with
// a secret there. value is put in as it is. It is for people, who may be shown a word for the secret.
func WithField(shown, name, value string) string {
	before, query, _ := strings.Cut(shown, "?")
	if query = withoutField(query, name); query != "" {
		query += "&"
	}
	return before + "?" + query + url.QueryEscape(name) + "=" + value
}

// withoutField leaves a field out of an encoded query, and the rest as it is.
func withoutField(query, name string) string {
	var kept []string
	for field := range strings.SplitSeq(query, "&") {
		encoded, _, _ := strings.Cut(field, "=")
		if decoded, err := url.QueryUnescape(encoded); field != "" && (err != nil || decoded != name) {
			kept = append(kept, field)
		}
	}
	return strings.Join(kept, "&")
}
