package atomicfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	pipe, file, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, dir} { // reading the pipe would wait for a writer
		if _, err := Read(path, 100); err == nil {
			t.Errorf("%s was read", path)
		}
		if _, err := Open(path); err == nil {
			t.Errorf("%s was opened", path)
		}
	}
	for _, path := range []string{file, link} {
		if text, err := Read(path, 4); err != nil || string(text) != "text" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
		if _, err := Read(path, 3); err == nil {
			t.Errorf("%s was read beyond the limit", path)
		}
	}
	if _, err := Read(filepath.Join(dir, "none"), 1); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}
