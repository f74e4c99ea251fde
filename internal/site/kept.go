package site

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/atomicfile"
)

// treePath is where the compiled tree of the origin is kept, or "" for nowhere.
func (s *Site) treePath() string {
	if s.finder.Dir == "" {
		return ""
	}
	key := string(s.Origin)
	if d := s.finder.Described; d != nil {
		key += "\x00" + d.Location + "\x00" + d.Server
	}
	sum := sha256.Sum256([]byte(key))
	name := strings.Map(func(r rune) rune {
		if r == ':' || r == '[' || r == ']' {
			return '_'
		}
		return r
	}, s.Origin.Host())
	return filepath.Join(s.finder.Dir, name[:min(len(name), 100)]+"-"+hex.EncodeToString(sum[:8])+".tree")
}

// openFile opens the compiled tree on disk, if there is one that can be read.
func (s *Site) openFile() (*tree, *os.File) {
	path := s.treePath()
	if path == "" {
		return nil, nil
	}
	file, err := atomicfile.Open(path)
	if err != nil {
		return nil, nil
	}
	t, err := openTree(file)
	if err != nil {
		_ = file.Close()
		return nil, nil
	}
	return t, file
}

// keep writes a tree to disk, if everything that it was made of is kept as well. One that cannot be written (a full disk)
// is used all the same.
func (s *Site) keep(compiled []byte, sources []Source) {
	path := s.treePath()
	for i := range sources {
		if sources[i].Sum != "" && !sources[i].Document.Kept {
			path = ""
		}
	}
	if path != "" {
		sweepTrees(s.finder.Dir)
		_ = atomicfile.WriteCache(path, compiled)
	}
}
