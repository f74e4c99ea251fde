package aep

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// Carrier is the header field that shows who asks (AEP-29).
type Carrier string

// The carriers. The second leaves the first to a payment, and is chosen before the first signed request when one may follow.
const (
	Authorization Carrier = "Authorization"
	Dedicated     Carrier = "AEP-Authorization"
)

// Field is a header field with which a request presents a credential. It never shows its value when printed.
type Field struct{ Name, Value string }

// String tells the name alone.
func (f Field) String() string { return f.Name + ": <redacted>" }

// GoString is [Field.String].
func (f Field) GoString() string { return f.String() }

// Present returns the field that presents an assertion (AEP-29).
func (c Carrier) Present(assertion string) Field { return Field{string(c), Scheme + " " + assertion} }

// Present returns the field that presents a credential to a URL, in a carrier or, for an API key, in the header that the
// Service chose (AEP-26). It is refused when the credential is over, and for another origin than that of its Service: code
// "credential_expired" or "credential_elsewhere".
func (c Credential) Present(carrier Carrier, to string, now time.Time) (Field, error) {
	u, err := parseHTTPS(to)
	switch {
	case err != nil || originOf(u) != c.Service.Origin():
		return Field{}, fault.New(fault.Auth, "credential_elsewhere", "the %s is not shown to %q (AEP-25)", c, fault.Word(to))
	case !now.Before(c.Expires):
		return Field{}, fault.New(fault.Auth, "credential_expired", "the %s expired at %s", c, c.Expires.UTC().Format(time.RFC3339))
	}
	switch c.Type {
	case OAuthBearer:
		return Field{string(carrier), "Bearer " + c.Token}, nil
	case APIKey:
		return Field{c.Header, c.Key}, nil
	case Basic:
		return Field{string(carrier), "Basic " + base64.StdEncoding.EncodeToString([]byte(c.Username+":"+c.Password))}, nil
	}
	return Field{}, fault.New(fault.Internal, "internal", "a credential of type %q cannot be presented", fault.Word(string(c.Type)))
}

// AddTo adds the field to a request's header, unless that would leave in doubt who asks: the field is there already, or one
// carrier has a credential of AEP and the other is to get one (AEP-29). A payment may be in the other one (AEP-30).
func (f Field) AddTo(header http.Header) error {
	if len(valuesOf(header, f.Name)) > 0 {
		return ambiguous(f.Name)
	}
	if other, ok := f.other(); ok && slices.ContainsFunc(valuesOf(header, other), recognised) {
		return ambiguous(other)
	}
	header[textproto.CanonicalMIMEHeaderKey(f.Name)] = []string{f.Value}
	return nil
}

// other is the carrier that the field is not in; ok is false for an API key.
func (f Field) other() (name string, ok bool) {
	switch {
	case strings.EqualFold(f.Name, string(Authorization)):
		return string(Dedicated), true
	case strings.EqualFold(f.Name, string(Dedicated)):
		return string(Authorization), true
	}
	return "", false
}

// recognised reports whether a value is one that AEP would take for a credential of its own.
func recognised(value string) bool {
	scheme, _, _ := strings.Cut(value, " ")
	return strings.EqualFold(scheme, Scheme) || strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Basic")
}

// valuesOf are the values of a field, however its name is spelled.
func valuesOf(header http.Header, name string) (values []string) {
	for key, each := range header {
		if strings.EqualFold(key, name) {
			values = append(values, each...)
		}
	}
	return values
}

func ambiguous(name string) *fault.Error {
	return fault.New(fault.Internal, "ambiguous_credentials", "the request has a credential in %q already", name)
}

// Strip takes out of a header what must not go to another origin (CH-9): carriers, payments, cookies, and the headers of API
// keys.
func Strip(header http.Header, apiKeyHeaders ...string) {
	for key := range header {
		if resource.Sensitive(key) || slices.ContainsFunc(apiKeyHeaders, func(name string) bool { return strings.EqualFold(name, key) }) {
			delete(header, key)
		}
	}
}

const (
	maxSecretText = 16 << 10 // servers refuse header fields long before
	maxNameText   = 128
)

// checkAPIKey holds an API key and its header to AEP-26.
func checkAPIKey(r *reader, c Credential, listed []string) {
	if !visible(c.Key, `",;\`) {
		r.fail("/api_key", "has characters that no API key has, or too many")
	}
	err := checkKeyHeader(c.Header)
	if err == nil && listed != nil && !slices.ContainsFunc(listed, func(name string) bool { return strings.EqualFold(name, c.Header) }) {
		err = errors.New("is none of those that the Service lists")
	}
	if err != nil {
		r.fail("/header", "%q %v", fault.Word(c.Header), err)
	}
}

// visible accepts a secret of visible ASCII characters, but for some.
func visible(secret, without string) bool {
	for i := range len(secret) {
		if secret[i] <= ' ' || secret[i] >= 0x7F || strings.IndexByte(without, secret[i]) >= 0 {
			return false
		}
	}
	return secret != "" && len(secret) <= maxSecretText
}

// checkKeyHeader refuses headers that mean something else: a Service could otherwise steer the request, or have a key stand
// where a cookie or a payment does.
func checkKeyHeader(name string) error {
	if !httpguts.ValidHeaderFieldName(name) || len(name) > maxNameText {
		return errors.New("is no header name")
	}
	reserved := []string{
		"accept", "accept-encoding", "accept-language", "authorization", "aep-authorization", "connection", "cookie", "date", "expect",
		"forwarded", "from", "host", "http2-settings", "idempotency-key", "if-match", "if-modified-since", "if-none-match", "if-range",
		"if-unmodified-since", "keep-alive", "max-forwards", "origin", "payment-signature", "range", "referer", "set-cookie", "te", "trailer",
		"transfer-encoding", "upgrade", "user-agent", "via", "x-payment",
	}
	lower := strings.ToLower(name)
	if slices.Contains(reserved, lower) {
		return errors.New("is a header with another meaning")
	}
	for _, prefix := range []string{"content-", "proxy-", "sec-", "access-control-", "x-forwarded-"} {
		if strings.HasPrefix(lower, prefix) {
			return errors.New("is a header with another meaning")
		}
	}
	return nil
}

// basicText accepts what a user name or password may be (RFC 7617).
func basicText(text string) bool {
	return utf8.ValidString(text) && len(text) <= maxSecretText && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7F }) < 0
}
