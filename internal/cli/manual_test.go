package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/agentctl/agentctl/internal/streams"
)

var update = flag.Bool("update", false, "rewrite the manual pages and the command reference")

// TestManual holds docs/man and docs/reference to the commands that are built in: both are generated from them. The generator
// is linked into this test alone.
func TestManual(t *testing.T) {
	r := &run{Env: Env{Streams: &streams.Streams{}, Getenv: func(string) string { return "" }, Version: "", Now: time.Now}}
	root := r.newRoot()
	root.DisableAutoGenTag = true
	plainUsages(root.PersistentFlags())
	eachCommand(root, func(c *cobra.Command) {
		c.DisableAutoGenTag = true
		plainUsages(c.Flags())
	})
	made := t.TempDir()
	date := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for _, dir := range []string{"man", "reference"} {
		if err := os.Mkdir(filepath.Join(made, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	header := &doc.GenManHeader{Title: "AGENTCTL", Section: "1", Source: "agentctl", Manual: "agentctl manual", Date: &date}
	if err := doc.GenManTree(root, header, filepath.Join(made, "man")); err != nil {
		t.Fatal(err)
	}
	if err := doc.GenMarkdownTree(root, filepath.Join(made, "reference")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"man", "reference"} {
		compareDirectories(t, filepath.Join(made, dir), filepath.Join("..", "..", "docs", dir))
	}
}

func compareDirectories(t *testing.T, made, kept string) {
	t.Helper()
	if *update {
		if err := os.RemoveAll(kept); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(kept, os.DirFS(made)); err != nil {
			t.Fatal(err)
		}
	}
	want, got := filesOf(t, made), filesOf(t, kept)
	for name, content := range want {
		if !bytes.Equal(bytes.ReplaceAll(got[name], []byte("\r\n"), []byte("\n")), content) {
			t.Errorf("%s is stale: run make docs", filepath.Join(kept, name))
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s is about no command: run make docs", filepath.Join(kept, name))
	}
}

func filesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
