//go:build unix

package outfile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestTheNameAppearsAtCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, err := Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "new"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there too early: %v", err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(t.Context(), filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Abort(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestAFailedCommitLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	f, err := Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil { // somebody was quicker
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil {
		t.Error("no error")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestALinkToNowhereIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("nowhere", path); err != nil {
		t.Skip(err)
	}
	f, err := Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	return path
}

func TestAPipeIsWrittenDirectly(t *testing.T) {
	path := fifo(t)
	read := make(chan string, 1)
	go func() {
		got, _ := os.ReadFile(path)
		read <- string(got)
	}()
	f, err := Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "x")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "x" {
		t.Errorf("got %q", got)
	}
}

func TestAPipeWithoutReaderEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Create(ctx, fifo(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestAWriteThatWaitsEndsWithTheContext(t *testing.T) {
	path := fifo(t)
	reader, err := os.OpenFile(path, os.O_RDWR, 0) // there, and never reading
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	f, err := Create(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, 1<<20)); err == nil {
		t.Error("no error")
	}
	f.Abort()
}
