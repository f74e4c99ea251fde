//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// tmux is a real terminal with a shell in it, which is driven by keys and looked at.
type tmux struct {
	*testing.T
	socket string
	state  string
	env    []string
}

// newTmux starts a shell of 80×24 that finds the programs, with directories of its own.
func newTmux(t *testing.T, bin string, environ ...string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		skipUnlessCI(t, "tmux is not installed")
	}
	dir, err := os.MkdirTemp("", "tmux") //nolint:usetesting // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	tm := &tmux{T: t, socket: filepath.Join(dir, "s"), state: t.TempDir()}
	tm.env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "ENV=", "TERM=xterm-256color")
	for _, kind := range []string{"CONFIG", "CACHE", "STATE"} {
		tm.env = append(tm.env, "AGENTCTL_"+kind+"_DIR="+filepath.Join(tm.state, kind))
	}
	tm.env = append(tm.env, environ...)
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", tm.socket, "kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	tm.do("-f", "/dev/null", "new-session", "-d", "-c", tm.state, "-x", "80", "-y", "24", "/bin/sh")
	tm.runs("PS1='rea''dy> '; clear") // what is typed does not look like what it makes
	tm.waits("ready>")
	return tm
}

func (tm *tmux) do(args ...string) string {
	tm.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", tm.socket}, args...)...)
	cmd.Env = tm.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		tm.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// keys presses keys by tmux's names.
func (tm *tmux) keys(keys ...string) { tm.Helper(); tm.do(append([]string{"send-keys"}, keys...)...) }

// types types text as it is.
func (tm *tmux) types(text string) { tm.Helper(); tm.do("send-keys", "-l", text) }

// runs types a command line.
func (tm *tmux) runs(line string) { tm.Helper(); tm.types(line); tm.keys("Enter") }

func (tm *tmux) screen() string { tm.Helper(); return tm.do("capture-pane", "-p") }

// waits looks at the screen until all texts are there.
func (tm *tmux) waits(texts ...string) {
	tm.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		screen := tm.screen()
		missing := ""
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = text
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(end) {
			tm.Fatalf("%q does not come:\n%s", missing, screen)
		}
	}
}

// restored tells how a program ended, and whether the shell has its terminal back as it was: with an echo, lines, and a cursor.
func (tm *tmux) restored(status int) {
	tm.Helper()
	tm.runs("echo status=$?; stty -a | tr ' ;' '\\n\\n' | grep -x -e echo -e icanon | tr '\\n' +")
	tm.waits(fmt.Sprintf("status=%d", status), "icanon+echo+")
	if got := strings.TrimSpace(tm.do("display-message", "-p", "#{alternate_on}#{mouse_any_flag}#{cursor_flag}")); got != "001" {
		tm.Errorf("other screen, mouse, cursor: %s", got)
	}
	tm.runs("clear")
}

// program is the ID of a program that runs in the terminal: of agentctl, or of its screen.
func (tm *tmux) program(name string) string {
	tm.Helper()
	find := "pgrep -P " + strings.TrimSpace(tm.do("display-message", "-p", "#{pane_pid}"))
	if name == "agentctl-ui" {
		find = "for p in $(" + find + "); do pgrep -P $p; done"
	}
	out, err := exec.Command("sh", "-c", find).Output()
	if err != nil || strings.TrimSpace(string(out)) == "" {
		tm.Fatalf("%s is not found: %v", name, err)
	}
	return strings.Fields(string(out))[0]
}

func (tm *tmux) kill(signal, pid string) {
	tm.Helper()
	if err := exec.Command("kill", "-"+signal, pid).Run(); err != nil {
		tm.Fatal(err)
	}
}

// The screen in a real terminal.
func TestExploreInATerminal(t *testing.T) {
	bin := buildPrograms(t)
	for name, test := range map[string]func(*testing.T, string){
		"a visit": aVisit, "a spending call": aSpendingCall, "one form": oneForm, "line by line": lineByLine, "a screen that dies": aScreenThatDies,
		"a screen that hangs": aScreenThatHangs,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, bin)
		})
	}
}

// A whole visit: a search, a form with a fault, its correction, the request, the answer, the history, and back to the shell.
func aVisit(t *testing.T, bin string) {
	tm := newTmux(t, bin)
	tm.runs("agentctl explore demo")
	tm.waits("Popcorn Club", "orders …", "? keys")
	tm.types("/orders create")
	tm.waits("/ orders create", "Place an order")
	tm.keys("Enter")
	tm.waits("Arguments", "qty *", "enter fill in")
	tm.keys("Enter")
	tm.waits("▌ qty *")
	tm.types("200")
	tm.waits("✗ must be at most 100")
	tm.keys("BSpace", "BSpace", "BSpace", "2")
	tm.keys("C-s")
	tm.waits("agentctl demo orders create 2", "POST http://localhost", `"qty": 2`)
	tm.keys("c")
	tm.waits("Copied: agentctl demo orders create 2")
	tm.do("resize-window", "-x", "40", "-y", "12")
	tm.waits("… › orders create › form › preview")
	tm.do("resize-window", "-x", "100", "-y", "30")
	tm.waits("agentctl › demo › orders create › form › preview")
	tm.keys("Enter")
	tm.waits("text   source", "2 bags of salted")
	tm.keys("Tab")
	tm.waits("**confirmed**")
	tm.keys("C-z")
	tm.waits("ready>")
	tm.runs("fg")
	tm.waits("**confirmed**", "› answer")
	tm.types("h")
	tm.waits("demo orders create", "answered")
	tm.types("?")
	tm.waits("Everywhere", "leave at once")
	for range 7 {
		tm.keys("Escape")
		time.Sleep(60 * time.Millisecond) // a terminal takes two escapes at once for another key
	}
	tm.waits("› demo")
	tm.types("qqq")
	tm.waits("ready>")
	tm.restored(0)
}

// What spends asks with the question of the command line, and only a yes sends it. Ctrl-C leaves at any time.
func aSpendingCall(t *testing.T, bin string) {
	tm := newTmux(t, bin)
	tm.runs("agentctl demo orders delete --interactive")
	tm.waits("form")
	tm.keys("C-e")
	tm.keys("C-s")
	tm.waits("The request", "enter send")
	tm.keys("Enter")
	tm.waits("This deletes", "Go ahead? [y/N]", "y yes")
	for strings.Contains(tm.screen(), "Go ahead?") { // a key counts when the question has been there for a moment
		time.Sleep(500 * time.Millisecond)
		tm.types("n")
		time.Sleep(100 * time.Millisecond)
	}
	tm.waits("not approved")
	tm.keys("C-c")
	tm.waits("ready>", "error: interrupted")
	tm.restored(130)
	tm.runs("echo sent=$(agentctl audit list | grep -c 'orders delete')")
	tm.waits("sent=0")
}

// The form of one action begins with what the line gives, and its answer is printed when it is left.
func oneForm(t *testing.T, bin string) {
	tm := newTmux(t, bin)
	tm.runs("agentctl demo orders create 3 --interactive --json --jq .qty > answer; cat answer | sed s/^/got=/")
	tm.waits("▌ qty *", "› 3")
	tm.keys("C-s")
	tm.waits("--json", "enter send")
	tm.keys("Enter")
	tm.waits(`status: "confirmed"`)
	tm.types("q")
	tm.waits("got=3")
	tm.runs(`echo 'echo "from an editor" >> "$1"' > editor; EDITOR='sh editor' agentctl demo orders create 3 --note "several
lines" --interactive`)
	tm.waits("▌ qty *", "several⏎lines")
	for !strings.Contains(tm.screen(), "▌ note") {
		tm.keys("Down")
		time.Sleep(20 * time.Millisecond)
	}
	tm.keys("C-x")
	tm.waits("several⏎linesfrom an editor")
	tm.keys("Escape")
	tm.waits("Arguments")
	tm.types("q")
	tm.waits("error: the form was left; nothing was sent")
	tm.restored(5)
}

// Without the screen: questions line by line, for screen readers.
func lineByLine(t *testing.T, bin string) {
	tm := newTmux(t, bin, "ACCESSIBLE=1")
	tm.runs("agentctl explore demo")
	tm.waits("Number of an action")
	tm.runs("menu list")
	tm.waits("empty to go on")
	number := regexp.MustCompile(`(\d+)\. menu list,`).FindStringSubmatch(tm.screen())
	tm.runs(number[1])
	tm.waits("vegan", "boolean")
	tm.runs("maybe")
	tm.waits("Not valid: must be")
	tm.runs("true")
	tm.waits("maxPrice")
	tm.runs("")
	tm.waits("agentctl demo menu list --vegan", "Send it?")
	tm.runs("y")
	tm.waits("The answer:")
	tm.keys("C-c")
	tm.waits("ready>")
	tm.restored(130)
	tm.runs("agentctl explore demo")
	tm.waits("empty to go back:")
	tm.kill("TERM", tm.program("agentctl"))
	tm.waits("31. whats-on", "empty to go back:", "\nerror: interrupted") // nothing of a full screen is taken back, and nothing is waited for
	tm.restored(130)
}

// A screen that hangs goes when agentctl has to, and leaves a terminal that can be used.
func aScreenThatHangs(t *testing.T, bin string) {
	tm := newTmux(t, bin)
	tm.runs("agentctl explore demo")
	tm.waits("Popcorn Club")
	tm.kill("STOP", tm.program("agentctl-ui"))
	tm.kill("TERM", tm.program("agentctl"))
	tm.waits("error: interrupted", "ready>")
	tm.restored(130)
}

// A screen that dies leaves a terminal that can be used.
func aScreenThatDies(t *testing.T, bin string) {
	tm := newTmux(t, bin)
	tm.runs("agentctl explore demo")
	tm.waits("Popcorn Club")
	tm.kill("KILL", tm.program("agentctl-ui"))
	tm.waits("error: the screen ended: signal: killed", "ready>")
	tm.restored(1)
}
