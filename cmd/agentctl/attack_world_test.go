package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
)

// token is what the victim has to lose. It is attached to every call of a row that does not say otherwise.
const token = "c4n4ry-token-0123456789"

// hangs is after how long a run is killed, and its attack has succeeded.
const hangs = 25 * time.Second

// world is the victim's machine, the evil site that it calls, and another origin, which must not hear from it.
type world struct {
	*testing.T
	bin      string
	ca       *authority
	dir      string
	env      map[string]string
	site     *evilSite // https://shop.example
	other    *evilSite // https://elsewhere.example, and https://shop.example:8443
	secrets  []string
	otherMay bool // the row calls the other origin itself
}

func newWorld(t *testing.T, bin string, a *authority) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{T: t, bin: bin, ca: a, dir: dir, secrets: []string{token}}
	w.site = newEvilSite(t, a.issue(t, certificateFor("shop.example")))
	w.other = newEvilSite(t, a.issue(t, certificateFor("elsewhere.example", "shop.example")))
	w.env = map[string]string{
		"PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME": dir, "TERM": "xterm-256color", "AGENTCTL_TOKEN": token,
		"AGENTCTL_CONFIG_DIR": w.path("config"), "AGENTCTL_CACHE_DIR": w.path("cache"), "AGENTCTL_STATE_DIR": w.path("state"),
		"SSL_CERT_FILE": w.path("ca.pem"),
		"AGENTCTL_RESOLVE": strings.Join([]string{
			"shop.example:443:" + w.site.addr, "elsewhere.example:443:" + w.other.addr, "shop.example:8443:" + w.other.addr,
		}, ","),
	}
	w.write("ca.pem", string(a.pem))
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// write puts a file where only the victim can read it.
func (w *world) write(name, content string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(content), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.Helper()
	content, err := os.ReadFile(w.path(name))
	if err != nil {
		w.Fatal(err)
	}
	return string(content)
}

// must stops the row when its own preparation fails.
func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// outcome is what one run of the program left.
type outcome struct {
	*world
	line           string
	stdout, stderr string
	status         int
	fault          struct {
		Kind, Code, Message, Hint, Sent string
		Details                         map[string]any
	}
}

// call runs the program for the evil site, with errors as JSON: the words of line are what stands behind SITE.
func (w *world) call(line string) *outcome {
	w.Helper()
	return w.run(append([]string{"shop.example", "--json"}, strings.Fields(line)...)...)
}

// run runs the program. Whatever the attack is, a run ends by itself, with a status of the contract, and says nothing that
// acts on a terminal or that is secret.
func (w *world) run(args ...string) *outcome {
	w.Helper()
	return w.finish(w.command("agentctl", args...))
}

func (w *world) command(program string, args ...string) *exec.Cmd {
	w.site.start()
	w.other.start()
	ctx, cancel := context.WithTimeout(w.Context(), hangs)
	w.Cleanup(cancel)
	if program == "agentctl" {
		program = filepath.Join(w.bin, program)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = w.dir
	for name, value := range w.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

func (w *world) finish(cmd *exec.Cmd) *outcome {
	w.Helper()
	return w.during(cmd, func(*os.Process) {})
}

// during runs a program, and something else while it runs.
func (w *world) during(cmd *exec.Cmd, do func(victim *os.Process)) *outcome {
	w.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	w.must(cmd.Start())
	do(cmd.Process)
	err := cmd.Wait()
	o := &outcome{world: w, line: strings.Join(cmd.Args[1:], " "), stdout: stdout.String(), stderr: stderr.String()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		o.status = exit.ExitCode()
	} else {
		w.must(err)
	}
	o.inspect()
	return o
}

// inspect holds a run against what is promised of every run.
func (o *outcome) inspect() {
	o.Helper()
	if !slices.Contains([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 130}, o.status) {
		o.Errorf("%s: exit status %d is none of the contract's, or the run did not end by itself\n%s", o.line, o.status, o.stderr)
	}
	if bad := unsafe(o.stderr); bad != "" {
		o.Errorf("%s: standard error has %s in it: %q", o.line, bad, o.stderr)
	}
	if strings.Contains(o.stderr, "goroutine ") {
		o.Errorf("%s: it crashed:\n%s", o.line, o.stderr)
	}
	for _, secret := range slices.Concat(o.secrets, o.site.credentials()) {
		if strings.Contains(o.stdout+o.stderr, secret) {
			o.Errorf("%s: it told the secret %s:\n%.2000s\n%.5000s", o.line, secret, o.stdout, o.stderr)
		}
	}
	for line := range strings.Lines(o.stderr) {
		var told struct{ Error json.RawMessage }
		if json.Unmarshal([]byte(line), &told) == nil && told.Error != nil {
			o.must(json.Unmarshal(told.Error, &o.fault))
		}
	}
}

// kinds are the exit statuses of the contract, section 4.
func kinds() map[int]string {
	return map[int]string{
		1: "internal", 2: "usage", 3: "manifest", 4: "auth", 5: "approval", 6: "payment", 7: "rejected", 8: "unavailable", 130: "interrupted",
	}
}

// fails wants the run to have failed: with that status and its kind, that code, and that answer to whether the request
// can have had its effect.
func (o *outcome) fails(status int, code, sent string) *outcome {
	o.Helper()
	if o.status != status || o.fault.Kind != kinds()[status] || o.fault.Code != code || o.fault.Sent != sent {
		o.Errorf("%s: exit status %d, kind %q, code %q, sent %q; want %d, %q, %q, %q\n%s%.2000s", o.line,
			o.status, o.fault.Kind, o.fault.Code, o.fault.Sent, status, kinds()[status], code, sent, o.stderr, o.stdout)
	}
	return o
}

func (o *outcome) succeeds() *outcome {
	o.Helper()
	if o.status != 0 {
		o.Errorf("%s: exit status %d\n%s", o.line, o.status, o.stderr)
	}
	return o
}

// shows wants a text on standard output or standard error.
func (o *outcome) shows(text string) {
	o.Helper()
	if !strings.Contains(o.stdout+o.stderr, text) {
		o.Errorf("%s: it does not show %q:\n%s%s", o.line, text, o.stdout, o.stderr)
	}
}

// hides wants it not to.
func (o *outcome) hides(text string) {
	o.Helper()
	if strings.Contains(o.stdout+o.stderr, text) {
		o.Errorf("%s: it shows %q:\n%s%s", o.line, text, o.stdout, o.stderr)
	}
}

// isClean wants standard output to be safe for a terminal too: it holds no raw answer.
func (o *outcome) isClean() *outcome {
	o.Helper()
	if bad := unsafe(o.stdout); bad != "" {
		o.Errorf("%s: standard output has %s in it: %q", o.line, bad, o.stdout)
	}
	return o
}

// screen runs the program on a terminal, where answer is typed when it asks. What it shows may be coloured.
func (w *world) screen(answer string, args ...string) *outcome {
	w.Helper()
	shown, status, err := onTerminal(w.command("agentctl", args...), typed{answers: []string{answer}}, hangs)
	w.must(err)
	o := &outcome{world: w, line: strings.Join(args, " "), status: status}
	o.stderr = strings.ReplaceAll(regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(string(shown), ""), "\r\n", "\n")
	o.inspect()
	return o
}

// unsafe names the first thing in a text that acts on a terminal or misleads its reader.
func unsafe(text string) string {
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
		case unicode.IsControl(r):
			return "the control character " + strconv.QuoteRune(r)
		case unicode.Is(unicode.Bidi_Control, r):
			return "the bidirectional control " + strconv.QuoteRune(r)
		case r == '\u200b' || r == '\ufeff' || 0xe0000 <= r && r <= 0xe007f:
			return "the invisible character " + strconv.QuoteRune(r)
		}
	}
	return ""
}

// evilText is in every field that a site can fill: colours, a cleared screen, a window title, the clipboard, a C1 control,
// text that runs backwards, an invisible one, a line that is written over.
const evilText = "evil\x1b[2J\x1b[31m\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x1b\\\u009b31m\u202etxt\u2066\u200b\U000E0041\rover\x08\x7f"

// aftermath is what holds at the end of every row.
func (w *world) aftermath() {
	w.Helper()
	if seen := w.other.requests(""); len(seen) > 0 && !w.otherMay {
		w.Errorf("the other origin was asked %q", seen)
	}
	for _, r := range slices.Concat(w.site.all(), w.other.all()) {
		if r.header.Get("Cookie") != "" || r.header.Get("Referer") != "" {
			w.Errorf("%s carries %v", r.line, r.header)
		}
		if discovers(r) && r.header.Get("Authorization") != "" {
			w.Errorf("discovery is not anonymous: %s carries a credential", r.line)
		}
	}
	for _, dir := range []string{"config", "cache", "state"} {
		w.searchFiles(dir)
	}
}

// searchFiles looks for secrets in what the program keeps, but for the keyring, and for files that others can read.
func (w *world) searchFiles(dir string) {
	w.Helper()
	err := filepath.WalkDir(w.path(dir), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || filepath.Base(path) == "secrets.json" {
			return skipAbsent(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return skipAbsent(err)
		}
		for _, secret := range w.secrets {
			if bytes.Contains(content, []byte(secret)) {
				w.Errorf("%s holds the secret %s", path, secret)
			}
		}
		return nil
	})
	w.must(err)
}

func skipAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
