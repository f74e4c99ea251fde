package auth

import (
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/agentctl/agentctl/internal/fault"
)

// leeway is how far the clocks of two machines may differ.
const leeway = 30 * time.Second

// Claims are what a token says of itself. Nobody has checked them: they are for a person to read, and to spare a request
// that must fail. Absent ones are zero.
type Claims struct {
	Subject   string
	Issuer    string
	Audience  []string
	Scopes    []string // nil when nothing is said about scopes, empty when it is said that there are none
	IssuedAt  time.Time
	NotBefore time.Time
	Expires   time.Time
}

// ReadClaims decodes a JWT without trusting it. ok is false for any other token, which tells nothing.
func ReadClaims(token string) (claims Claims, ok bool) {
	content := jwt.MapClaims{}
	_, _, err := jwt.NewParser(jwt.WithJSONNumber()).ParseUnverified(token, content)
	if err != nil && !errors.Is(err, jwt.ErrTokenUnverifiable) { // that one is about an algorithm which we need not know
		return Claims{}, false
	}
	claims = Claims{Scopes: scopes(content)}
	claims.Subject, _ = content.GetSubject()
	claims.Issuer, _ = content.GetIssuer()
	claims.Audience, _ = content.GetAudience()
	claims.IssuedAt = moment(content.GetIssuedAt())
	claims.NotBefore = moment(content.GetNotBefore())
	claims.Expires = moment(content.GetExpirationTime())
	return claims, true
}

// moment leaves out a time that is none, and one that no calendar has and RFC 3339 cannot write.
func moment(date *jwt.NumericDate, err error) time.Time {
	if err != nil || date == nil || date.Year() < 1 || date.Year() > 9999 {
		return time.Time{}
	}
	return date.UTC()
}

// scopes reads "scope" (RFC 8693: words in a string) or what others use: "scp" or "scopes", also as an array.
func scopes(content jwt.MapClaims) []string {
	for _, name := range []string{"scope", "scp", "scopes"} {
		switch value := content[name].(type) {
		case string:
			return strings.Fields(value)
		case []any:
			words := []string{}
			for _, element := range value {
				if word, ok := element.(string); ok {
					words = append(words, word)
				}
			}
			return words
		}
	}
	return nil
}

// Expired tells whether the token's time is certainly over.
func (c Claims) Expired(now time.Time) bool {
	return !c.Expires.IsZero() && !now.Before(c.Expires.Add(leeway))
}

// valid refuses a token whose time is over or has not come. again says how to get another.
func (c Claims) valid(now time.Time, again string) error {
	switch {
	case c.Expired(now):
		return fault.New(fault.Auth, "token_expired", "the token expired at %s", c.Expires.Format(time.RFC3339)).WithHint("%s", again)
	case !c.NotBefore.IsZero() && now.Before(c.NotBefore.Add(-leeway)):
		return fault.New(fault.Auth, "token_not_yet_valid", "the token is valid from %s on", c.NotBefore.Format(time.RFC3339)).WithHint("%s", again)
	}
	return nil
}
