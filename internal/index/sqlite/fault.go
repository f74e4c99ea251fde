package sqlite

import (
	"context"
	"errors"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/agentctl/agentctl/internal/fault"
)

const rebuildHint = "agentctl index rebuild"

// fault tells a user what SQLite's errors mean for the index, and which file it is about. Other faults, and the end of
// ctx, pass through.
func (s *Store) fault(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok || err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	code := 0
	if e, ok := errors.AsType[*driver.Error](err); ok {
		code = e.Code() & 0xff // the primary one: the rest tells where in SQLite
	}
	switch code {
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB, codes.SQLITE_ERROR, codes.SQLITE_MISMATCH, codes.SQLITE_CONSTRAINT:
		// Our statements are sound, so an error in one is about tables that are not what they should be.
		return fault.New(fault.Internal, "index_damaged", "the index %s is damaged: %w", s.path, err).WithHint(rebuildHint)
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		return fault.New(fault.Unavailable, "index_locked", "another process has held the index %s for too long", s.path)
	case codes.SQLITE_INTERRUPT:
		return context.Canceled
	case codes.SQLITE_FULL:
		return fault.New(fault.Internal, "disk_full", "there is no room on the disk for the index %s", s.path)
	}
	return fault.New(fault.Internal, "index_failed", "the index %s: %w", s.path, err)
}
