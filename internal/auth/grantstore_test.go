package auth

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestSeveralGrantsByAccount(t *testing.T) {
	for _, place := range []string{"", "file"} {
		t.Run("keyring "+place, func(t *testing.T) {
			s, _ := newStore(t, place)
			work := Account{Origin: popcorn.Origin, Profile: "work"}
			a := addGrant(t, s, popcorn, `{"iss":"https://id.example","scope":"a b","nbf":`+in(0)+`,"exp":`+in(time.Hour)+`}`)
			b := addGrant(t, s, popcorn, `{"scope":"b"}`)
			c := addGrant(t, s, work, `{"scope":"b c"}`)
			addGrant(t, s, popcorn, `{"scope":"b"}`) // once more
			where := System
			if place == "file" {
				where = File
			}
			want := []StoredGrant{
				{popcorn, Grant{ID: grantID(b), Scopes: []string{"b"}, Keyring: where, Added: noon}},
				{popcorn, Grant{ID: grantID(a), Scopes: []string{"a", "b"}, Issuer: "https://id.example", NotBefore: noon, Expires: noon.Add(time.Hour), Keyring: where, Added: noon}},
				{work, Grant{ID: grantID(c), Scopes: []string{"b", "c"}, Keyring: where, Added: noon}},
			}
			listed, err := s.AllGrants()
			check(t, err)
			if diff := cmp.Diff(want, listed); diff != "" {
				t.Errorf("listed (-want +got)\n%s", diff)
			}
			removed, err := s.RemoveGrants(t.Context(), popcorn, func(g Grant) bool { return g.ID == grantID(b) })
			check(t, err)
			if !slices.Equal(removed, []string{grantID(b)}) {
				t.Errorf("removed %q", removed)
			}
			got, err := s.Grant(t.Context(), popcorn, "b")
			check(t, err)
			if got.token != a {
				t.Error("the other grant is not found")
			}
			removed, err = s.RemoveGrants(t.Context(), popcorn, anyGrant)
			if check(t, err); len(removed) != 1 {
				t.Errorf("removed %q", removed)
			}
			removed, err = s.RemoveGrants(t.Context(), popcorn, anyGrant)
			if check(t, err); removed != nil {
				t.Errorf("removed %q again", removed)
			}
			if got, err = s.Grant(t.Context(), work, ""); err != nil || got.token != c {
				t.Errorf("the other profile's grant: %v", err)
			}
		})
	}
}

func TestGrantIsAJWT(t *testing.T) {
	s, system := newStore(t, "")
	for _, token := range []string{"canary", "canary.b.c", grantOf(`[]`), grantOf(`"canary"`), grantOf(`{`)} {
		_, err := s.AddGrant(t.Context(), popcorn, token)
		e := wantCode(t, err, fault.Usage, "invalid_token")
		if strings.Contains(e.Error()+e.Hint, token) {
			t.Errorf("%q repeats the token", e)
		}
	}
	if system.touched > 0 {
		t.Error("the keyring was touched")
	}
}

func TestSecretsOfGrantsHaveNamesOfTheirOwn(t *testing.T) {
	s, system := newStore(t, "")
	check(t, s.LoginToken(t.Context(), popcorn, "login"))
	token := addGrant(t, s, popcorn, `{}`)
	addGrant(t, s, Account{Origin: popcorn.Origin, Profile: "work"}, `{}`) // the same token for another account
	want := map[string]string{
		"https://popcorn.club":                              "login",
		"https://popcorn.club!grant:" + grantID(token):      token,
		"https://popcorn.club#work!grant:" + grantID(token): token,
	}
	if diff := cmp.Diff(want, system.secrets); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := CheckName("a profile", "work!grant:x"); err == nil {
		t.Error("a profile could have the name of a grant")
	}
	_, err := s.RemoveGrants(t.Context(), popcorn, anyGrant)
	check(t, err)
	if names := slices.Sorted(maps.Keys(system.secrets)); len(names) != 2 || names[0] != popcorn.Origin {
		t.Errorf("the keyring has %q", names)
	}
}

func TestKeyringFaultsOfGrants(t *testing.T) {
	for cause, code := range map[error]string{
		errLocked: "keyring_locked", errUnavailable: "keyring_unavailable", errTimeout: "keyring_timeout", errTooLarge: "keyring_too_large",
	} {
		t.Run(code, func(t *testing.T) {
			s, system := newStore(t, "")
			kept := addGrant(t, s, popcorn, `{"scope":"a"}`)
			system.err = cause
			system.touched = 0
			if _, err := s.Grant(t.Context(), popcorn, "b"); fault.From(err).Code != "grant_required" || system.touched > 0 {
				t.Errorf("a scope that no grant has: %v, touched %d times", err, system.touched)
			}
			for _, err := range []error{
				second(s.Grant(t.Context(), popcorn, "a")), second(s.AddGrant(t.Context(), popcorn, grantOf(`{"scope":"b"}`))), second(s.RemoveGrants(t.Context(), popcorn, anyGrant)),
			} {
				e := wantCode(t, err, fault.Auth, code)
				for _, out := range []string{"AGENTCTL_TOKEN", "AGENTCTL_KEYRING=file agentctl auth grant add popcorn.club --with-token"} {
					if !strings.Contains(e.Hint, out) {
						t.Errorf("the hint %q does not name %s", e.Hint, out)
					}
				}
			}
			listed, err := s.Grants(popcorn)
			if check(t, err); len(listed) != 1 || listed[0].ID != grantID(kept) {
				t.Errorf("listed after failures: %v; want what was there before", listed)
			}
		})
	}
}

func TestRemovingNothingTouchesNothing(t *testing.T) {
	s, system := newStore(t, "")
	removed, err := s.RemoveGrants(t.Context(), popcorn, anyGrant)
	check(t, err)
	files, err := os.ReadDir(s.ConfigDir)
	check(t, err)
	if removed != nil || system.touched > 0 || len(files) > 0 {
		t.Errorf("removed %q, touched the keyring %d times, left %v", removed, system.touched, files)
	}
}

func TestGrantThatTheKeyringLost(t *testing.T) {
	s, system := newStore(t, "")
	token := addGrant(t, s, popcorn, `{"scope":"a"}`)
	name := "https://popcorn.club!grant:" + grantID(token)
	again := "agentctl auth grant remove popcorn.club " + grantID(token) + ", then agentctl auth grant add popcorn.club --with-token"
	delete(system.secrets, name)
	_, err := s.Grant(t.Context(), popcorn, "a")
	if e := wantCode(t, err, fault.Auth, "credential_missing"); e.Hint != again {
		t.Errorf("hint %q", e.Hint)
	}
	for what, secret := range map[string]string{"another grant": grantOf(`{"scope":"a b"}`), "no JWT": "canary", "no token": "two canaries", "nothing": ""} {
		system.secrets[name] = secret
		_, err := s.Grant(t.Context(), popcorn, "a")
		if e := wantCode(t, err, fault.Auth, "invalid_token"); e.Hint != again || strings.Contains(e.Error(), "canar") {
			t.Errorf("%s: %q, hint %q", what, e, e.Hint)
		}
	}
	delete(system.secrets, name)
	removed, err := s.RemoveGrants(t.Context(), popcorn, anyGrant)
	if check(t, err); len(removed) != 1 {
		t.Errorf("removed %q; what is gone is forgotten already", removed)
	}
}

func TestListThatPromisesAnotherScope(t *testing.T) {
	s, _ := newStore(t, "file")
	addGrant(t, s, popcorn, `{"scope":"narrow"}`)
	path := filepath.Join(s.ConfigDir, "grants.json")
	list, err := os.ReadFile(path)
	check(t, err)
	check(t, os.WriteFile(path, []byte(strings.Replace(string(list), "narrow", "wide", 1)), 0o600))
	_, err = s.Grant(t.Context(), popcorn, "wide")
	wantCode(t, err, fault.Auth, "invalid_token")
}

func TestListThatPromisesAnotherTime(t *testing.T) {
	s, _ := newStore(t, "file")
	addGrant(t, s, popcorn, `{"scope":"a","exp":`+in(-time.Hour)+`}`)
	path := filepath.Join(s.ConfigDir, "grants.json")
	list, err := os.ReadFile(path)
	check(t, err)
	check(t, os.WriteFile(path, []byte(strings.Replace(string(list), "2026-11-30T11", "2026-11-30T19", 1)), 0o600))
	_, err = s.Grant(t.Context(), popcorn, "a")
	wantCode(t, err, fault.Auth, "token_expired")
}

func TestGrantThatExpiresDuringTheQuestion(t *testing.T) {
	s, _ := newStore(t, "")
	addGrant(t, s, popcorn, `{"scope":"a","exp":`+in(time.Minute)+`}`)
	c, err := s.Grant(t.Context(), popcorn, "a")
	check(t, err)
	_, err = c.Token(noon.Add(time.Hour))
	if e := wantCode(t, err, fault.Auth, "token_expired"); e.Hint != "agentctl auth grant add popcorn.club --with-token" {
		t.Errorf("hint %q", e.Hint)
	}
}

func TestGrantMovesToAnotherKeyring(t *testing.T) {
	s, system := newStore(t, "")
	token := addGrant(t, s, popcorn, `{"scope":"a"}`)
	s.place = File
	addGrant(t, s, popcorn, `{"scope":"a"}`)
	if len(system.secrets) > 0 {
		t.Errorf("the keyring still has %q", slices.Collect(maps.Keys(system.secrets)))
	}
	system.err = errLocked
	if c, err := s.Grant(t.Context(), popcorn, "a"); err != nil || c.token != token {
		t.Errorf("from the file: %v", err)
	}
	s.place = System
	_, err := s.AddGrant(t.Context(), popcorn, token)
	wantCode(t, err, fault.Auth, "keyring_locked")
	if c, err := s.Grant(t.Context(), popcorn, "a"); err != nil || c.token != token {
		t.Errorf("after a move that failed: %v", err)
	}
	system.err, s.place = nil, System
	addGrant(t, s, popcorn, `{"scope":"a"}`)
	s.place, system.err = File, errUnavailable
	var warnings []string
	s.Warn = func(message string) { warnings = append(warnings, message) }
	addGrant(t, s, popcorn, `{"scope":"a"}`)
	if len(warnings) != 1 || strings.Contains(warnings[0], token) {
		t.Errorf("warnings %q; want one about what is left behind", warnings)
	}
}

// spoiler is a keyring that puts a directory in the place of a file once it has kept a secret, so the file cannot be
// written.
type spoiler struct {
	*memory
	path string
}

func (k spoiler) set(ctx context.Context, name, secret string) error {
	if err := k.memory.set(ctx, name, secret); err != nil {
		return err
	}
	_ = os.Remove(k.path)
	return os.MkdirAll(filepath.Join(k.path, "x"), 0o700)
}

func TestNoSecretStaysThatIsNotListed(t *testing.T) {
	s, system := newStore(t, "")
	s.system = spoiler{system, filepath.Join(s.ConfigDir, "grants.json")}
	_, err := s.AddGrant(t.Context(), popcorn, grantOf(`{}`))
	wantCode(t, err, fault.Internal, "write_failed")
	if len(system.secrets) > 0 {
		t.Errorf("the keyring has %q", slices.Collect(maps.Keys(system.secrets)))
	}
}

func TestRemovingStopsAtWhatCannotBeDeleted(t *testing.T) {
	s, system := newStore(t, "file")
	first := addGrant(t, s, popcorn, `{"scope":"a"}`)
	s.place = System
	second := addGrant(t, s, popcorn, `{"scope":"a b"}`)
	system.err = errLocked
	removed, err := s.RemoveGrants(t.Context(), popcorn, anyGrant)
	wantCode(t, err, fault.Auth, "keyring_locked")
	if !slices.Equal(removed, []string{grantID(first)}) {
		t.Errorf("removed %q", removed)
	}
	listed, err := s.Grants(popcorn)
	if check(t, err); len(listed) != 1 || listed[0].ID != grantID(second) {
		t.Errorf("listed: %v; want what is still in the keyring", listed)
	}
}

func TestGrantsAtOnceLoseNothing(t *testing.T) {
	dir := t.TempDir()
	const count = 12
	var wg sync.WaitGroup
	for i := range count {
		wg.Go(func() { // each with a store of its own, as processes have
			s, err := Open(Settings{ConfigDir: dir, Place: "file", Now: time.Now})
			if err == nil {
				_, err = s.AddGrant(t.Context(), popcorn, grantOf(fmt.Sprintf(`{"scope":"s%d"}`, i)))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, err := Open(Settings{ConfigDir: dir, Now: time.Now})
	check(t, err)
	for i := range count {
		if _, err := s.Grant(t.Context(), popcorn, fmt.Sprintf("s%d", i)); err != nil {
			t.Errorf("grant %d: %v", i, err)
		}
	}
}

func TestFilesThatCouldNotBeReadAgainAreNotWritten(t *testing.T) {
	s, _ := newStore(t, "file")
	kept := addGrant(t, s, popcorn, `{"scope":"kept"}`)
	large := map[string]string{"x": strings.Repeat("x", maxDocumentBytes)}
	err := s.file.(fileKeyring).update(func(secrets map[string]string) error {
		maps.Copy(secrets, large)
		return nil
	})
	if e := wantCode(t, err, fault.Internal, "write_failed"); !strings.Contains(e.Error(), "secrets.json would be larger than 8 MiB") {
		t.Errorf("%q", e)
	}
	err = s.grants().update(func(all map[string]grantsByID) error {
		all["https://large.example"] = grantsByID{"0123456789ab": {Keyring: File, Issuer: large["x"]}}
		return nil
	})
	wantCode(t, err, fault.Internal, "write_failed")
	if c, err := s.Grant(t.Context(), popcorn, "kept"); err != nil || c.token != kept {
		t.Errorf("what was kept before: %v", err)
	}
}
