package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/terms"
	"github.com/agentctl/agentctl/internal/manifest"
)

const (
	countLimit    = 8_000 // rows that are counted of a word: a commoner one tells no less
	enoughRows    = 500   // rows of the rarer words that make the commoner ones unnecessary for finding candidates
	minCandidates = 100   // whose text is read and ranked, however few are asked for
	shortlist     = 4     // rows that BM25 puts forward for each candidate
	maxOfOneSite  = 12    // of the candidates, unless the query is about one site: none can crowd out the others
)

// Search finds candidates by BM25 over the words of the query that are rare enough, and ranks them by all of its words.
func (s *Store) Search(ctx context.Context, q index.Query) ([]index.Hit, error) {
	groups := terms.Query(q.Text)
	if len(groups) == 0 {
		return nil, fault.New(fault.Usage, "invalid_arguments", "there is nothing to search for in %q", fault.Word(q.Text))
	}
	f := finder{ctx: ctx, db: s.db, query: q}
	hits, err := f.find(groups)
	if err != nil {
		return nil, s.fault(err)
	}
	return hits[:min(len(hits), limit(q.Limit))], nil
}

func limit(asked int) int {
	if asked <= 0 {
		return index.DefaultLimit
	}
	return min(asked, index.MaxLimit)
}

// word is a word of the query with how many actions have it.
type word struct {
	terms.Group
	docs int
}

// expression is the word in the language of full-text queries. Terms are letters and digits, and quoted all the same.
func (w word) expression() string {
	quoted := make([]string, len(w.Terms))
	for i, term := range w.Terms {
		quoted[i] = `"` + term.Text + `"`
	}
	return strings.Join(quoted, " OR ")
}

// finder answers one query.
type finder struct {
	ctx   context.Context //nolint:containedctx // lives as long as one call
	db    *sql.DB
	query index.Query

	first, last int64 // the numbers that an action may have
	total       int   // actions in the index
}

func (f *finder) find(groups []terms.Group) ([]index.Hit, error) {
	known, err := f.scope()
	if err != nil || !known {
		return nil, err
	}
	words := make([]word, len(groups))
	for i, group := range groups {
		words[i] = word{Group: group}
		if words[i].docs, err = f.count(words[i]); err != nil {
			return nil, err
		}
	}
	ids, err := f.candidates(words)
	if err != nil {
		return nil, err
	}
	documents, err := f.read(ids)
	if err != nil {
		return nil, err
	}
	return rank(documents, words, f.total), nil
}

// scope settles which rows are searched: all, or those of one site, if it is known.
func (f *finder) scope() (known bool, err error) {
	f.first, f.last = 0, 1<<62
	if f.query.Effect != "" && effectTerm(string(f.query.Effect)) == "" {
		return false, nil // no action has an effect without a letter
	}
	if f.query.Origin != "" {
		var id int64
		switch err := f.db.QueryRowContext(f.ctx, "SELECT id FROM sites WHERE origin = ?", f.query.Origin).Scan(&id); {
		case errors.Is(err, sql.ErrNoRows):
			return false, nil
		case err != nil:
			return false, err
		}
		f.first, f.last = actionRange(id)
	}
	err = f.db.QueryRowContext(f.ctx, "SELECT coalesce(sum(actions), 0) FROM sites").Scan(&f.total)
	return f.total > 0, err
}

// match is the full-text query for any of the words, with the limits of the question.
func (f *finder) match(words []word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = w.expression()
	}
	match := "{command description params site} : (" + strings.Join(parts, " OR ") + ")"
	if f.query.Effect != "" {
		match += ` AND effect : "` + effectTerm(string(f.query.Effect)) + `"`
	}
	return match
}

// count returns how many actions have a word, up to countLimit.
func (f *finder) count(w word) (n int, err error) {
	err = f.db.QueryRowContext(f.ctx, "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)",
		f.match([]word{w}), f.first, f.last, countLimit).Scan(&n)
	return n, err
}

// candidates returns the numbers of the actions to rank. Words are taken from the rarest on until they have found enough:
// an action that has only the common ones would not come out on top, and looking at every "order" and "list" takes long.
func (f *finder) candidates(words []word) ([]int64, error) {
	byRarity := slices.DeleteFunc(slices.Clone(words), func(w word) bool { return w.docs == 0 || w.Idle })
	slices.SortStableFunc(byRarity, func(a, b word) int { return a.docs - b.docs })
	found := 0
	for i, w := range byRarity {
		if found >= enoughRows {
			byRarity = byRarity[:i]
			break
		}
		found += w.docs
	}
	if len(byRarity) == 0 {
		return nil, nil
	}
	most := max(minCandidates, limit(f.query.Limit))
	rows, err := f.db.QueryContext(f.ctx, `SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?
		ORDER BY bm25(words, 0.6, 0.25, 0.1, 0.15, 0), rowid LIMIT ?`, f.match(byRarity), f.first, f.last, shortlist*most)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	var ids []int64
	ofSite := map[int64]int{}
	for rows.Next() && len(ids) < most {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		if site := siteID(id); f.query.Origin != "" || ofSite[site] < maxOfOneSite {
			ofSite[site]++
			ids = append(ids, id)
		}
	}
	return ids, rows.Err()
}

// read returns the texts of the candidates.
func (f *finder) read(ids []int64) ([]document, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := f.db.QueryContext(f.ctx, `SELECT a.id, a.command, a.format, a.description, a.effect, a.cost, a.scope, a.params, s.origin, s.name, s.description
		FROM json_each(?) AS j JOIN actions AS a ON a.id = j.value JOIN sites AS s ON s.id = a.id >> ?`, string(list), siteBits)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	var found []document
	for rows.Next() {
		d := document{}
		if err := rows.Scan(&d.id, &d.action.command, &d.Format, &d.action.description, &d.action.effect, &d.Cost, &d.Scope, &d.action.params,
			&d.Origin, &d.Site, &d.about); err != nil {
			return nil, err
		}
		d.Command, d.Description, d.Effect = strings.Fields(d.action.command), d.action.description, manifest.Effect(d.action.effect)
		if err := json.Unmarshal([]byte(d.action.params), &d.Params); err != nil {
			return nil, fault.New(fault.Internal, "index_damaged", "the index holds parameters that are none: %w", err).WithHint(rebuildHint)
		}
		found = append(found, d)
	}
	return found, rows.Err()
}
