package atomicfile

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

func TestWriteReplacesWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "file")
	for _, content := range []string{"first, which is longer", "second"} {
		if err := Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Fatalf("read %q, %v; want %q", got, err, content)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left in the directory: %v, %v; want the file alone", entries, err)
	}
}

func TestWriteRemovesWhatKilledWritersLeft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	long := time.Now().Add(-2 * leftoverAge)
	for name, at := range map[string]time.Time{
		".file.123.tmp": long, ".file.456.tmp": time.Now(), ".other.123.tmp": long, "file.tmp": long, ".file.json": long,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(path, []byte("whole")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	want := []string{".file.456.tmp", ".file.json", ".other.123.tmp", "file", "file.tmp"} // the first may be in use
	if !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

func TestWriteThatFailsKeepsTheOldContent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.Mkdir(path, 0o700); err != nil { // a directory cannot be replaced by a file
		t.Fatal(err)
	}
	if err := Write(path, []byte("x")); err == nil {
		t.Fatal("replacing a directory succeeded")
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		t.Errorf("what was there is gone: %v, %v", info, err)
	}
}

func TestLockKeepsChangesApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counter")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			unlock, err := Lock(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			text, _ := os.ReadFile(path)
			n, _ := strconv.Atoi(string(text))
			if err := Write(path, []byte(strconv.Itoa(n+1))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, _ := os.ReadFile(path); string(got) != "20" {
		t.Errorf("counted %s, want 20", got)
	}
}
