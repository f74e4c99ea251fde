package demo

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The scopes of the counter, and of the cinema.
const (
	scopeCart     = "cart:write"
	scopeCheckout = "checkout"
	scopeClub     = "club:manage"
)

// grantLife is how long a grant is good for.
const grantLife = time.Hour

type grantClaims struct {
	Scope string `json:"scope"`
	jwt.RegisteredClaims
}

type issuedGrant struct {
	Grant   string    `json:"grant"`
	Scopes  []string  `json:"scopes"`
	Expires time.Time `json:"expires"`
}

// signIn issues a grant. Whoever asks gets it: the counter is open to everybody.
func (s *shop) signIn(r *http.Request) (any, error) {
	request, _, err := readBody[struct {
		Scopes []string `json:"scopes"`
		Name   *string  `json:"name"`
	}](r, maxBody)
	if err != nil {
		return nil, err
	}
	name := "Popcorn Lover"
	if request.Name != nil {
		name = *request.Name
	}
	if len(request.Scopes) == 0 {
		return nil, invalid("SCOPES_MISSING", "scopes", "a grant needs a scope")
	}
	if err := checkWords("scopes", request.Scopes, []string{scopeCart, scopeCheckout, scopeClub}); err != nil {
		return nil, err
	}
	if err := checkText("name", name, 80); err != nil {
		return nil, err
	}
	key, err := s.grantKey()
	if err != nil {
		return nil, err
	}
	expires := s.now().Add(grantLife)
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, grantClaims{strings.Join(request.Scopes, " "), jwt.RegisteredClaims{
		Issuer: Origin, Subject: name, IssuedAt: jwt.NewNumericDate(s.now()), ExpiresAt: jwt.NewNumericDate(expires),
	}})
	signed, err := token.SignedString(key)
	return issuedGrant{signed, request.Scopes, expires}, err
}

// grantKey is what the counter signs grants with: made once, and kept with everything else that the shop remembers.
func (s *shop) grantKey() ([]byte, error) {
	var key []byte
	current, err := s.store.view()
	if err == nil && current.GrantKey == "" {
		err = s.store.update(func(state *state) error {
			if state.GrantKey == "" { // nobody else was faster
				state.GrantKey = rand.Text() + rand.Text()
			}
			current = state
			return nil
		})
	}
	if err == nil {
		key = []byte(current.GrantKey)
	}
	return key, err
}

// admit refuses a request that needs a scope, and has no grant for it.
func (s *shop) admit(r *http.Request, scope string) error {
	if scope == "" {
		return nil
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return failure(http.StatusUnauthorized, "GRANT_REQUIRED", "this needs a grant with the scope %s; sign_in gives one", scope)
	}
	key, err := s.grantKey()
	if err != nil {
		return err
	}
	claims := grantClaims{}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithTimeFunc(s.now), jwt.WithExpirationRequired(), jwt.WithIssuer(Origin))
	if _, err := parser.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return key, nil }); err != nil {
		return failure(http.StatusUnauthorized, "GRANT_INVALID", "the grant is not one of this counter, or its time is over; sign_in gives another")
	}
	if !slices.Contains(strings.Fields(claims.Scope), scope) {
		return failure(http.StatusForbidden, "SCOPE_MISSING", "the grant does not have the scope %s", scope)
	}
	return nil
}
