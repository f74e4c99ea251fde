// Package sqlite is an index in one file: SQLite with its full-text search, without cgo. Many processes may use it at
// once, and a kill at any moment leaves it whole. Linking the package costs every start of a program 1.5 ms, so only
// agentctl-index does.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
)

// FileName is what the file is called in its directory.
const FileName = "actions.db"

// busyLimit is how long another process may keep the file from being written.
const busyLimit = 5 * time.Second

// Store is an [index.Index] in a file.
type Store struct {
	path string
	db   *sql.DB
}

var _ index.Index = (*Store)(nil)

// Open opens the index in a directory, and makes both where there are none. The file is its owner's alone.
func Open(ctx context.Context, dir string) (*Store, error) {
	return open(ctx, filepath.Join(dir, FileName), busyLimit)
}

func open(ctx context.Context, path string, busy time.Duration) (*Store, error) {
	s := &Store{path: path}
	if err := makePrivate(path); err != nil {
		return nil, fault.New(fault.Internal, "index_unreadable", "%w", err)
	}
	var err error
	if s.db, err = sql.Open("sqlite", dataSource(path, busy)); err != nil {
		return nil, s.fault(err)
	}
	s.db.SetMaxOpenConns(1) // one run asks one thing at a time
	if err := s.prepare(ctx); err != nil {
		_ = s.db.Close()
		return nil, err
	}
	return s, nil
}

// makePrivate makes an empty file, which SQLite takes for a new database, so that nobody else can read it from the start.
func makePrivate(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// dataSource names the file to the driver, whatever characters its path has. Writes go to a log first, which does not wait
// for the disk: a power cut may lose the last sites, never the file.
func dataSource(path string, busy time.Duration) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // "C:/…"
		path = "/" + path
	}
	// mapped, the file is read in half the time by a process that asks once
	pragmas := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()), "journal_mode(WAL)", "synchronous(NORMAL)", "trusted_schema(OFF)", "cache_size(-8192)", "mmap_size(268435456)",
	}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: pragmas.Encode()}).String()
}

// prepare makes the tables in a new file, and refuses one of another version.
func (s *Store) prepare(ctx context.Context) error {
	found, err := s.version(ctx, s.db)
	if err == nil && found == 0 {
		err = s.update(ctx, func(tx *sql.Tx) error {
			if found, err = s.version(ctx, tx); err != nil || found != 0 { // another process was faster
				return err
			}
			found = version
			_, err := tx.ExecContext(ctx, fmt.Sprintf("%s PRAGMA user_version = %d;", schema, version))
			return err
		})
	}
	switch {
	case err != nil:
		return s.fault(err)
	case found != version:
		return fault.New(fault.Internal, "index_version", "%s was made by another version of agentctl", s.path).WithHint(rebuildHint)
	}
	return nil
}

// queryer is a database, or a transaction of one.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (s *Store) version(ctx context.Context, q queryer) (version int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// update changes the file, all or nothing.
func (s *Store) update(ctx context.Context, change func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := change(tx); err != nil {
		_ = tx.Rollback() // the first error is the one that matters
		return err
	}
	return tx.Commit()
}

// Close closes the file.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return s.fault(err)
	}
	return nil
}
