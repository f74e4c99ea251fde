package auth

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// clocked is a store whose clock can be moved.
func clocked(t *testing.T) (*Store, *memory, *time.Time) {
	s, ring := newStore(t, "")
	now := noon
	s.Now = func() time.Time { return now }
	return s, ring, &now
}

// current is the token that a call would carry now.
func current(t *testing.T, s *Store, through Through, account Account) (string, error) {
	t.Helper()
	c, err := s.Credential(t.Context(), account)
	if err != nil {
		return "", err
	}
	if err := s.Renew(t.Context(), through, c); err != nil {
		return "", err
	}
	return c.Token(s.Now())
}

func TestTokensOfAClient(t *testing.T) {
	for _, style := range []string{"", "header", "body"} {
		t.Run("secret in the "+style, func(t *testing.T) {
			site := &server{style: style}
			through := serve(t, site)
			s, ring, now := clocked(t)
			check(t, s.LoginClient(t.Context(), through, popcorn, robot()))
			before := len(site.asked())
			token, err := current(t, s, through, popcorn)
			if check(t, err); token != "canary-access-1" || len(site.asked()) != before {
				t.Errorf("the first token is not kept: %q after %q", token, site.asked())
			}
			if !strings.Contains(site.asked()[0], "grant_type=client_credentials&scope=orders%3Aread+orders%3Awrite") {
				t.Errorf("asked %q", site.asked())
			}
			*now = now.Add(3595 * time.Second) // it would expire on its way
			token, err = current(t, s, through, popcorn)
			if check(t, err); token != "canary-access-2" || len(site.asked()) != before+1 {
				t.Errorf("got %q after %q; want one more request, in the style that is known", token, site.asked())
			}
			again, err := current(t, s, through, popcorn)
			if check(t, err); again != token {
				t.Errorf("the new one is not kept: %q", again)
			}
			if list, _ := s.Entries(); strings.Contains(fmt.Sprintf("%+v %+v", list, list[0].OAuth), "canary") {
				t.Errorf("the list has a secret: %+v", list)
			}
			ok, err := s.Logout(t.Context(), popcorn)
			if check(t, err); !ok || len(ring.secrets) > 0 {
				t.Errorf("logout left %d secrets", len(ring.secrets))
			}
		})
	}
}

func TestALoginThatIsRefusedKeepsNothing(t *testing.T) {
	through := serve(t, &server{})
	s, ring, _ := clocked(t)
	check(t, s.LoginToken(t.Context(), popcorn, "before"))
	login := robot()
	login.Secret = "canary-wrong"
	e := wantCode(t, s.LoginClient(t.Context(), through, popcorn, login), fault.Auth, "invalid_client")
	if strings.Contains(e.Error(), "canary") || bearer(t, s, popcorn) != "before" || len(ring.secrets) != 1 {
		t.Errorf("%v, %d secrets", e, len(ring.secrets))
	}
}

func TestALoginTakesThePlaceOfAnotherKind(t *testing.T) {
	through := serve(t, &server{})
	s, ring, _ := clocked(t)
	check(t, s.LoginClient(t.Context(), through, popcorn, robot()))
	check(t, s.Keep(t.Context(), popcorn, Entry{Kind: KindBasic}, "user:password"))
	if len(ring.secrets) != 1 || ring.secrets[popcorn.Origin] != "user:password" {
		t.Errorf("the keyring has %v", ring.secrets)
	}
	check(t, s.LoginClient(t.Context(), through, popcorn, robot()))
	check(t, s.LoginCommand(t.Context(), popcorn, []string{"true"}))
	if len(ring.secrets) != 0 {
		t.Errorf("the keyring has %v", ring.secrets)
	}
}

func TestCredentialsOfSchemesAreBesideEachOther(t *testing.T) {
	s, ring, _ := clocked(t)
	work := Account{Origin: popcorn.Origin, Profile: "work"}
	for account, token := range map[Account]string{popcorn: "t-1", popcorn.For("a"): "t-2", popcorn.For("b"): "t-3", work: "t-4", work.For("a"): "t-5"} {
		check(t, s.LoginToken(t.Context(), account, token))
	}
	if ring.secrets["https://popcorn.club#work!scheme:a"] != "t-5" {
		t.Errorf("the keyring has %v", ring.secrets)
	}
	w, err := s.Wallet(popcorn, "")
	if check(t, err); len(w.Stored) != 3 {
		t.Errorf("the wallet has %v", w.Stored)
	}
	if bearer(t, s, popcorn.For("b")) != "t-3" || bearer(t, s, work.For("a")) != "t-5" {
		t.Error("one got the token of another")
	}
	if ok, err := s.Logout(t.Context(), popcorn.For("a")); !ok || err != nil || len(ring.secrets) != 4 {
		t.Errorf("logout of one: %v, %v, %v left", ok, err, ring.secrets)
	}
	if ok, err := s.Logout(t.Context(), popcorn); !ok || err != nil || len(ring.secrets) != 2 {
		t.Errorf("logout of all: %v, %v, %v left", ok, err, ring.secrets)
	}
	entries, err := s.Entries()
	if check(t, err); len(entries) != 2 || entries[1].Account != work.For("a") {
		t.Errorf("listed: %v", entries)
	}
}

// deviceKept is a store with a login by device code, whose token is over.
func deviceKept(t *testing.T, s *Store, renewable bool) {
	t.Helper()
	login := robot()
	login.InBody, login.Renewable = true, renewable
	check(t, s.login(t.Context(), popcorn, Entry{Kind: KindDevice, OAuth: &login.Client, Keyring: s.place}, keptSecrets{
		popcorn.String(): encoded(longLived{login.Secret, "canary-refresh-0"}), accessName(popcorn): encoded(access{"canary-access-0", noon}),
	}))
}

func TestADevicesTokenIsRenewed(t *testing.T) {
	site := &server{style: "body"}
	through := serve(t, site)
	s, _, now := clocked(t)
	deviceKept(t, s, true)
	for _, want := range []string{"canary-access-1", "canary-access-2"} { // each with the refresh token that came with the one before
		*now = now.Add(2 * time.Hour)
		token, err := current(t, s, through, popcorn)
		if check(t, err); token != want {
			t.Errorf("got %q, want %q", token, want)
		}
	}
	site.issued = 7 // as if somebody else had used it
	*now = now.Add(2 * time.Hour)
	_, err := current(t, s, through, popcorn)
	if e := wantCode(t, err, fault.Auth, "invalid_grant"); e.Hint != "agentctl auth login popcorn.club --device" {
		t.Errorf("hint %q", e.Hint)
	}
}

func TestADevicesTokenThatCannotBeRenewed(t *testing.T) {
	site := &server{}
	serve(t, site)
	s, _, _ := clocked(t)
	deviceKept(t, s, false)
	s.Now = func() time.Time { return noon.Add(time.Hour) }
	_, err := s.Credential(t.Context(), popcorn)
	if e := wantCode(t, err, fault.Auth, "token_expired"); e.Hint != "agentctl auth login popcorn.club --device" || len(site.asked()) > 0 {
		t.Errorf("hint %q, asked %q", e.Hint, site.asked())
	}
}

// A server takes a refresh token once, so of many programs that find the token over only one may renew it.
func TestOfManyProgramsOneRenews(t *testing.T) {
	site := &server{style: "body"}
	through := serve(t, site)
	first, _ := newStore(t, "file")
	later := func() time.Time { return noon.Add(time.Minute) }
	first.Now = later
	deviceKept(t, first, true)
	var wait sync.WaitGroup
	tokens := make([]string, 6)
	for i := range tokens {
		wait.Go(func() {
			s, err := Open(Settings{ConfigDir: first.ConfigDir, Place: "file", Now: later, Getenv: first.Getenv})
			if err == nil {
				tokens[i], err = current(t, s, through, popcorn)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, token := range tokens {
		if token != "canary-access-1" {
			t.Errorf("got %q", tokens)
			break
		}
	}
	if asked := site.asked(); len(asked) != 1 {
		t.Errorf("asked %d times: %q", len(asked), asked)
	}
}

func TestRenewingDoesNotUndoALogout(t *testing.T) {
	s, ring, _ := clocked(t)
	site := &server{}
	site.answer = func(w http.ResponseWriter, _ *http.Request) {
		ok, err := s.Logout(context.Background(), popcorn)
		if !ok || err != nil {
			t.Errorf("logout: %v, %v", ok, err)
		}
		site.issue(w, 60)
	}
	through := serve(t, site)
	deviceKept(t, s, true)
	s.Now = func() time.Time { return noon.Add(time.Minute) }
	if _, err := current(t, s, through, popcorn); err != nil {
		t.Error(err)
	}
	if len(ring.secrets) > 0 {
		t.Errorf("secrets came back: %v", ring.secrets)
	}
}

func TestATokenThatCannotBeKeptIsUsed(t *testing.T) {
	site := &server{}
	s, ring, _ := clocked(t)
	told := ""
	s.Warn = func(message string) { told += message }
	site.answer = func(w http.ResponseWriter, _ *http.Request) {
		ring.mu.Lock()
		ring.err = errTooLarge
		ring.mu.Unlock()
		site.issue(w, 60)
	}
	through := serve(t, site)
	deviceKept(t, s, true)
	s.Now = func() time.Time { return noon.Add(time.Minute) }
	token, err := current(t, s, through, popcorn)
	if check(t, err); token != "canary-access-1" || !strings.Contains(told, "cannot be kept") || strings.Contains(told, "canary") {
		t.Errorf("%q, told %q", token, told)
	}
}

func TestRenewingEndsWithItsContext(t *testing.T) {
	site := &server{answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}
	through := serve(t, site)
	s, _, _ := clocked(t)
	deviceKept(t, s, true)
	s.Now = func() time.Time { return noon.Add(time.Minute) }
	c, err := s.Credential(t.Context(), popcorn)
	check(t, err)
	unlock, err := s.lockTokens(t.Context(), popcorn)
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e := fault.From(s.Renew(ctx, through, c)); e.Kind != fault.Interrupted { // while another program has the lock
		t.Errorf("got %v", e)
	}
	unlock()
	ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	wantCode(t, s.Renew(ctx, through, c), fault.Unavailable, "timeout")
}

func TestWhatWasKeptIsDamaged(t *testing.T) {
	site := &server{}
	through := serve(t, site)
	s, ring, _ := clocked(t)
	check(t, s.LoginClient(t.Context(), through, popcorn, robot()))
	ring.secrets[accessName(popcorn)] = "{" // another one can be had
	if token, err := current(t, s, through, popcorn); err != nil || token != "canary-access-2" {
		t.Errorf("%q, %v", token, err)
	}
	ring.secrets[accessName(popcorn)], ring.secrets[popcorn.String()] = "{", "canary"
	_, err := current(t, s, through, popcorn)
	if e := wantCode(t, err, fault.Auth, "credential_missing"); strings.Contains(e.Error(), "canary") {
		t.Errorf("told %v", e)
	}
	ring.err = errLocked
	_, err = s.Credential(t.Context(), popcorn)
	wantCode(t, err, fault.Auth, "keyring_locked")
}
