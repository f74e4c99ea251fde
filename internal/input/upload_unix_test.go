//go:build unix

package input

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentctl/agentctl/internal/manifest"
)

func TestUploadSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	if got, want := uploadFrom(t, dir, rule(nil), "pipe"), `"pipe" is no regular file`; got != want {
		t.Errorf("got %s", got)
	}
	if got := uploadFrom(t, dir, rule(func(r *manifest.Files) { r.Dirs = true }), "."); !strings.HasSuffix(got, `pipe" is no regular file`) {
		t.Errorf("got %s", got)
	}
	if err := os.Remove(filepath.Join(dir, "pipe")); err != nil {
		t.Fatal(err)
	}
	if got := uploadFrom(t, dir, rule(func(r *manifest.Files) { r.Dirs = true }), "."); !strings.HasSuffix(got, `holds no files`) {
		t.Errorf("an empty directory: got %s", got)
	}
}
