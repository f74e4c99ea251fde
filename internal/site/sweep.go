package site

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxTrees is how many compiled trees are kept; the oldest go first. They are made anew when they are missed.
const maxTrees = 500

// sweepTrees makes room for one more tree.
func sweepTrees(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < maxTrees {
		return
	}
	var trees []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".tree" {
			trees = append(trees, info)
		}
	}
	slices.SortFunc(trees, func(a, b fs.FileInfo) int { return cmp.Compare(a.ModTime().UnixNano(), b.ModTime().UnixNano()) })
	for _, old := range trees[:max(0, len(trees)-maxTrees+1)] {
		_ = os.Remove(filepath.Join(dir, old.Name())) // tried again next time
	}
}
