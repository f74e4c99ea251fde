package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
)

// Put adds a site or replaces what is known of it. One that is as it was gets a new time, and nothing else is written.
func (s *Store) Put(ctx context.Context, site index.Site) error {
	if !index.ValidOrigin(site.Origin) {
		return fault.New(fault.Usage, "invalid_site", "%q is no origin", site.Origin)
	}
	site = site.Bounded()
	return s.fault(s.update(ctx, func(tx *sql.Tx) error {
		w, err := newWriter(ctx, tx)
		if err != nil {
			return err
		}
		defer w.close()
		return w.put(site)
	}))
}

// Remove forgets a site.
func (s *Store) Remove(ctx context.Context, origin string) (known bool, err error) {
	err = s.update(ctx, func(tx *sql.Tx) error {
		w, err := newWriter(ctx, tx)
		if err != nil {
			return err
		}
		defer w.close()
		old, err := w.find(origin)
		if err != nil || old.id == 0 {
			return err
		}
		known = true
		return w.remove(old)
	})
	return known, s.fault(err)
}

// writer writes within one transaction.
type writer struct {
	ctx                              context.Context //nolint:containedctx // lives as long as one call
	tx                               *sql.Tx
	addAction, addWords, deleteWords *sql.Stmt
}

func newWriter(ctx context.Context, tx *sql.Tx) (w *writer, err error) {
	w = &writer{ctx: ctx, tx: tx}
	for _, s := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.addAction, "INSERT INTO actions VALUES (?,?,?,?,?,?,?,?)"},
		{&w.addWords, "INSERT INTO words (rowid, command, description, params, site, effect) VALUES (?,?,?,?,?,?)"},
		{&w.deleteWords, "INSERT INTO words (words, rowid, command, description, params, site, effect) VALUES ('delete',?,?,?,?,?,?)"},
	} {
		if *s.stmt, err = tx.PrepareContext(ctx, s.text); err != nil {
			w.close()
			return nil, err
		}
	}
	return w, nil
}

func (w *writer) close() {
	for _, stmt := range []*sql.Stmt{w.addAction, w.addWords, w.deleteWords} {
		if stmt != nil {
			_ = stmt.Close()
		}
	}
}

// known is a site in the file; id is 0 where there is none.
type known struct {
	id   int64
	text siteText
	sum  string
}

func (w *writer) find(origin string) (k known, err error) {
	k.text.origin = origin
	err = w.tx.QueryRowContext(w.ctx, "SELECT id, name, description, sum FROM sites WHERE origin = ?", origin).
		Scan(&k.id, &k.text.name, &k.text.description, &k.sum)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return k, err
}

func (w *writer) put(site index.Site) error {
	old, err := w.find(site.Origin)
	if err != nil {
		return err
	}
	if old.id != 0 && old.sum == site.Sum && site.Sum != "" {
		_, err := w.tx.ExecContext(w.ctx, "UPDATE sites SET seen = ? WHERE id = ?", site.Seen.UnixMilli(), old.id)
		return err
	}
	if old.id != 0 {
		if err := w.remove(old); err != nil {
			return err
		}
	}
	return w.add(old.id, site)
}

// add writes a site that is not there, under a number that it had before, or 0 for a new one.
func (w *writer) add(id int64, site index.Site) error {
	formats, err := json.Marshal(site.Formats)
	if err != nil {
		return err
	}
	usable := 0
	for _, a := range site.Actions {
		if !a.Unusable {
			usable++
		}
	}
	number := sql.NullInt64{Int64: id, Valid: id != 0}
	result, err := w.tx.ExecContext(w.ctx, "INSERT INTO sites VALUES (?,?,?,?,?,?,?,?,?)", number, site.Origin, site.Name, site.Description,
		string(formats), usable, len(site.Actions)-usable, site.Sum, site.Seen.UnixMilli())
	if err != nil {
		return err
	}
	if id, err = result.LastInsertId(); err != nil {
		return err
	}
	about := siteText{site.Origin, site.Name, site.Description}.terms()
	n := 0
	for i := range site.Actions {
		if a := &site.Actions[i]; !a.Unusable {
			if err := w.addOne(actionID(id, n), a, about); err != nil {
				return err
			}
			n++
		}
	}
	return nil
}

func (w *writer) addOne(id int64, a *index.Action, about string) error {
	params, err := json.Marshal(a.Params)
	if err != nil {
		return err
	}
	command := strings.Join(a.Command, " ")
	if _, err := w.addAction.ExecContext(w.ctx, id, command, a.Format, a.Description, string(a.Effect), a.Cost, a.Scope, string(params)); err != nil {
		return err
	}
	t := actionText{command, a.Description, string(params), string(a.Effect)}
	return w.words(w.addWords, id, t, about)
}

// words adds an action's terms or takes them away, which needs exactly those that were added.
func (w *writer) words(stmt *sql.Stmt, id int64, a actionText, about string) error {
	_, err := stmt.ExecContext(w.ctx, id, join(a.commandTerms()), join(a.descriptionTerms()), join(a.paramTerms()), about, a.effectTerm())
	return err
}

func (w *writer) remove(old known) error {
	first, last := actionRange(old.id)
	if err := w.removeWords(first, last, old.text.terms()); err != nil {
		return err
	}
	for _, statement := range []struct {
		text string
		args []any
	}{
		{"DELETE FROM actions WHERE id BETWEEN ? AND ?", []any{first, last}},
		{"DELETE FROM sites WHERE id = ?", []any{old.id}},
	} {
		if _, err := w.tx.ExecContext(w.ctx, statement.text, statement.args...); err != nil {
			return fmt.Errorf("removing %q: %w", old.text.origin, err)
		}
	}
	return nil
}

func (w *writer) removeWords(first, last int64, about string) (err error) {
	rows, err := w.tx.QueryContext(w.ctx, "SELECT id, command, description, params, effect FROM actions WHERE id BETWEEN ? AND ?", first, last)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var id int64
		var a actionText
		if err := rows.Scan(&id, &a.command, &a.description, &a.params, &a.effect); err != nil {
			return err
		}
		if err := w.words(w.deleteWords, id, a, about); err != nil {
			return err
		}
	}
	return rows.Err()
}
