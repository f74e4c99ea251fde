package auth

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// Limits of a login by device code.
const (
	longestDeviceWait = 30 * time.Minute
	maxUserCode       = 64 // bytes
	maxLostPolls      = 5  // in a row that the network swallowed
)

// ClientLogin is what a token is asked for with at login.
type ClientLogin struct {
	Client
	Secret    string // "" for a public client
	DeviceURL string // of a login by device code: where the code comes from
}

// DeviceCode is what a person does to allow a login: open a page, and type a code there.
type DeviceCode struct {
	Code string    `json:"user_code"`
	Page string    `json:"verification_uri"`
	Ends time.Time `json:"expires_at,omitzero"`
}

// LoginClient keeps the credentials of a client for the account, in place of what was there, and the first token that they
// give. When they give none nothing is kept. The secret is sent as the server takes it: as a basic credential, else in the
// form.
func (s *Store) LoginClient(ctx context.Context, through Through, account Account, login ClientLogin) error {
	with := longLived{Secret: login.Secret}
	token, err := login.token(ctx, through, KindClient, with)
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && otherStyle(refused) {
		login.InBody = true
		token, err = login.token(ctx, through, KindClient, with)
	}
	if err != nil {
		return tokenFault(err, login.TokenURL)
	}
	return s.keepLogin(ctx, account, KindClient, login, with, token)
}

// otherStyle reports whether a server may take a client's secret in another part of the request.
func otherStyle(refused *oauth2.RetrieveError) bool {
	status := refused.Response.StatusCode
	return status == 401 || status == 400 && refused.ErrorCode != "invalid_scope" && refused.ErrorCode != "unsupported_grant_type"
}

// LoginDevice has a person allow the login in a browser (RFC 8628), and keeps what comes of it. show tells the person what
// to do; then the server is asked until that is done, as often as it wants to be.
func (s *Store) LoginDevice(ctx context.Context, through Through, account Account, login ClientLogin, show func(DeviceCode) error) error {
	login.InBody = true // a client without a secret has no other way to say who it is
	with := longLived{Secret: login.Secret}
	config := login.config(with)
	config.Endpoint.DeviceAuthURL = login.DeviceURL
	ctx, cancel := context.WithTimeout(ctx, longestDeviceWait)
	defer cancel()
	answer, err := config.DeviceAuth(through.on(ctx, login.DeviceURL))
	if err != nil {
		return tokenFault(err, login.DeviceURL)
	}
	code, err := deviceCode(answer)
	if err != nil {
		return fault.New(fault.Unavailable, "token_unusable", "%q answered with a code that nobody can use: %w", host(login.DeviceURL), err)
	}
	if err := show(code); err != nil {
		return err
	}
	token, err := poll(through.on(ctx, login.TokenURL), config, answer)
	login.InBody = config.Endpoint.AuthStyle == oauth2.AuthStyleInParams
	if err != nil {
		return tokenFault(err, login.TokenURL)
	}
	if CheckToken(token.RefreshToken) == nil {
		with.Refresh, login.Renewable = token.RefreshToken, true
	}
	return s.keepLogin(ctx, account, KindDevice, login, with, token)
}

// deviceCode checks what a person is to be told: it is a stranger's text.
func deviceCode(answer *oauth2.DeviceAuthResponse) (DeviceCode, error) {
	switch {
	case answer.DeviceCode == "":
		return DeviceCode{}, errors.New("it has no device code")
	case answer.UserCode == "" || len(answer.UserCode) > maxUserCode || strings.ContainsFunc(answer.UserCode, unprintable):
		return DeviceCode{}, errors.New("its user code cannot be typed")
	}
	if err := fetch.CheckURL(answer.VerificationURI); err != nil {
		return DeviceCode{}, err
	}
	return DeviceCode{answer.UserCode, answer.VerificationURI, answer.Expiry.Truncate(time.Second)}, nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// poll asks for the token until there is one, or a reason why there will be none. A request that the network swallowed is
// made again after a longer wait, as RFC 8628 (section 3.5) has it. A confidential client whose secret the server does not
// take in the form sends it as a basic credential from then on.
func poll(ctx context.Context, config *oauth2.Config, answer *oauth2.DeviceAuthResponse) (*oauth2.Token, error) {
	for lost := 0; ; {
		token, err := config.DeviceAccessToken(ctx, answer)
		refused, isRefusal := errors.AsType[*oauth2.RetrieveError](err)
		_, isLost := errors.AsType[*url.Error](err)
		switch {
		case err == nil:
			return token, nil
		case errors.Is(err, context.DeadlineExceeded) && !isLost:
			return nil, fault.New(fault.Auth, "expired_token", "nobody allowed the login in time")
		case isRefusal && refused.ErrorCode == "invalid_client" && config.ClientSecret != "" && config.Endpoint.AuthStyle == oauth2.AuthStyleInParams:
			config.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
		case isLost && lost < maxLostPolls && ctx.Err() == nil && passing(err):
			lost++
			answer.Interval = max(answer.Interval, 5) * 2
		default:
			return nil, err
		}
	}
}

// passing reports whether what went wrong with a request may go well the next time.
func passing(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && (e.Code == "connect_failed" || e.Code == "connection_reset" || e.Code == "timeout")
}

// keepLogin keeps what a login came to: what renews tokens, and the first one.
func (s *Store) keepLogin(ctx context.Context, account Account, kind Kind, login ClientLogin, with longLived, token *oauth2.Token) error {
	got, err := given(token, kind, s.Now())
	if err != nil {
		return tokenFault(err, login.TokenURL)
	}
	return s.login(ctx, account, Entry{Kind: kind, OAuth: &login.Client, Keyring: s.place}, keptSecrets{
		account.String(): encoded(with), accessName(account): encoded(got),
	})
}
