package audit

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

// TestAFullDiskStopsTheCall fills a file system of its own.
func TestAFullDiskStopsTheCall(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a small file system needs root and the right to mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	l := newLog(filepath.Join(dir, "audit"))
	l.MaxBytes = DefaultMaxBytes
	calls := 0
	var err error
	for range 1000 {
		if err = writeCall(l, "create"); err != nil {
			break
		}
		calls++
	}
	if e := fault.From(err); e == nil || e.Kind != fault.Internal || e.Code != "audit_failed" {
		t.Fatalf("got %v after %d calls, want a full disk", err, calls)
	}
	r := verified(t, l)
	if r.Broken != "" || r.Torn != 0 || r.Lines < 2*calls {
		t.Fatalf("%d calls, then %+v", calls, r)
	}
	text, readErr := os.ReadFile(l.path(current))
	must(t, readErr)
	for range 100 { // what fails leaves nothing behind
		if _, err := l.Begin(sample("again")); err == nil {
			t.Fatal("the disk is not full")
		}
	}
	if after, err := os.ReadFile(l.path(current)); err != nil || len(after) != len(text) {
		t.Errorf("%d bytes were %d, %v", len(after), len(text), err)
	}
}
