package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what scripts compare with")

// TestScripts runs the user stories in testdata/script over the real programs and a real TLS site.
//
// Each script has a site of its own, made of its files below site/ (see scriptSite). Its host names all lead there, and
// its certificates are trusted, through AGENTCTL_RESOLVE and SSL_CERT_FILE. Besides testscript's own commands there are
//
//	exits STATUS PROGRAM ARGS…            run a program and want that exit status
//	requests                              print the requests since the last time, and forget them
//	terminal [-early TEXT] [-type TEXT]… PROGRAM ARGS…
//	                                      run a program on a pseudo-terminal and print what the screen shows. The early TEXT
//	                                      is typed before the program starts, each other one when it asks for something,
//	                                      with \n for Enter and ^C for Ctrl-C
//
// The condition [keyring] is for scripts/keyring-test, which unlocks a keyring of its own.
func TestScripts(t *testing.T) {
	bin := buildPrograms(t)
	authority := newAuthority(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			for _, kind := range []string{"CONFIG", "CACHE", "STATE"} {
				env.Setenv("AGENTCTL_"+kind+"_DIR", filepath.Join(env.WorkDir, "."+strings.ToLower(kind)))
			}
			if keyringTest() {
				for _, name := range []string{"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_DATA_HOME"} {
					env.Setenv(name, os.Getenv(name))
				}
			}
			return serveScript(env, authority)
		},
		Condition: func(name string) (bool, error) {
			if name != "keyring" {
				return false, fmt.Errorf("no condition has the name %q", name)
			}
			return keyringTest(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    scriptExits,
			"requests": scriptRequests,
			"terminal": scriptTerminal,
		},
	})
}

// keyringTest tells whether the keyring of the session may be used: it is one that was made for this.
func keyringTest() bool { return os.Getenv("AGENTCTL_TEST_KEYRING") != "" }

// buildPrograms builds the programs into one directory, as they are installed, and the example of a payer beside them.
func buildPrograms(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/...", "./examples/payer")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the programs: %v\n%s", err, out)
	}
	return bin
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func scriptRequests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: requests")
	}
	site, ok := ts.Value(siteKey{}).(*scriptSite)
	if !ok {
		ts.Fatalf("this script has no site")
	}
	_, err := io.WriteString(ts.Stdout(), site.takeLog())
	ts.Check(err)
}

func scriptTerminal(ts *testscript.TestScript, neg bool, args []string) {
	var keys typed
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		text := strings.NewReplacer(`\n`, "\n", `^C`, "\x03").Replace(args[1])
		switch args[0] {
		case "-early":
			keys.early += text
		case "-type":
			keys.answers = append(keys.answers, text)
		default:
			ts.Fatalf("terminal: unknown flag %s", args[0])
		}
		args = args[2:]
	}
	if neg || len(args) < 1 {
		ts.Fatalf("usage: terminal [-early TEXT] [-type TEXT]… PROGRAM ARGS…")
	}
	if runtime.GOOS == "windows" {
		ts.Fatalf("there are no pseudo-terminals here; guard the line with [unix]")
	}
	path := args[0]
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if found := filepath.Join(dir, args[0]); exists(found) {
			path = found
			break
		}
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "AGENTCTL_CONFIG_DIR", "AGENTCTL_CACHE_DIR", "AGENTCTL_STATE_DIR", "AGENTCTL_RESOLVE", "AGENTCTL_TOKEN", "AGENTCTL_KEYRING", "SSL_CERT_FILE", "NO_COLOR", "CLICOLOR_FORCE"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, "AGENTCTL_PAGER="+ts.Getenv("AGENTCTL_PAGER")) // set to nothing: no pager, unless a script wants one
	term := ts.Getenv("TERM")
	if term == "" {
		term = "xterm-256color"
	}
	cmd.Env = append(cmd.Env, "TERM="+term)
	screen, status, err := onTerminal(cmd, keys, 10*time.Second)
	ts.Check(err)
	_, err = ts.Stdout().Write(bytes.ReplaceAll(screen, []byte("\r\n"), []byte("\n")))
	ts.Check(err)
	if status != 0 {
		_, err = fmt.Fprintf(ts.Stdout(), "[exit status %d]\n", status)
		ts.Check(err)
	}
}

// typed is what is typed at a terminal.
type typed struct {
	early   string   // before the program starts
	answers []string // one each time that the program asks
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
