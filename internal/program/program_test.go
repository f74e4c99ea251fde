//go:build unix

package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// long is a limit that no program here reaches.
const long = time.Minute

func sh(script string) []string { return []string{"/bin/sh", "-c", script} }

func TestRun(t *testing.T) {
	said, err := Run(t.Context(), Command{Argv: sh(`read line; echo "$line $A$AGENTCTL_TOKEN"; echo oh >&2`), Environ: []string{"A=b", "AGENTCTL_TOKEN=secret"}, Input: []byte("hello\n"), Limit: long})
	if err != nil || string(said.Out) != "hello b\n" || said.Err != "oh\n" {
		t.Errorf("%q, %q, %v", said.Out, said.Err, err)
	}
}

func TestRunTellsHowItEnded(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx   context.Context
		c     Command
		want  error
		exits int
	}{
		"an exit status":         {t.Context(), Command{Argv: sh(`echo said >&2; exit 10`), Limit: long}, nil, 10},
		"too much":               {t.Context(), Command{Argv: sh(`head -c 70000 /dev/zero; exec sleep 600`), Limit: long}, ErrTooMuch, -1},
		"too slow":               {t.Context(), Command{Argv: sh(`exec sleep 600`), Limit: 50 * time.Millisecond}, ErrTooSlow, -1},
		"too slow, with a child": {t.Context(), Command{Argv: sh(`sleep 600 & wait`), Limit: 50 * time.Millisecond, Alone: true}, ErrTooSlow, -1},
		"cancelled":              {cancelled, Command{Argv: sh(`exec sleep 600`), Limit: long}, context.Canceled, -1},
		"killed":                 {t.Context(), Command{Argv: sh(`kill -9 $$`), Limit: long}, nil, -1},
		"not there":              {t.Context(), Command{Argv: []string{"/nonexistent"}, Limit: long}, os.ErrNotExist, -1},
	} {
		_, err := Run(test.ctx, test.c)
		status, exited := Exit(err)
		if err == nil || test.want != nil && !errors.Is(err, test.want) || exited != (test.exits >= 0) || exited && status != test.exits {
			t.Errorf("%s: %v, %d", name, err, status)
		}
	}
}

func TestMuchOnTheOtherStreamIsCutOff(t *testing.T) {
	said, err := Run(t.Context(), Command{Argv: sh(`head -c 70000 /dev/zero >&2; printf '\377ok'`), Limit: long})
	if err != nil || len(said.Err) != MaxBytes || string(said.Out) != "\xffok" {
		t.Errorf("%d bytes, %q, %v", len(said.Err), said.Out, err)
	}
}

// What a program has started is stopped with it: a wallet must not go on when nobody waits for it any more.
func TestWhatItStartedIsStopped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := Run(ctx, Command{Argv: sh(`sleep 600 & echo $! >` + file + `.new; mv ` + file + `.new ` + file + `; wait`), Limit: long, Alone: true})
		ended <- err
	}()
	var child int
	for child == 0 {
		text, _ := os.ReadFile(file)
		child, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		time.Sleep(time.Millisecond)
	}
	if err := syscall.Kill(child, 0); err != nil {
		t.Fatalf("the child is not there: %v", err)
	}
	theirs, err := unix.Getsid(child)
	ours, _ := unix.Getsid(0)
	if err != nil || theirs == ours { // a terminal belongs to a session
		t.Errorf("it is in our session %d (%v), and can ask at our terminal", theirs, err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for alive(child) { // the test's time limit ends this when it goes on
		time.Sleep(time.Millisecond)
	}
}

// alive tells whether a process runs. One that ended, and whose parent has gone, may wait for somebody to take note.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
