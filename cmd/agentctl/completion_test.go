//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shellSession is a real shell on a terminal, with agentctl's completion.
type shellSession struct {
	t        *testing.T
	terminal *os.File
	output   chan []byte
	screen   bytes.Buffer
}

// startShell starts an interactive shell that reads no files of a person's, has it read the script, and waits for its prompt.
func startShell(t *testing.T, bin, dir string, setup string, argv ...string) *shellSession {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "TERM=xterm", "PS1=ready> ", "LC_ALL=C.UTF-8",
		"AGENTCTL_CONFIG_DIR=" + dir + "/config", "AGENTCTL_CACHE_DIR=" + dir + "/cache", "AGENTCTL_STATE_DIR=" + dir + "/state",
	}
	terminal, err := startOnTerminal(cmd, "")
	if err != nil {
		t.Fatal(err)
	}
	s := &shellSession{t: t, terminal: terminal, output: make(chan []byte, 100)}
	go func() {
		defer close(s.output)
		for {
			chunk := make([]byte, 4096)
			n, err := terminal.Read(chunk)
			if n > 0 {
				s.output <- chunk[:n]
			}
			if err != nil && !errors.Is(err, syscall.EINTR) {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = terminal.Close()
		_ = cmd.Wait()
	})
	s.send(setup + "\necho is set${EMPTY-} up\n")
	s.await(`(?m)^is set up`)
	return s
}

func (s *shellSession) send(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.terminal, keys); err != nil {
		s.t.Fatal(err)
	}
}

// await waits until what was printed since the last call matches.
func (s *shellSession) await(pattern string) {
	s.t.Helper()
	wanted := regexp.MustCompile(pattern)
	timeout := time.After(30 * time.Second)
	for !wanted.Match(plainScreen(s.screen.Bytes())) {
		select {
		case chunk, ok := <-s.output:
			s.screen.Write(chunk)
			if !ok {
				s.t.Fatalf("the shell ended before %q; it printed\n%q", pattern, s.screen.String())
			}
		case <-timeout:
			s.t.Fatalf("there is no %q in\n%q", pattern, s.screen.String())
		}
	}
	s.screen.Reset()
}

// plainScreen takes out what moves the cursor or colours.
func plainScreen(screen []byte) []byte {
	return regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\x07\r\x08]`).ReplaceAll(screen, nil)
}

// completionCases are lines typed up to a TAB, and what the shell makes of them.
func completionCases() []struct{ name, typed, shows string } {
	return []struct{ name, typed, shows string }{
		{"a site", "agentctl dem", `agentctl demo `},
		{"a built-in command", "agentctl receip", `agentctl receipts `},
		{"a command of the site", "agentctl demo orders cre", `agentctl demo orders create `},
		{"a flag", "agentctl demo orders create 2 --flav", `--flavour`},
		{"a value", "agentctl demo orders create 2 --flavour che", `--flavour cheddar `},
		{"a value behind an equals sign", "agentctl demo orders create 2 --flavour=che", `--flavour=cheddar`},
		{"a value in a quote", `agentctl demo orders create 2 --flavour "che`, `--flavour "cheddar"`},
		{"a value in a quote behind an equals sign", `agentctl demo orders create 2 --flavour="che`, `--flavour="?(che)?cheddar`}, // zsh takes the quote off
		{"a value with an equals sign", "agentctl letters get --grade=a=", `--grade=a=plus`},
		{"a site in a quote", "agentctl 'dem", `agentctl 'demo'`},
		{"a flow", "agentctl demo flows gi", `agentctl demo flows give_product`},
		{"a file", "agentctl demo orders list --save fil", `--save file\.json`},
		{"a file behind an equals sign", "agentctl demo orders list --save=fil", `--save=file\.json`},
		{"a file of JSON", "agentctl demo orders create 2 --address @fil", `--address @file\.json`},
		{"an action beside the built-in ones", "agentctl help exit-", `agentctl help exit-statuses `},
	}
}

// TestCompletionInShells types lines in real shells, and presses TAB.
func TestCompletionInShells(t *testing.T) {
	bin := buildPrograms(t)
	for _, shell := range []struct {
		name, setup string
		argv        []string
	}{
		{"bash", `bind 'set enable-bracketed-paste off'; source <(agentctl completion bash)`, []string{"bash", "--norc", "--noprofile", "-i"}},
		{"bash with its package", `bind 'set enable-bracketed-paste off'; source /usr/share/bash-completion/bash_completion; agentctl completion install bash`, []string{"bash", "--norc", "--noprofile", "-i"}},
		{"zsh", `unsetopt zle_bracketed_paste prompt_cr prompt_sp; autoload -Uz compinit; compinit -u -D; source <(agentctl completion zsh)`, []string{"zsh", "-f", "-i"}},
		{"zsh from its directory", `unsetopt zle_bracketed_paste prompt_cr prompt_sp; agentctl completion install zsh; fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit -u -D`, []string{"zsh", "-f", "-i"}},
	} {
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			needShell(t, shell.argv[0])
			if strings.Contains(shell.setup, "/usr/share/bash-completion") {
				if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); err != nil {
					skipUnlessCI(t, "the package bash-completion is not installed")
				}
			}
			dir := shellHome(t, bin)
			s := startShell(t, bin, dir, shell.setup, shell.argv...)
			for _, c := range completionCases() {
				s.send(c.typed + "\t")
				s.await(c.shows)
				s.send("\x15") // the line is given up
			}
			s.send("agentctl demo orders create --flavour c\t\t")
			s.await(`(?s)caramel.*cheddar.*chili-lime`)
			s.send("\x15")
			s.send("agentctl demo orders \t\t")
			s.await(`(?s)create.*Place an order.*list.*List your orders`)
			s.send("\x15")
			// What was typed is not run to complete it.
			s.send("agentctl demo \"$(touch was-run)\" `touch was-run` --j\t\x15")
			s.send("echo still; ls\n")
			s.await(`(?s)still.*file\.json`)
			if _, err := os.Stat(filepath.Join(dir, "was-run")); err == nil {
				t.Error("completing a line ran a part of it")
			}
		})
	}
}

// TestCompletionInFish asks fish for what it would offer.
func TestCompletionInFish(t *testing.T) {
	needShell(t, "fish")
	bin := buildPrograms(t)
	dir := shellHome(t, bin)
	fish := func(script string) string {
		cmd := exec.Command("fish", "--no-config", "-c", script)
		cmd.Dir = dir
		cmd.Env = []string{
			"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8",
			"AGENTCTL_CONFIG_DIR=" + dir + "/config", "AGENTCTL_CACHE_DIR=" + dir + "/cache", "AGENTCTL_STATE_DIR=" + dir + "/state",
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	for _, c := range completionCases() {
		out := fish("agentctl completion fish | source; complete -C '" + strings.ReplaceAll(c.typed, "'", `\'`) + "'")
		wanted := regexp.MustCompile(`^[^ ]* ?`).ReplaceAllString(strings.TrimSpace(c.shows[strings.LastIndex(strings.TrimSpace(c.shows), " ")+1:]), "$0")
		wanted = strings.NewReplacer(`"?`, "", `"`, "", "'", "").Replace(wanted) // fish names the word, and puts the quote there itself
		if !regexp.MustCompile(`(?m)^` + wanted).MatchString(out) {
			t.Errorf("%s: %q offers\n%s\nwant %q", c.name, c.typed, out, wanted)
		}
	}
	if out := fish("agentctl completion fish | source; complete -C 'agentctl demo orders '"); !strings.Contains(out, "create\tPlace an order") {
		t.Errorf("descriptions are missing:\n%s", out)
	}
	fish("agentctl completion fish | source; complete -C 'agentctl demo (touch was-run) --j'")
	if _, err := os.Stat(filepath.Join(dir, "was-run")); err == nil {
		t.Error("completing a line ran a part of it")
	}
}

// lettersDocument describes an API one of whose values has an equals sign in it.
const lettersDocument = `{"openapi": "3.1.0", "info": {"title": "Letters", "version": "1"}, "servers": [{"url": "https://letters.example"}], "paths": {
  "/letters": {"get": {"operationId": "get", "parameters": [{"name": "grade", "in": "query", "schema": {"enum": ["a=plus", "b"]}}], "responses": {"200": {"description": "ok"}}}}}}`

// shellHome is a home directory whose cache knows the demo, and an API.
func shellHome(t *testing.T, bin string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, "agentctl"), "demo")
	cmd.Env = append(os.Environ(), "AGENTCTL_CONFIG_DIR="+dir+"/config", "AGENTCTL_CACHE_DIR="+dir+"/cache", "AGENTCTL_STATE_DIR="+dir+"/state")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	letters := filepath.Join(t.TempDir(), "letters.json")
	if err := os.WriteFile(letters, []byte(lettersDocument), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{"demo", "orders", "create", "--help"}, {"demo", "orders", "list", "--help"}, {"site", "add", "letters", "--openapi", letters}, {"letters", "get", "--help"},
	} {
		cmd := exec.Command(filepath.Join(bin, "agentctl"), line...)
		cmd.Env = append(os.Environ(), "AGENTCTL_CONFIG_DIR="+dir+"/config", "AGENTCTL_CACHE_DIR="+dir+"/cache", "AGENTCTL_STATE_DIR="+dir+"/state")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return dir
}

func needShell(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		skipUnlessCI(t, name+" is not installed")
	}
}

// skipUnlessCI skips a test that needs something that .ci/run installs.
func skipUnlessCI(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" && os.Getenv("AGENTCTL_SHARED") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
