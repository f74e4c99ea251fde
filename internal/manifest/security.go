package manifest

// SchemeType is how a request proves who sends it. Values not listed here cannot be used.
type SchemeType string

// The types of schemes.
const (
	Bearer SchemeType = "bearer"  // Authorization: Bearer TOKEN
	Basic  SchemeType = "basic"   // Authorization: Basic base64(USER:PASSWORD)
	APIKey SchemeType = "api-key" // a secret in a place of its own
	OAuth2 SchemeType = "oauth2"  // a bearer token that an authorization server gives
)

// Scheme is one way of authenticating a request, as an OpenAPI document declares it.
type Scheme struct {
	Name   string // as published; it tells apart the credentials of a site that asks for several
	Type   SchemeType
	In     string      // of an API key: "header", "query" or "cookie"
	Field  string      // the name that the API key has there
	Scopes []string    // those that the action asks for
	Flows  []OAuthFlow // of OAuth2: the ways to a token that the document names
}

// OAuthFlow is one way to a token (RFC 6749, RFC 8628). Its addresses are absolute.
type OAuthFlow struct {
	Grant     string // "client_credentials", "device_code", or one that cannot be used, as published
	TokenURL  string
	DeviceURL string   // of "device_code": where the code comes from
	Scopes    []string // that the server knows
}
