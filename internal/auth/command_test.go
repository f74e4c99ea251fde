package auth

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// script is a command that runs text in a shell.
func script(t *testing.T, text string) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands of these tests need a POSIX shell")
	}
	return []string{"sh", "-c", text}
}

func TestCommandGivesTheToken(t *testing.T) {
	for name, test := range map[string]struct{ output, token string }{
		"plain":                   {"abc\n", "abc"},
		"token":                   {`{"token":"abc"}`, "abc"},
		"access_token, and more":  {` {"expires_in":3,"access_token":"abc","expires_at":"2026-11-30T13:00:00Z"} `, "abc"},
		"the clearer name counts": {`{"access_token":"no","token":"abc"}`, "abc"},
		"no expiry":               {`{"token":"abc","expires_at":null}`, "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t, "")
			file := filepath.Join(t.TempDir(), "output")
			check(t, os.WriteFile(file, []byte(test.output), 0o600))
			check(t, s.LoginCommand(t.Context(), popcorn, script(t, "cat "+file)))
			if token := bearer(t, s, popcorn); token != test.token {
				t.Errorf("got %q", token)
			}
		})
	}
}

func TestCommandOutputThatGivesNone(t *testing.T) {
	for name, output := range map[string]string{
		"empty": "", "two words": "canary one", "a line too many": "canary\nother", "control characters": "canary\x1b[31m",
		"not JSON": `{"token":"canary"`, "no token": `{"tok":"canary"}`, "a token that is none": `{"token":"can ary"}`,
		"a number": `{"token":5}`, "an empty one": `{"token":""}`, "duplicates": `{"token":"canary","token":"canary2"}`,
		"a bad expiry": `{"token":"canary","expires_at":"tomorrow"}`, "an expiry beyond the calendar": `{"token":"canary","expires_at":1e300}`,
		"too long": strings.Repeat("x", MaxTokenBytes+1),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := parseOutput([]byte(output))
			if err == nil {
				t.Fatal("accepted")
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("%q repeats the output", err)
			}
		})
	}
}

func TestCommandExpiry(t *testing.T) {
	for text, want := range map[string]time.Time{
		`"2026-11-30T13:00:00+01:00"`: noon, `1796040000`: noon, `1796040000.9`: noon, `"1796040000"`: noon, `0`: time.Unix(0, 0),
	} {
		_, expires, err := parseOutput([]byte(`{"token":"a","expires_at":` + text + `}`))
		if err != nil || !expires.Equal(want) {
			t.Errorf("%s: %v, %v; want %v", text, expires, err, want)
		}
	}
}

func TestCommandIsCachedInMemoryUntilItExpires(t *testing.T) {
	s, _ := newStore(t, "")
	now := noon
	s.Now = func() time.Time { return now }
	counter := filepath.Join(t.TempDir(), "runs")
	with := func(expiry string) []string {
		return script(t, "echo x >>"+counter+`; echo '{"token":"t'$(wc -l <`+counter+` | tr -d " ")'"`+expiry+`}'`)
	}
	check(t, s.LoginCommand(t.Context(), popcorn, with(`,"expires_at":"2026-11-30T12:01:00Z"`)))
	if a, b := bearer(t, s, popcorn), bearer(t, s, popcorn); a != "t1" || b != "t1" {
		t.Errorf("got %q and %q; the second should be the first again", a, b)
	}
	now = noon.Add(time.Minute)
	if c, err := s.Credential(t.Context(), popcorn); err != nil || c.token != "t2" {
		t.Errorf("after its expiry: %v, %v", c, err)
	}
	now = noon.Add(2 * time.Minute)
	_, err := s.Credential(t.Context(), popcorn)
	wantCode(t, err, fault.Auth, "token_expired")

	check(t, s.LoginCommand(t.Context(), popcorn, with("")))
	s.given = map[Account]*Credential{}
	if a, b := bearer(t, s, popcorn), bearer(t, s, popcorn); a == b {
		t.Errorf("got %q twice; without an expiry each call asks", a)
	}
	err = filepath.WalkDir(s.ConfigDir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if content, _ := os.ReadFile(path); strings.Contains(string(content), `"t1"`) {
				t.Errorf("%s has the token", path)
			}
		}
		return err
	})
	check(t, err)
}

func TestCommandFailures(t *testing.T) {
	for name, test := range map[string]struct{ text, says string }{
		"its standard error is shown": {"echo vault is sealed >&2; echo canary; exit 3", "exit status 3: vault is sealed"},
		"in one line, and cut":        {"yes 'no luck' | head -c 5000 >&2; exit 1", "no luck no luck"},
		"no output":                   {"true", "the token is empty"},
		"too much output":             {"yes canary | head -c 100000", "more than 64 KiB"},
		"it kills itself":             {"kill -9 $$", "killed"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t, "")
			check(t, s.LoginCommand(t.Context(), popcorn, script(t, test.text)))
			_, err := s.Credential(t.Context(), popcorn)
			e := wantCode(t, err, fault.Auth, "credential_command_failed")
			if !strings.Contains(e.Error(), test.says) || strings.Contains(e.Error(), "canary") || len(e.Error()) > 1200 || strings.Contains(e.Error(), "\n") {
				t.Errorf("%q; want %q, nothing of the output, and not too much", e.Error(), test.says)
			}
		})
	}
	s, _ := newStore(t, "")
	check(t, s.LoginCommand(t.Context(), popcorn, []string{"/nonexistent/helper", "x"}))
	_, err := s.Credential(t.Context(), popcorn)
	if e := wantCode(t, err, fault.Auth, "credential_command_failed"); !strings.Contains(e.Error(), "/nonexistent/helper") {
		t.Errorf("%q does not name the program", e.Error())
	}
}

func TestCommandEndsWithItsCall(t *testing.T) {
	s, _ := newStore(t, "")
	check(t, s.LoginCommand(t.Context(), popcorn, script(t, "sleep 60 & sleep 60"))) // a child holds on to its output
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := s.Credential(ctx, popcorn)
	if e := wantCode(t, err, fault.Auth, "credential_command_failed"); !strings.Contains(e.Error(), "not done in time") {
		t.Errorf("%q", e.Error())
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = s.Credential(ctx, popcorn)
	wantCode(t, err, fault.Interrupted, "interrupted")
}

func TestCommandMayLeaveAServiceRunning(t *testing.T) {
	s, _ := newStore(t, "")
	check(t, s.LoginCommand(t.Context(), popcorn, script(t, "sleep 5 & echo token")))
	if token := bearer(t, s, popcorn); token != "token" {
		t.Errorf("got %q", token)
	}
}

func TestCommandDoesNotSeeTheEnvironmentsToken(t *testing.T) {
	s, _ := newStore(t, "")
	s.Environ = func() []string {
		return []string{"PATH=" + os.Getenv("PATH"), "AGENTCTL_TOKEN=canary", "agentctl_token=canary", "OTHER=kept"}
	}
	check(t, s.LoginCommand(t.Context(), popcorn, script(t, `echo "[$AGENTCTL_TOKEN$agentctl_token$OTHER]"`)))
	if token := bearer(t, s, popcorn); token != "[kept]" {
		t.Errorf("it sees %q", token)
	}
}

func FuzzParseOutput(f *testing.F) {
	for _, seed := range []string{"abc", `{"token":"a","expires_at":1}`, `{"access_token":"a","expires_at":"2026-11-30T13:00:00Z"}`, `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		token, expires, err := parseOutput(output)
		if err != nil {
			if token != "" {
				t.Error("a token with an error")
			}
			return
		}
		if CheckToken(token) != nil {
			t.Errorf("%q is no token", token)
		}
		if _, err := expires.MarshalJSON(); err != nil {
			t.Error(err)
		}
	})
}
