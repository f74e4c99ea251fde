// Package spool hands what calls see to the index without making them wait for it. A call leaves one small file for each
// site that changed; whoever opens the index next folds the files in.
package spool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
)

const (
	pendingDir = "pending"
	ready      = ".json"  // a file that waits
	taken      = ".taken" // one that is being folded in, or was when its process was killed

	maxBytes  = 256 << 20 // of a file; the largest site that is kept has less
	lockLimit = 5 * time.Second
	lockEvery = 20 * time.Millisecond
)

// Spool leaves a site for the index in dir, in place of what was left before for the same origin. It does not wait for
// the disk. A call must not fail because of its error.
func Spool(dir string, s index.Site) error {
	if !index.ValidOrigin(s.Origin) {
		return fmt.Errorf("%q is no origin", s.Origin)
	}
	content, err := json.Marshal(s.Bounded())
	if err != nil {
		return fmt.Errorf("encoding what %s publishes: %w", s.Origin, err)
	}
	sum := sha256.Sum256([]byte(s.Origin))
	return atomicfile.WriteCache(filepath.Join(dir, pendingDir, hex.EncodeToString(sum[:16])+ready), content)
}

// Fold puts everything that waits in dir into the index, and deletes it there. It returns a note for each file that was
// deleted because it was damaged. What another process leaves meanwhile stays for the next time; what a killed process
// had begun is done again.
func Fold(ctx context.Context, dir string, into index.Index) (notes []string, err error) {
	pending := filepath.Join(dir, pendingDir)
	if names, err := os.ReadDir(pending); errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0 {
		return nil, nil
	}
	unlock, err := lock(ctx, filepath.Join(dir, pendingDir+".lock"), lockLimit)
	if err != nil {
		return nil, err
	}
	defer unlock()
	names, err := os.ReadDir(pending) // in order: what was taken before comes behind its successor, see claim
	if err != nil {
		return nil, fault.New(fault.Internal, "index_unreadable", "%w", err)
	}
	for _, name := range names {
		path, ok := claim(filepath.Join(pending, name.Name()))
		if !ok {
			continue
		}
		note, err := fold(ctx, path, into)
		if err != nil {
			return notes, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes, nil
}

// lock makes sure that one process at a time folds in; one that was stopped must not hold up all others for ever.
func lock(ctx context.Context, path string, limit time.Duration) (unlock func(), err error) {
	file := flock.New(path, flock.SetPermissions(0o600))
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	switch _, err := file.TryLockContext(limited, lockEvery); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fault.New(fault.Unavailable, "index_locked", "another process has held %s for more than %s", path, limit)
	case err != nil:
		return nil, fault.New(fault.Internal, "index_unreadable", "locking %s: %w", path, err)
	}
	return func() { _ = file.Unlock() }, nil
}

// claim takes a file away from those who replace it, and returns its new name. A file left over under that name is of the
// same origin and older, so it may go.
func claim(path string) (string, bool) {
	base, waits := strings.CutSuffix(path, ready)
	if !waits {
		return path, strings.HasSuffix(path, taken)
	}
	return base + taken, os.Rename(path, base+taken) == nil
}

// fold puts one file into the index and deletes it. It is the index that may fail, and then the file stays.
func fold(ctx context.Context, path string, into index.Index) (note string, err error) {
	s, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // its name came up twice: as it was, and as it was claimed
		return "", nil
	case err != nil:
		note = fmt.Sprintf("%s was damaged and is deleted: %v", path, err)
	default:
		if err := into.Put(ctx, s); err != nil {
			return "", err
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.Internal, "write_failed", "%w", err)
	}
	return note, nil
}

func read(path string) (s index.Site, err error) {
	content, err := atomicfile.Read(path, maxBytes)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return s, err
	}
	if !index.ValidOrigin(s.Origin) {
		return s, fmt.Errorf("%q is no origin", s.Origin)
	}
	return s, nil
}
