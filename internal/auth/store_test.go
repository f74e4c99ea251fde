package auth

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// memory is a keyring that fails as it is told to, and counts how often it is touched.
type memory struct {
	mu      sync.Mutex
	secrets map[string]string
	err     error
	touched int
}

func (m *memory) enter() error {
	m.mu.Lock()
	m.touched++
	if m.secrets == nil {
		m.secrets = map[string]string{}
	}
	return m.err
}

func (m *memory) get(_ context.Context, name string) (string, error) {
	defer m.mu.Unlock()
	if err := m.enter(); err != nil {
		return "", err
	}
	secret, ok := m.secrets[name]
	if !ok {
		return "", errNotFound
	}
	return secret, nil
}

func (m *memory) set(_ context.Context, name, secret string) error {
	defer m.mu.Unlock()
	if err := m.enter(); err != nil {
		return err
	}
	m.secrets[name] = secret
	return nil
}

func (m *memory) remove(_ context.Context, name string) error {
	defer m.mu.Unlock()
	if err := m.enter(); err != nil {
		return err
	}
	if _, ok := m.secrets[name]; !ok {
		return errNotFound
	}
	delete(m.secrets, name)
	return nil
}

// newStore is a store with a keyring in memory in place of the system's.
func newStore(t *testing.T, place string) (*Store, *memory) {
	t.Helper()
	store, err := Open(Settings{
		ConfigDir: t.TempDir(), Place: place, Environ: os.Environ, Now: func() time.Time { return noon },
		Getenv: func(string) string { return "" }, Warn: func(message string) { t.Log("warning:", message) },
	})
	if err != nil {
		t.Fatal(err)
	}
	system := &memory{}
	store.system = system
	return store, system
}

func wantCode(t *testing.T, err error, kind fault.Kind, code string) *fault.Error {
	t.Helper()
	e := fault.From(err)
	if e == nil || e.Kind != kind || e.Code != code {
		t.Fatalf("got %v, want a fault of kind %s with the code %q", err, kind, code)
	}
	return e
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func bearer(t *testing.T, s *Store, account Account) string {
	t.Helper()
	c, err := s.Credential(t.Context(), account)
	check(t, err)
	token, err := c.Token(s.Now())
	check(t, err)
	return token
}

var popcorn = Account{Origin: "https://popcorn.club"}

func TestTokensByAccount(t *testing.T) {
	for _, place := range []string{"", "file"} {
		t.Run("keyring "+place, func(t *testing.T) {
			s, _ := newStore(t, place)
			work := Account{Origin: popcorn.Origin, Profile: "work"}
			check(t, s.LoginToken(t.Context(), popcorn, "t-1"))
			check(t, s.LoginToken(t.Context(), work, "t-2"))
			check(t, s.LoginToken(t.Context(), Account{Origin: "https://shop.example"}, "t-3"))
			check(t, s.LoginToken(t.Context(), popcorn, "t-4")) // in place of the first
			if a, b := bearer(t, s, popcorn), bearer(t, s, work); a != "t-4" || b != "t-2" {
				t.Errorf("got %q and %q, want t-4 and t-2", a, b)
			}
			for _, stranger := range []Account{{Origin: "https://popcorn.club:8443"}, {Origin: "http://popcorn.club"}, {Origin: popcorn.Origin, Profile: "Work"}} {
				if token := bearer(t, s, stranger); token != "" {
					t.Errorf("%v gets the token %q of another account", stranger, token)
				}
			}
			ok, err := s.Logout(t.Context(), work)
			if check(t, err); !ok {
				t.Error("the account was not found")
			}
			if ok, err = s.Logout(t.Context(), work); ok || err != nil {
				t.Errorf("logging out twice: %v, %v", ok, err)
			}
			entries, err := s.Entries()
			check(t, err)
			if len(entries) != 2 || entries[0].Account != popcorn || !entries[0].Added.Equal(noon) {
				t.Errorf("listed: %v", entries)
			}
		})
	}
}

func TestKeyringIsTouchedOnlyForWhatItHas(t *testing.T) {
	s, system := newStore(t, "")
	system.err = errLocked
	if c, err := s.Credential(t.Context(), popcorn); c != nil || err != nil {
		t.Errorf("without an entry: %v, %v; want neither", c, err)
	}
	if ok, err := s.Logout(t.Context(), popcorn); ok || err != nil {
		t.Errorf("logging out without an entry: %v, %v", ok, err)
	}
	check(t, s.LoginCommand(t.Context(), popcorn, []string{"true"}))
	if _, err := s.Logout(t.Context(), popcorn); err != nil || system.touched != 0 {
		t.Errorf("err %v, touched %d times; a command is in no keyring", err, system.touched)
	}
}

func TestKeyringFaults(t *testing.T) {
	for cause, code := range map[error]string{
		errLocked: "keyring_locked", errUnavailable: "keyring_unavailable", errTimeout: "keyring_timeout",
		errTooLarge: "keyring_too_large", errNotFound: "credential_missing",
	} {
		t.Run(code, func(t *testing.T) {
			s, system := newStore(t, "")
			check(t, s.LoginToken(t.Context(), popcorn, "canary-1"))
			system.err = cause
			_, err := s.Credential(t.Context(), popcorn)
			e := wantCode(t, err, fault.Auth, code)
			if !strings.Contains(e.Hint, "agentctl auth login popcorn.club") {
				t.Errorf("the hint %q names no way out", e.Hint)
			}
			if code == "credential_missing" {
				return
			}
			if !strings.Contains(e.Hint, "AGENTCTL_TOKEN") || !strings.Contains(e.Hint, "AGENTCTL_KEYRING=file") {
				t.Errorf("the hint %q does not name every way out", e.Hint)
			}
			wantCode(t, s.LoginToken(t.Context(), Account{Origin: "https://new.example"}, "canary-2"), fault.Auth, code)
			if _, err := s.Logout(t.Context(), popcorn); fault.From(err).Code != code {
				t.Errorf("logging out: %v", err)
			}
			entries, err := s.Entries()
			if check(t, err); len(entries) != 1 {
				t.Errorf("listed after failures: %v; want what was there before", entries)
			}
		})
	}
}

func TestFileIsTheWayOutOfABrokenKeyring(t *testing.T) {
	s, system := newStore(t, "")
	check(t, s.LoginToken(t.Context(), popcorn, "before"))
	system.err = errUnavailable
	var warnings []string
	s.Warn = func(message string) { warnings = append(warnings, message) }
	s.place = File
	check(t, s.LoginToken(t.Context(), popcorn, "after"))
	if token := bearer(t, s, popcorn); token != "after" {
		t.Errorf("got %q", token)
	}
	if len(warnings) != 1 || strings.Contains(warnings[0], "before\"") {
		t.Errorf("warnings %q; want one about what is left behind", warnings)
	}
}

func TestAnotherKindLeavesNoSecretBehind(t *testing.T) {
	s, system := newStore(t, "")
	check(t, s.LoginToken(t.Context(), popcorn, "t"))
	check(t, s.LoginCommand(t.Context(), popcorn, []string{"x"}))
	if len(system.secrets) != 0 {
		t.Errorf("the keyring still has %v", slices.Collect(maps.Keys(system.secrets)))
	}
}

func TestDamagedList(t *testing.T) {
	for name, content := range map[string]string{
		"not JSON": `{`, "empty": ``, "more behind it": `{}{}`, "a brace behind it": `{}}`, "null": `null`, "a member twice": `{"https://a.b":{"kind":"identity","identity":"x","identity":"y"}}`,
		"unknown member": `{"https://a.b":{"kind":"token","keyring":"file","secret":"s"}}`,
		"unknown kind":   `{"https://a.b":{"kind":"magic"}}`, "no keyring": `{"https://a.b":{"kind":"token"}}`,
		"no command": `{"https://a.b":{"kind":"command"}}`, "no identity": `{"https://a.b":{"kind":"identity"}}`, "an array": `[]`, "no origin": `{"popcorn":{"kind":"token","keyring":"file"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t, "file")
			path := filepath.Join(s.ConfigDir, "credentials.json")
			check(t, os.WriteFile(path, []byte(content), 0o600))
			for _, err := range []error{
				second(s.Credential(t.Context(), popcorn)), second(s.Entries()), s.LoginToken(t.Context(), popcorn, "t"), second(s.Logout(t.Context(), popcorn)),
			} {
				if e := wantCode(t, err, fault.Internal, "config_damaged"); !strings.Contains(e.Error(), path) {
					t.Errorf("%q does not name the file", e.Error())
				}
			}
			if after, _ := os.ReadFile(path); string(after) != content {
				t.Errorf("the file is %q now", after)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

func TestLoginsAtOnceLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() { // each with a store of its own, as processes have
			s, err := Open(Settings{ConfigDir: dir, Place: "file", Now: time.Now})
			if err == nil {
				err = s.LoginToken(t.Context(), Account{Origin: "https://popcorn.club", Profile: string(rune('a' + i))}, "token-"+string(rune('a'+i)))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, err := Open(Settings{ConfigDir: dir, Now: time.Now})
	check(t, err)
	for i := range 12 {
		name := string(rune('a' + i))
		if token := bearer(t, s, Account{Origin: "https://popcorn.club", Profile: name}); token != "token-"+name {
			t.Errorf("%s has %q", name, token)
		}
	}
}

func TestOpenRefusesOtherKeyrings(t *testing.T) {
	for _, place := range []string{"File", "plain", "system", " file"} {
		_, err := Open(Settings{Place: place})
		wantCode(t, err, fault.Usage, "invalid_keyring")
	}
}

func TestFileKeyringIsForItsOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file modes say nothing here")
	}
	s, _ := newStore(t, "file")
	check(t, s.LoginToken(t.Context(), popcorn, "canary-token"))
	file := filepath.Join(s.ConfigDir, "keyring", "secrets.json")
	for path, want := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700} {
		info, err := os.Stat(path)
		if check(t, err); info.Mode().Perm() != want {
			t.Errorf("%s has the mode %o, want %o", path, info.Mode().Perm(), want)
		}
		for _, loose := range []os.FileMode{0o040, 0o020, 0o010, 0o004, 0o001} {
			check(t, os.Chmod(path, want|loose))
			for _, err := range []error{second(s.Credential(t.Context(), popcorn)), s.LoginToken(t.Context(), popcorn, "new"), second(s.Logout(t.Context(), popcorn))} {
				e := wantCode(t, err, fault.Auth, "keyring_insecure")
				if mends := "chmod " + map[os.FileMode]string{0o600: "600 ", 0o700: "700 "}[want] + path; e.Hint != mends {
					t.Errorf("the hint is %q, want %q", e.Hint, mends)
				}
			}
			check(t, os.Chmod(path, want))
		}
	}
	if token := bearer(t, s, popcorn); token != "canary-token" {
		t.Errorf("got %q", token)
	}
}

func TestNothingIsKeptInADirectoryThatOthersCanEnter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file modes say nothing here")
	}
	s, _ := newStore(t, "file")
	dir := filepath.Join(s.ConfigDir, "keyring")
	check(t, os.MkdirAll(dir, 0o700))
	check(t, os.Chmod(dir, 0o755))
	wantCode(t, s.LoginToken(t.Context(), popcorn, "canary"), fault.Auth, "keyring_insecure")
	if _, err := os.Stat(filepath.Join(dir, "secrets.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the secret was written: %v", err)
	}
}

func TestDamagedFileKeyringTellsNoSecret(t *testing.T) {
	for _, content := range []string{`null`, `{}}`, `{"a":"canary","a":"x"}`, `{"a": canary}`, `{"canary":1}`, `["canary"]`, `{"x":"canary"`, ``} {
		s, _ := newStore(t, "file")
		check(t, s.LoginToken(t.Context(), popcorn, "t"))
		check(t, os.WriteFile(filepath.Join(s.ConfigDir, "keyring", "secrets.json"), []byte(content), 0o600))
		_, err := s.Credential(t.Context(), popcorn)
		e := wantCode(t, err, fault.Internal, "config_damaged")
		wantCode(t, s.LoginToken(t.Context(), popcorn, "new"), fault.Internal, "config_damaged")
		if strings.Contains(e.Error()+e.Hint, "canary") || !strings.Contains(e.Error(), "secrets.json") {
			t.Errorf("%q", e.Error())
		}
	}
}

func TestSystemKeyringNeverHangs(t *testing.T) {
	blocked := make(chan struct{})
	defer close(blocked)
	hang := func(string, string) (string, error) { <-blocked; return "late", nil }
	of := func(limit time.Duration, get func(string, string) (string, error)) *systemKeyring {
		return &systemKeyring{ready: func() error { return nil }, locked: refusedAsLocked, limit: limit, client: client{get: get}}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		keyring *systemKeyring
		ctx     context.Context
		want    error
	}{
		"a service that does not answer":     {of(10*time.Millisecond, hang), t.Context(), errTimeout},
		"a call that was interrupted":        {of(time.Hour, hang), ended, context.Canceled},
		"a service that makes a client fail": {of(time.Hour, func(string, string) (string, error) { panic("nonsense") }), t.Context(), errUnavailable},
	} {
		if _, err := test.keyring.get(test.ctx, "x"); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
	patient := of(time.Hour, hang)
	patient.hangs.Store(true)
	if _, err := patient.get(t.Context(), "y"); !errors.Is(err, errTimeout) {
		t.Errorf("the second time: got %v", err)
	}
}

func TestNamesThatCannotBe(t *testing.T) {
	for _, name := range []string{"", "a b", "a#b", "a/b", "..", "-x", "é", strings.Repeat("x", 65)} {
		wantCode(t, CheckName("a profile", name), fault.Usage, "invalid_name")
	}
	check(t, CheckName("a profile", "Work_2.eu"))
}
