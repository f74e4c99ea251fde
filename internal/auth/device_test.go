package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// deviceServer answers the question for a code, then each poll with the next of its answers, the last one again and again.
type deviceServer struct {
	code  string // the answer to the first question
	polls []func(w http.ResponseWriter, r *http.Request)

	asked   []time.Time // when it was polled
	forms   []url.Values
	origins []string // that were to be asked, in turn
}

func (d *deviceServer) through(b fetch.Bounds) http.RoundTripper {
	d.origins = append(d.origins, b.Origin)
	return inMemory(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/device" {
			fmt.Fprint(w, d.code)
			return
		}
		d.asked, d.forms = append(d.asked, time.Now()), append(d.forms, r.PostForm)
		d.polls[min(len(d.asked), len(d.polls))-1](w, r)
	})
}

func say(code string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusBadRequest, code, "") }
}

func allow(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{"access_token": "canary-access", "refresh_token": "canary-refresh", "expires_in": 60})
}

const goodCode = `{"device_code":"canary-device","user_code":"WDJB-MJHT","verification_uri":"https://example.com/activate","expires_in":600,"interval":2}`

func TestLoginByDeviceCode(t *testing.T) {
	pending, slow := say("authorization_pending"), say("slow_down")
	type polls = []func(http.ResponseWriter, *http.Request)
	for name, test := range map[string]struct {
		code  string
		polls polls
		waits []int // seconds before each poll
		fails string
	}{
		"allowed at once":         {goodCode, polls{allow}, []int{2}, ""},
		"allowed after a while":   {goodCode, polls{pending, pending, allow}, []int{2, 2, 2}, ""},
		"asked too often":         {goodCode, polls{slow, pending, slow, allow}, []int{2, 7, 7, 12}, ""},
		"no interval":             {strings.Replace(goodCode, `,"interval":2`, "", 1), polls{pending, allow}, []int{5, 5}, ""},
		"an interval below zero":  {strings.Replace(goodCode, `"interval":2`, `"interval":-7`, 1), polls{allow}, []int{5}, ""},
		"an interval of ages":     {strings.Replace(goodCode, `"interval":2`, `"interval":9223372036854775807`, 1), polls{allow}, []int{5}, ""},
		"denied":                  {goodCode, polls{pending, say("access_denied")}, []int{2, 2}, "access_denied"},
		"expired, as it is said":  {goodCode, polls{say("expired_token")}, []int{2}, "expired_token"},
		"expired, unsaid":         {strings.Replace(goodCode, "600", "5", 1), polls{pending}, []int{2, 2}, "expired_token"},
		"expired before it began": {strings.Replace(goodCode, "600", "-1", 1), polls{allow}, nil, "expired_token"},
		"never said to expire":    {strings.Replace(strings.Replace(goodCode, `"expires_in":600,`, "", 1), `"interval":2`, `"interval":700`, 1), polls{pending}, []int{700, 700}, "expired_token"},
		"an error nobody knows":   {goodCode, polls{say("moon")}, []int{2}, "token_refused"},
		"a token of no use":       {goodCode, polls{func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"access_token":"a b"}`) }}, []int{2}, "token_unusable"},
		"junk":                    {goodCode, polls{func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `<html>`) }}, []int{2}, "token_unusable"},
		"no code":                 {`{}`, nil, nil, "token_unusable"},
		"no device code":          {strings.Replace(goodCode, "canary-device", "", 1), nil, nil, "token_unusable"},
		"a code nobody can type":  {strings.Replace(goodCode, "WDJB", `\u001b[2J`, 1), nil, nil, "token_unusable"},
		"a code of a page":        {strings.Replace(goodCode, "WDJB", strings.Repeat("x", 100), 1), nil, nil, "token_unusable"},
		"a page over plain http":  {strings.Replace(goodCode, "https://", "http://", 1), nil, nil, "token_unusable"},
		"a page that is a script": {strings.Replace(goodCode, "https://example.com/activate", "javascript:alert(1)", 1), nil, nil, "token_unusable"},
		"a code in a list":        {`[]`, nil, nil, "token_unusable"},
		"null":                    {`null`, nil, nil, "token_unusable"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, ring, _ := clocked(t)
				d := &deviceServer{code: test.code, polls: test.polls}
				login := robot()
				login.Secret, login.DeviceURL = "", otherOrigin+"/device"
				var shown []DeviceCode
				start := time.Now()
				err := s.LoginDevice(t.Context(), d.through, popcorn, login, func(c DeviceCode) error {
					shown = append(shown, c)
					return nil
				})
				var waits []int
				for _, at := range d.asked {
					waits = append(waits, int(at.Sub(start)/time.Second))
					start = at
				}
				if fmt.Sprint(waits) != fmt.Sprint(test.waits) {
					t.Errorf("waited %v seconds, want %v", waits, test.waits)
				}
				if test.fails != "" {
					e := fault.From(err)
					if e == nil || e.Code != test.fails || strings.ContainsAny(e.Message, "\x1b") || strings.Contains(e.Message, "canary") {
						t.Errorf("got %v, want %s", err, test.fails)
					}
					if len(ring.secrets) > 0 {
						t.Errorf("kept %v", ring.secrets)
					}
					return
				}
				check(t, err)
				if len(shown) != 1 || shown[0].Code != "WDJB-MJHT" || shown[0].Page != "https://example.com/activate" {
					t.Errorf("shown %+v", shown)
				}
				if d.origins[0] != login.DeviceURL || d.origins[1] != login.TokenURL {
					t.Errorf("asked %q", d.origins)
				}
				form := d.forms[0]
				if form.Get("device_code") != "canary-device" || form.Get("client_id") != "robot" || form.Has("client_secret") ||
					form.Get("grant_type") != "urn:ietf:params:oauth:grant-type:device_code" {
					t.Errorf("polled with %v", form)
				}
				if token := bearer(t, s, popcorn); token != "canary-access" {
					t.Errorf("kept %q", token)
				}
				entry, _, _ := s.Entry(popcorn)
				if told, _ := json.Marshal(entry); !entry.OAuth.Renewable || strings.Contains(string(told), "canary") {
					t.Errorf("the entry is %s", told)
				}
			})
		})
	}
}

func TestDeviceLoginsOfConfidentialClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := clocked(t)
		d := &deviceServer{code: goodCode, polls: []func(http.ResponseWriter, *http.Request){
			say("invalid_client"),
			func(w http.ResponseWriter, r *http.Request) {
				if id, secret, _ := r.BasicAuth(); id != "robot" || secret != "canary-client" || r.PostForm.Has("client_secret") {
					t.Errorf("the second time it said %q, %v", id, r.PostForm)
				}
				allow(w, r)
			},
		}}
		login := robot()
		login.DeviceURL = idOrigin + "/device"
		check(t, s.LoginDevice(t.Context(), d.through, popcorn, login, func(DeviceCode) error { return nil }))
		if d.forms[0].Get("client_secret") != "canary-client" {
			t.Errorf("the first time it said %v", d.forms[0])
		}
		if entry, _, _ := s.Entry(popcorn); entry.OAuth.InBody {
			t.Error("what the server takes is not remembered")
		}
	})
}

func TestPollsThatTheNetworkSwallows(t *testing.T) {
	lost := func(code string) func(fetch.Bounds) http.RoundTripper {
		polls := 0
		d := &deviceServer{code: goodCode, polls: []func(http.ResponseWriter, *http.Request){allow}}
		return func(b fetch.Bounds) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				if polls++; r.URL.Path == "/token" && polls < 4 {
					return nil, fault.New(fault.Unavailable, code, "gone")
				}
				return d.through(b).RoundTrip(r)
			})
		}
	}
	for code, ok := range map[string]bool{"connect_failed": true, "connection_reset": true, "tls_failed": false, "redirect_refused": false, "address_blocked": false} {
		synctest.Test(t, func(t *testing.T) {
			s, _, _ := clocked(t)
			login := robot()
			login.DeviceURL = idOrigin + "/device"
			err := s.LoginDevice(t.Context(), lost(code), popcorn, login, func(DeviceCode) error { return nil })
			if ok != (err == nil) || !ok && fault.From(err).Code != code {
				t.Errorf("%s: %v", code, err)
			}
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestDeviceLoginsThatArePutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ring, _ := clocked(t)
		d := &deviceServer{code: goodCode, polls: []func(http.ResponseWriter, *http.Request){say("authorization_pending")}}
		login := robot()
		login.DeviceURL = idOrigin + "/device"
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(9*time.Second, cancel)
		err := s.LoginDevice(ctx, d.through, popcorn, login, func(DeviceCode) error { return nil })
		if e := fault.From(err); e.Kind != fault.Interrupted || len(d.asked) != 4 || len(ring.secrets) > 0 {
			t.Errorf("%v after %d polls, %v", err, len(d.asked), ring.secrets)
		}
		unshown := errors.New("the pipe is closed")
		if err := s.LoginDevice(t.Context(), d.through, popcorn, login, func(DeviceCode) error { return unshown }); !errors.Is(err, unshown) || len(d.asked) != 4 {
			t.Errorf("%v after %d polls", err, len(d.asked))
		}
	})
}
