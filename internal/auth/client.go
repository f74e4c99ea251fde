package auth

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// The grants by which agentctl gets tokens, as [manifest.OAuthFlow] has them.
const (
	ClientGrant = "client_credentials" // RFC 6749, section 4.4
	DeviceGrant = "device_code"        // RFC 8628
)

// Limits of what is taken from an authorization server.
const (
	maxTokenAnswer = 64 << 10             // bytes
	tokenLimit     = 30 * time.Second     // for one request
	unsaidLife     = 5 * time.Minute      // of a client's token whose server does not say how long it is good
	longestLife    = 365 * 24 * time.Hour // what is said to be good for longer is renewed after this
	early          = 10 * time.Second     // before its end a token is renewed, so that it does not expire on its way
)

// Client is what an authorization server knows a program as. It holds no secret.
type Client struct {
	ID       string   `json:"client_id,omitempty"`
	TokenURL string   `json:"token_url"`
	Scopes   []string `json:"scopes,omitempty"` // that are asked for; none leaves them to the server
	// InBody: the server takes id and secret as fields of the form (client_secret_post), not as a basic credential.
	InBody bool `json:"secret_in_body,omitempty"`
	// Renewable: there is a token with which another one can be had. Client credentials can always get another one.
	Renewable bool `json:"renewable,omitempty"`
}

// Through is how requests to an authorization server are sent: [fetch.Client.RoundTripper].
type Through func(fetch.Bounds) http.RoundTripper

// on makes a context in which requests of the OAuth library go through it, and to one origin only.
func (t Through) on(ctx context.Context, url string) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: whole{t(fetch.Bounds{Origin: url, MaxBytes: maxTokenAnswer})}})
}

// whole reads answers whole, within the time for one request, so that what fails does so in one place, with its fault.
type whole struct{ next http.RoundTripper }

func (w whole) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), tokenLimit)
	defer cancel()
	answer, err := w.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err == nil && string(bytes.TrimSpace(content)) == "null" { // the library takes it for a document, and falls over it
		err = errors.New("the answer is null")
	}
	if err != nil {
		return nil, err
	}
	answer.Body, answer.Request = io.NopCloser(bytes.NewReader(content)), r
	return answer, nil
}

// longLived is what tokens are got with: kept as JSON under the account's name.
type longLived struct {
	Secret  string `json:"client_secret,omitempty"`
	Refresh string `json:"refresh_token,omitempty"`
}

// access is a token that calls carry: kept as JSON beside that, for keyrings that take only little at once.
type access struct {
	Token   string    `json:"access_token"`
	Expires time.Time `json:"expires_at,omitzero"` // zero: nobody said that it does
}

func (a access) good(now time.Time) bool {
	return a.Token != "" && (a.Expires.IsZero() || now.Before(a.Expires.Add(-early)))
}

func (c Client) config(l longLived) *oauth2.Config {
	return &oauth2.Config{
		ClientID: c.ID, ClientSecret: l.Secret, Scopes: c.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: c.TokenURL, AuthStyle: c.style()},
	}
}

func (c Client) style() oauth2.AuthStyle {
	if c.InBody {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// token gets a token: by the client's credentials, or with the one that renews it.
func (c Client) token(ctx context.Context, through Through, kind Kind, l longLived) (*oauth2.Token, error) {
	ctx = through.on(ctx, c.TokenURL)
	if kind == KindDevice {
		return c.config(l).TokenSource(ctx, &oauth2.Token{RefreshToken: l.Refresh}).Token()
	}
	config := clientcredentials.Config{
		ClientID: c.ID, ClientSecret: l.Secret, TokenURL: c.TokenURL, Scopes: c.Scopes, AuthStyle: c.style(),
	}
	return config.Token(ctx)
}

// given checks a token from a server, and says until when it is good.
func given(token *oauth2.Token, kind Kind, now time.Time) (access, error) {
	if token.Type() != "Bearer" {
		return access{}, errors.New("a token of a type that calls cannot carry")
	}
	if err := CheckToken(token.AccessToken); err != nil {
		return access{}, err
	}
	a := access{Token: token.AccessToken}
	life, said := lifetime(token)
	switch {
	case said:
		a.Expires = now.Add(life).UTC().Truncate(time.Second)
	case kind == KindClient:
		a.Expires = now.Add(unsaidLife).UTC().Truncate(time.Second)
	}
	return a, nil
}

// lifetime reads "expires_in", which servers send as a number or a string. The library's own reading is by another clock
// than ours.
func lifetime(token *oauth2.Token) (life time.Duration, said bool) {
	var seconds float64
	switch value := token.Extra("expires_in").(type) {
	case float64:
		seconds = value
	case int64:
		seconds = float64(value)
	case string:
		var err error
		if seconds, err = strconv.ParseFloat(value, 64); err != nil || math.IsNaN(seconds) {
			return 0, false
		}
	default:
		return 0, false
	}
	return time.Duration(min(max(seconds, 0), longestLife.Seconds())) * time.Second, true
}

// tokenFault says why there is no token. The call that it was for has not been sent, whatever was sent to get it. Nothing
// of an answer is repeated but the words of RFC 6749 for errors.
func tokenFault(err error, at string) *fault.Error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return refusal(refused, at)
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		own := *e
		own.Sent, own.Status = fault.SentNo, 0
		return &own
	}
	switch {
	case errors.Is(err, context.Canceled):
		return fault.From(context.Canceled)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Unavailable, "timeout", "%q gave no token within the time limit", host(at))
	}
	return fault.New(fault.Unavailable, "token_unusable", "what %q answered is no token that a call can carry", host(at))
}

// host is how a server is called in an error.
func host(at string) string {
	if u, err := url.Parse(at); err == nil {
		return u.Host
	}
	return at
}

// maxDescription is as much as is shown of what a server says about an error, in bytes.
const maxDescription = 200

func refusal(refused *oauth2.RetrieveError, at string) *fault.Error {
	kind, code := fault.Auth, "token_refused"
	status := refused.Response.StatusCode
	switch refused.ErrorCode {
	case "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
		"access_denied", "expired_token": // RFC 6749, section 5.2; RFC 8628, section 3.5
		code = refused.ErrorCode
	default:
		if fault.OfStatus(status) == fault.Unavailable {
			kind, code = fault.Unavailable, "token_unavailable"
		}
	}
	said := "it answered with status " + strconv.Itoa(status)
	if refused.ErrorCode != "" {
		said = "it says " + strconv.Quote(fault.Word(refused.ErrorCode))
	}
	e := fault.New(kind, code, "%q gives no token: %s", host(at), said)
	if refused.ErrorDescription != "" {
		e.Message += ": " + strconv.Quote(fault.Cut(refused.ErrorDescription, maxDescription))
	}
	return e
}
