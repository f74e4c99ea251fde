package cli

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/streams"
)

// TestHintsNameCommands holds every text of the source that begins with "agentctl " to the commands that are built in: a hint
// that cannot be run is worse than none. Flags that it names must be there, too.
func TestHintsNameCommands(t *testing.T) {
	r := &run{Env: Env{Streams: &streams.Streams{}, Getenv: func(string) string { return "" }, Now: time.Now}}
	root := r.newRoot()
	root.InitDefaultHelpCmd()
	found := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "demo") || strings.Contains(path, "bench") {
			return err
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && strings.HasPrefix(text, "agentctl ") && !strings.Contains(text, "\n") {
					found++
					checkHint(t, root, path, text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 50 {
		t.Fatalf("only %d hints were found", found)
	}
}

// checkHint follows the words of a hint down the tree as far as they are words: what stands for something else ends the walk.
func checkHint(t *testing.T, root *cobra.Command, path, text string) {
	t.Helper()
	word := regexp.MustCompile(`^[a-z][a-z-]*$`)
	at := root
	for i, w := range strings.Fields(text)[1:] {
		w = strings.TrimRight(w, ",:;.")
		if !word.MatchString(w) || w == "demo" && i == 0 {
			break
		}
		var below *cobra.Command
		for _, c := range at.Commands() {
			if c.Name() == w {
				below = c
			}
		}
		switch {
		case below != nil:
			at = below
		case at == root && (w == "approval" || w == "payment" || w == "does" || w == "makes" || w == "answers"): // it is no command line
			return
		case at.HasSubCommands() && at != root && at.Name() != "completion":
			t.Errorf("%s: %q: %s has no command %q", path, text, at.CommandPath(), w)
			return
		case at == root:
			t.Errorf("%s: %q: there is no command %q", path, text, w)
			return
		}
		if below == nil {
			break
		}
	}
	for _, flag := range regexp.MustCompile(`--([a-z][a-z-]+)`).FindAllStringSubmatch(strings.Split(text, ";")[0], -1) {
		if at != root && at.Flags().Lookup(flag[1]) == nil && root.PersistentFlags().Lookup(flag[1]) == nil && flag[1] != "help" && flag[1] != "version" {
			t.Errorf("%s: %q: %s has no flag --%s", path, text, at.CommandPath(), flag[1])
		}
	}
}
