package helper

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script writes a program of a few shell lines and returns its path.
func script(t *testing.T, lines string) string {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "tool")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunPassesInputArgumentsAndOutput(t *testing.T) {
	out, err := Run(t.Context(), script(t, `echo "$1 $2"; cat`), []string{"a", "b c"}, []byte("input"))
	if err != nil || string(out) != "a b c\ninput" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestRunSaysWhatIsWrong(t *testing.T) {
	for name, test := range map[string]struct{ path, want string }{
		"missing":       {filepath.Join(t.TempDir(), "tool"), "tool, which styles it, is not beside this program"},
		"relative":      {"tool", "tool is not named by an absolute path"},
		"failing":       {script(t, "exit 3"), "tool failed: exit status 3"},
		"not a program": {t.TempDir(), "failed: "},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Run(t.Context(), test.path, nil, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || out != nil {
				t.Errorf("%.20q, %v", out, err)
			}
		})
	}
}

func TestRunEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Run(ctx, script(t, "exec sleep 60"), nil, nil); err == nil || err.Error() != "tool took too long" {
		t.Errorf("got %v", err)
	}
}

func TestAProgramThatReadsNoInputIsFine(t *testing.T) {
	out, err := Run(t.Context(), script(t, "echo done"), nil, make([]byte, 1<<20))
	if err != nil || string(out) != "done\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestTheOutputIsLimited(t *testing.T) {
	b := limitedBuffer{limit: 10}
	if n, err := io.Copy(&b, strings.NewReader("0123456789")); n != 10 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := io.Copy(&b, strings.NewReader("x")); err == nil {
		t.Error("more than the limit was taken")
	}
}
