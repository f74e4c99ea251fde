package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/manifest"
)

const newSuffix = ".new" // of the file that is being made

// Salvage tells what a rebuild got out of the old file.
type Salvage struct {
	Lost    []string // origins whose actions could not be read
	Problem error    // why not all of the old file could be read; nil when it could
}

// Rebuild makes a new file from what can be read of the old one, in its place. A kill leaves one of them there. Who has
// the old file open meanwhile keeps it, and what is put there then is lost.
func Rebuild(ctx context.Context, dir string) (found Salvage, err error) {
	path := filepath.Join(dir, FileName)
	if err := removeFiles(path+newSuffix, "", "-wal", "-shm"); err != nil { // of a rebuild that was killed
		return found, writeFailed(err)
	}
	fresh, err := open(ctx, path+newSuffix, busyLimit)
	if err != nil {
		return found, err
	}
	found, err = salvage(ctx, path, fresh)
	if closeErr := fresh.Close(); err == nil { // which moves all that is in its log into the file
		err = closeErr
	}
	if err != nil {
		_ = removeFiles(path+newSuffix, "", "-wal", "-shm")
		return found, err
	}
	if err := removeFiles(path, "-wal", "-shm"); err != nil { // a log belongs to its file
		return found, writeFailed(err)
	}
	if err := os.Rename(path+newSuffix, path); err != nil {
		return found, writeFailed(err)
	}
	return found, nil
}

func writeFailed(err error) error { return fault.New(fault.Internal, "write_failed", "%w", err) }

func removeFiles(path string, suffixes ...string) error {
	for _, suffix := range suffixes {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// salvage copies what can be read. Only what is wrong with the new index, or a lock on the old one, is an error.
func salvage(ctx context.Context, path string, into *Store) (found Salvage, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	db, err := sql.Open("sqlite", dataSource(path, busyLimit))
	if err != nil {
		return found, into.fault(err)
	}
	defer db.Close() //nolint:errcheck // it was only read
	db.SetMaxOpenConns(1)
	old := Store{path: path, db: db}
	sites, problem := old.remembered(ctx)
	for _, site := range sites {
		if site.Actions, err = old.actions(ctx, site.id); err != nil {
			problem = errors.Join(problem, err)
			found.Lost = append(found.Lost, site.Origin)
			continue
		}
		if err := into.Put(ctx, site.Site); err != nil {
			return found, err
		}
	}
	if found.Problem = problem; problem != nil {
		if e := fault.From(old.fault(problem)); e.Kind == fault.Unavailable || e.Kind == fault.Interrupted {
			return found, e
		}
	}
	return found, nil
}

type remembered struct {
	id int64
	index.Site
}

// remembered lists the sites in a file, as far as it can be read.
func (s *Store) remembered(ctx context.Context) (list []remembered, err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT id, origin, name, description, formats, sum, seen FROM sites ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var site remembered
		var formats string
		var seen int64
		if err := rows.Scan(&site.id, &site.Origin, &site.Name, &site.Description, &formats, &site.Sum, &seen); err != nil {
			return list, err
		}
		_ = json.Unmarshal([]byte(formats), &site.Formats) // without, the site is still worth having
		site.Seen = time.UnixMilli(seen).UTC()
		if index.ValidOrigin(site.Origin) {
			list = append(list, site)
		}
	}
	return list, rows.Err()
}

// actions reads the actions of a site in full.
func (s *Store) actions(ctx context.Context, site int64) (list []index.Action, err error) {
	first, last := actionRange(site)
	rows, err := s.db.QueryContext(ctx, "SELECT command, format, description, effect, cost, scope, params FROM actions WHERE id BETWEEN ? AND ? ORDER BY id", first, last)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var a index.Action
		var command, effect, params string
		if err := rows.Scan(&command, &a.Format, &a.Description, &effect, &a.Cost, &a.Scope, &params); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(params), &a.Params); err != nil {
			return nil, err
		}
		a.Command, a.Effect = strings.Fields(command), manifest.Effect(effect)
		list = append(list, a)
	}
	return list, rows.Err()
}
