package site

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLikelyCommandLeavesArgumentsOut(t *testing.T) {
	for words, want := range map[string]string{
		"orders create 2":                      "orders create",
		"orders refunds create ord_8fJ2 x":     "orders refunds create",
		"orders list":                          "orders list",
		"search shoes list":                    "search",
		"login mysecretpassword":               "",
		"login ../../create create":            "",
		"a b c d create":                       "",
		"":                                     "",
		"orders":                               "",
		"-x create":                            "",
		"orders get create delete update list": "orders get",
	} {
		if got := strings.Join(likelyCommand(strings.Fields(words)), " "); got != want {
			t.Errorf("%q: guessed %q, want %q", words, got, want)
		}
	}
}

func TestSweepKeepsTheNewestTrees(t *testing.T) {
	dir := t.TempDir()
	start := time.Now().Add(-time.Hour)
	for i := range maxTrees + 3 {
		path := filepath.Join(dir, fmt.Sprintf("%d.tree", i))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, start, start.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	sweepTrees(dir)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != maxTrees-1 {
		t.Fatalf("%d trees are left, %v; want room for one more below %d", len(entries), err, maxTrees)
	}
	for _, gone := range []string{"0.tree", "3.tree"} {
		if _, err := os.Stat(filepath.Join(dir, gone)); err == nil {
			t.Errorf("%s, one of the oldest, is left", gone)
		}
	}
}
