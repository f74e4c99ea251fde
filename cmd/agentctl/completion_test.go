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
	seen     *bytes.Buffer // all that is printed, unless it is nil
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
			if s.seen != nil {
				s.seen.Write(chunk)
			}
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
		{"a topic of help", "agentctl help exit-", `agentctl help exit-statuses `},
		{"help of a command of the site", "agentctl help demo orders cre", `agentctl help demo orders create `},
		{"a rule about a command of the site", "agentctl policy check demo orders cre", `agentctl policy check demo orders create `},
		{"a flag behind another command", "agentctl policy check demo orders create 2 --flav", `--flavour`},
		{"a file of a built-in command", "agentctl site add club --openapi fil", `--openapi file\.json`},
		{"a site in a flag", "agentctl find --site dem", `--site demo `},
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

// hostileAPI describes an API whose texts would do something in a shell or on a terminal, if either read them.
const hostileAPI = `{"openapi": "3.1.0", "info": {"title": "Evil", "version": "1"}, "servers": [{"url": "https://evil.example"}], "paths": {
  "/a": {"get": {"operationId": "paint", "summary": "Paint $(touch was-run) \u0060touch was-run\u0060 \u001b]0;owned\u0007\u001b[2J '\"; touch was-run; #\n\ttouch was-run \\",
    "parameters": [{"name": "colour", "in": "query", "description": "Which\t$(touch was-run)\n\u0060touch was-run\u0060",
      "schema": {"enum": ["red", "$(touch was-run)", "\u0060touch was-run\u0060", "reddish;touch was-run", "re d", "\u001b[2J", "re'd", "~red", "*", "reddest"]}}]}},
  "/b": {"get": {"operationId": "pa$(touch was-run)", "summary": "Pass"}}}}`

// TestHostileTextsInShells completes what a hostile description publishes: nothing of it is run, or reaches the terminal as it is.
func TestHostileTextsInShells(t *testing.T) {
	bin := buildPrograms(t)
	for shell, setup := range map[string]string{
		"bash": `bind 'set enable-bracketed-paste off'; source <(agentctl completion bash)`,
		"zsh":  `unsetopt zle_bracketed_paste prompt_cr prompt_sp; autoload -Uz compinit; compinit -u -D; source <(agentctl completion zsh)`,
		"fish": `agentctl completion fish | source`,
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			needShell(t, shell)
			dir := shellHome(t, bin)
			if err := os.WriteFile(filepath.Join(dir, "evil.json"), []byte(hostileAPI), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, line := range [][]string{{"site", "add", "evil", "--openapi", "evil.json"}, {"evil"}, {"evil", "paint", "--help"}} {
				cmd := exec.Command(filepath.Join(bin, "agentctl"), line...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "AGENTCTL_CONFIG_DIR="+dir+"/config", "AGENTCTL_CACHE_DIR="+dir+"/cache", "AGENTCTL_STATE_DIR="+dir+"/state")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			if shell == "fish" {
				out := fish(t, bin, dir, setup+"; complete -C 'agentctl evil pa'; complete -C 'agentctl evil paint --colour '; complete -C 'agentctl evil paint --colou'")
				if !strings.Contains(out, "reddest") || !strings.Contains(out, "paint\tPaint $(touch") {
					t.Fatal(out)
				}
				harmless(t, dir, []byte(out))
				return
			}
			argv := map[string][]string{"bash": {"bash", "--norc", "--noprofile", "-i"}, "zsh": {"zsh", "-f", "-i"}}[shell]
			s := startShell(t, bin, dir, setup, argv...)
			var printed bytes.Buffer
			s.seen = &printed
			s.send("agentctl evil pa\t\t")
			s.await(`(?s)pa-touch-was-run.*paint|paint.*pa-touch-was-run`)
			s.send("\x15")
			s.send("agentctl evil paint --colour \t\t\t")
			s.await(`(?s)red.*reddest`)
			s.send("\x15")
			s.send("agentctl evil paint --colou\t")
			s.await(`--colour `)
			s.send("\x15echo still; ls\n")
			s.await(`(?s)still.*file\.json`)
			harmless(t, dir, printed.Bytes())
		})
	}
}

// harmless holds what completing hostile texts did: nothing was run, the title of the terminal and its screen are as they were, and no
// value is offered that means something to a shell.
func harmless(t *testing.T, dir string, printed []byte) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "was-run")); err == nil {
		t.Error("completing ran a text of the site's")
	}
	for _, evil := range []string{"\x1b]0;", "\x1b[2J", "reddish;touch", "~red", "re'd"} {
		if bytes.Contains(printed, []byte(evil)) {
			t.Errorf("%q reached the terminal:\n%q", evil, printed)
		}
	}
}

// TestCompletionInFish asks fish for what it would offer.
func TestCompletionInFish(t *testing.T) {
	needShell(t, "fish")
	bin := buildPrograms(t)
	dir := shellHome(t, bin)
	for _, c := range completionCases() {
		out := fish(t, bin, dir, "agentctl completion fish | source; complete -C '"+strings.ReplaceAll(c.typed, "'", `\'`)+"'")
		wanted := regexp.MustCompile(`^[^ ]* ?`).ReplaceAllString(strings.TrimSpace(c.shows[strings.LastIndex(strings.TrimSpace(c.shows), " ")+1:]), "$0")
		wanted = strings.NewReplacer(`"?`, "", `"`, "", "'", "").Replace(wanted) // fish names the word, and puts the quote there itself
		if !regexp.MustCompile(`(?m)^` + wanted).MatchString(out) {
			t.Errorf("%s: %q offers\n%s\nwant %q", c.name, c.typed, out, wanted)
		}
	}
	if out := fish(t, bin, dir, "agentctl completion fish | source; complete -C 'agentctl demo orders '"); !strings.Contains(out, "create\tPlace an order") {
		t.Errorf("descriptions are missing:\n%s", out)
	}
	fish(t, bin, dir, "agentctl completion fish | source; complete -C 'agentctl demo (touch was-run) --j'")
	if _, err := os.Stat(filepath.Join(dir, "was-run")); err == nil {
		t.Error("completing a line ran a part of it")
	}
}

// fish runs a script in fish, which reads no files of a person's.
func fish(t *testing.T, bin, dir, script string) string {
	t.Helper()
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
