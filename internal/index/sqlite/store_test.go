package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/sample"
	"github.com/agentctl/agentctl/internal/manifest"
)

func opened(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func put(t *testing.T, s *Store, sites ...index.Site) {
	t.Helper()
	for _, site := range sites {
		if err := s.Put(t.Context(), site); err != nil {
			t.Fatal(err)
		}
	}
}

// site makes a site of actions written as "command words: description".
func site(host string, actions ...string) index.Site {
	s := index.Site{Origin: "https://" + host, Seen: time.UnixMilli(1).UTC()}
	for _, text := range actions {
		command, description, _ := strings.Cut(text, ": ")
		s.Actions = append(s.Actions, index.Action{Command: strings.Fields(command), Description: description, Effect: "read"})
	}
	return s
}

// found returns the hits for a query as "host command words".
func found(t *testing.T, s *Store, q index.Query) []string {
	t.Helper()
	hits, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, hit := range hits {
		list = append(list, strings.TrimPrefix(hit.Origin, "https://")+" "+strings.Join(hit.Command, " "))
	}
	return list
}

func wantFault(t *testing.T, err error, kind fault.Kind, code, mentions string) {
	t.Helper()
	if e := fault.From(err); e == nil || e.Kind != kind || e.Code != code || !strings.Contains(e.Error(), mentions) {
		t.Errorf("got %v, want %s %s about %q", err, kind, code, mentions)
	}
}

func TestWhatWasPutComesBackWhole(t *testing.T) {
	dir := t.TempDir()
	want := index.Site{
		Origin: "https://a.example", Name: "A", Description: "About", Formats: []string{"odp", "agent-actions"}, Sum: "s", Seen: time.UnixMilli(1234).UTC(),
		Actions: []index.Action{
			{Command: []string{"orders", "create"}, Format: "odp", Description: "Zeilen\nund \x1b[31m", Effect: "spend", Cost: "4 EUR", Scope: "o:w", Params: []string{"qty", "a\nb"}},
			{Command: []string{"broken"}, Unusable: true},
		},
	}
	s := opened(t, dir)
	put(t, s, want)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opened(t, dir)
	hits, err := s.Search(t.Context(), index.Query{Text: "zeilen"})
	if err != nil || len(hits) != 1 {
		t.Fatalf("got %v, %v", hits, err)
	}
	if d := cmp.Diff(index.Hit{Origin: want.Origin, Site: "A", Action: want.Actions[0], Score: hits[0].Score}, hits[0]); d != "" {
		t.Error(d)
	}
	sites, err := s.Sites(t.Context())
	info := []index.SiteInfo{{Origin: want.Origin, Name: "A", Formats: want.Formats, Actions: 1, Unusable: 1, Sum: "s", Seen: want.Seen}}
	if d := cmp.Diff(info, sites); d != "" || err != nil {
		t.Error(d, err)
	}
	if got := found(t, s, index.Query{Text: "broken"}); len(got) > 0 {
		t.Errorf("an unusable action is offered: %q", got)
	}
}

func TestReplacingLeavesNothingOfBefore(t *testing.T) {
	s := opened(t, t.TempDir())
	put(t, s, site("b.example", "keep: other"), site("a.example", "old: ancient", "stay: same"))
	put(t, s, site("a.example", "new: modern", "stay: same"))
	for text, want := range map[string][]string{
		"ancient": {}, "old": {}, "modern": {"a.example new"}, "same": {"a.example stay"}, "other": {"b.example keep"},
	} {
		if got := found(t, s, index.Query{Text: text}); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if known, err := s.Remove(t.Context(), "https://a.example"); err != nil || !known {
		t.Error(known, err)
	}
	var left int // a term that was added and not taken away would be found for ever
	if err := s.db.QueryRow("SELECT count(*) FROM words WHERE words MATCH 'modern OR same OR ancient'").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows left, %v", left, err)
	}
	if _, err := s.db.Exec("INSERT INTO words (words) VALUES ('integrity-check')"); err != nil {
		t.Errorf("the lists of rows are damaged: %v", err)
	}
}

func TestWhatDidNotChangeIsOnlySeenAgain(t *testing.T) {
	s := opened(t, t.TempDir())
	a := site("a.example", "x: first")
	a.Sum = "same"
	put(t, s, a)
	a.Actions[0].Description, a.Seen = "second", time.UnixMilli(99).UTC()
	put(t, s, a)
	if got := found(t, s, index.Query{Text: "first"}); len(got) != 1 {
		t.Errorf("it was written again: %q", got)
	}
	if sites, _ := s.Sites(t.Context()); len(sites) != 1 || !sites[0].Seen.Equal(a.Seen) {
		t.Errorf("got %+v", sites)
	}
}

func TestFiltersHold(t *testing.T) {
	s := opened(t, t.TempDir())
	a := site("a.example", "pay: a bill", "look: at a bill", "odd: bill")
	a.Actions[0].Effect, a.Actions[2].Effect = "spend", "tele-port"
	put(t, s, a, site("b.example", "bill show: a bill"))
	for name, test := range map[string]struct {
		query index.Query
		want  []string
	}{
		"effect":                           {index.Query{Text: "bill", Effect: "spend"}, []string{"a.example pay"}},
		"site":                             {index.Query{Text: "bill", Origin: "https://b.example"}, []string{"b.example bill show"}},
		"unknown site":                     {index.Query{Text: "bill", Origin: "https://c.example"}, []string{}},
		"both":                             {index.Query{Text: "bill", Origin: "https://b.example", Effect: "spend"}, []string{}},
		"unknown effect":                   {index.Query{Text: "bill", Effect: `x" OR effect:"read`}, []string{}},
		"letter that SQLite does not know": {index.Query{Text: "\U0001E922", Effect: "spend"}, []string{}},
		"effect of nothing":                {index.Query{Text: "bill", Effect: "!"}, []string{}},
		"effect is no text":                {index.Query{Text: "spend"}, []string{}},
		"limit":                            {index.Query{Text: "bill", Limit: 1}, []string{"b.example bill show"}},
	} {
		if got := found(t, s, test.query); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestNamesAreFoundByTheirParts(t *testing.T) {
	s := opened(t, t.TempDir())
	put(t, s, site("a.example", "createPurchaseOrder: x", "list_open_tickets: y", "check-in: z"))
	for _, text := range []string{"purchases", "open ticket", "checkin", "check in", "createPurchaseOrder"} {
		if got := found(t, s, index.Query{Text: text}); len(got) == 0 {
			t.Errorf("%q finds nothing", text)
		}
	}
}

func TestQueriesAreOnlyWords(t *testing.T) {
	s := opened(t, t.TempDir())
	put(t, s, site("a.example", "x: near and or not words column"))
	for _, text := range []string{
		`"`, `words"`, `NEAR(words, 2)`, `words AND`, `NOT words`, `words*`, `-words`, `^words`, `description:words`, `{description}:words`, `(words`, "wor\x00ds words",
		"'; DROP TABLE sites; --words", strings.Repeat("words ", 2000), strings.Repeat("w", 10_000) + " words", "\xff\xfe words", "wörds words 東京",
	} {
		hits, err := s.Search(t.Context(), index.Query{Text: text})
		if err != nil && fault.From(err).Code != "invalid_arguments" {
			t.Errorf("%.40q: %v", text, err)
		}
		if strings.Contains(text, "words") && len(hits) == 0 && err == nil && !strings.Contains(text, strings.Repeat("w", 5000)) {
			t.Errorf("%.40q finds nothing", text)
		}
	}
	for _, text := range []string{"", " ", `"*-()`, "\x00", "\xff", "…"} {
		_, err := s.Search(t.Context(), index.Query{Text: text})
		wantFault(t, err, fault.Usage, "invalid_arguments", "nothing to search for")
	}
}

func TestASiteCannotCrowdOutTheOthers(t *testing.T) {
	s := opened(t, t.TempDir())
	spam := index.Site{Origin: "https://spam.example", Name: "popcorn"}
	for i := range 300 {
		spam.Actions = append(spam.Actions, index.Action{Command: []string{fmt.Sprint("popcorn-", i)}, Description: strings.Repeat("popcorn ", 50)})
	}
	put(t, s, spam, site("club.example", "orders create: Order popcorn for your evening"))
	got := found(t, s, index.Query{Text: "popcorn", Limit: 10})
	if !slices.Contains(got, "club.example orders create") {
		t.Errorf("got %q", got)
	}
}

func TestTheFileIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	s := opened(t, dir)
	put(t, s, site("a.example", "x: y"))
	for name, want := range map[string]os.FileMode{"": 0o700 | os.ModeDir, FileName: 0o600, FileName + "-wal": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%q: %v, %v", name, info, err)
		}
	}
}

func TestManyWritersAtOnceLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() { // each like a process of its own
			s, err := Open(t.Context(), dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = s.Close() }()
			for j := range 5 {
				if err := s.Put(t.Context(), sample.Site(10*i+j, 3)); err != nil {
					t.Error(err)
				}
				if _, err := s.Search(t.Context(), index.Query{Text: "order"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if stats, err := opened(t, dir).Stats(t.Context()); err != nil || stats.Sites != 30 || stats.Actions != 90 {
		t.Errorf("got %+v, %v", stats, err)
	}
}

func TestALockThatIsHeldForLongIsNamed(t *testing.T) {
	dir := t.TempDir()
	holder := opened(t, dir)
	path := filepath.Join(dir, FileName)
	impatient, err := open(t.Context(), path, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = impatient.Close() }()
	err = holder.update(t.Context(), func(*sql.Tx) error {
		err := impatient.Put(t.Context(), site("a.example", "x: y"))
		wantFault(t, err, fault.Unavailable, "index_locked", path)
		_, err = impatient.Search(t.Context(), index.Query{Text: "x"}) // readers do not wait
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDamageIsNamed(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"no database":     func([]byte) []byte { return bytes.Repeat([]byte("text "), 3000) },
		"header":          func(b []byte) []byte { copy(b, "SQLate"); return b },
		"zeros in it":     func(b []byte) []byte { clear(b[4096:]); return b },
		"cut short":       func(b []byte) []byte { return b[:len(b)/2] },
		"another program": nil,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, FileName)
			s := opened(t, dir)
			put(t, s, sample.Site(1, 200))
			if damage == nil {
				if _, err := s.db.Exec("PRAGMA user_version = 99"); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if damage != nil {
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, damage(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := firstError(t, dir)
			if !damaged(err) || fault.From(err).Hint != rebuildHint || !strings.Contains(err.Error(), path) {
				t.Fatalf("got %v", err)
			}
			if _, err := Rebuild(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			if err := firstError(t, dir); err != nil {
				t.Errorf("after the rebuild: %v", err)
			}
		})
	}
}

// firstError opens an index, asks it and writes to it.
func firstError(t *testing.T, dir string) error {
	s, err := Open(t.Context(), dir)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Search(t.Context(), index.Query{Text: "order customer list"}); err != nil {
		return err
	}
	return s.Put(t.Context(), sample.Site(1, 3))
}

func TestARebuildKeepsWhatCanBeRead(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	for i := range 20 {
		put(t, s, sample.Site(i, 5))
	}
	if _, err := s.db.Exec("DROP TABLE words"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := firstError(t, dir); !damaged(err) {
		t.Fatalf("got %v", err)
	}
	salvaged, err := Rebuild(t.Context(), dir)
	if err != nil || len(salvaged.Lost) > 0 || salvaged.Problem != nil {
		t.Errorf("got %+v, %v", salvaged, err)
	}
	s = opened(t, dir)
	if stats, err := s.Stats(t.Context()); err != nil || stats.Sites != 20 || stats.Actions != 100 {
		t.Errorf("got %+v, %v", stats, err)
	}
	want := sample.Site(3, 5)
	if got := found(t, s, index.Query{Text: want.Actions[0].Command[0], Origin: want.Origin}); len(got) == 0 {
		t.Error("what was kept is not found")
	}
	if entries, _ := os.ReadDir(dir); slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.Contains(e.Name(), newSuffix) }) {
		t.Errorf("left behind: %v", entries)
	}
}

func TestARebuildOfNothingIsAnEmptyIndex(t *testing.T) {
	dir := t.TempDir()
	if _, err := Rebuild(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if stats, err := opened(t, dir).Stats(t.Context()); err != nil || stats.Sites != 0 {
		t.Errorf("got %+v, %v", stats, err)
	}
}

func TestPathsMayHaveAnyCharacters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%41&é")
	put(t, opened(t, dir), site("a.example", "x: y"))
	if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNoFileIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), dir)
	wantFault(t, err, fault.Internal, "index_unreadable", FileName)
}

func FuzzSearch(f *testing.F) {
	for _, seed := range []string{`"a" OR b*`, "NEAR(a b)", "x:y", "東京", "\x00", "İ", "'"} {
		f.Add(seed, "read")
	}
	s, err := Open(f.Context(), f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	if err := s.Put(f.Context(), sample.Site(1, 20)); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, effect string) {
		_, err := s.Search(t.Context(), index.Query{Text: text, Effect: manifest.Effect(effect)})
		if err != nil && fault.From(err).Kind != fault.Usage {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func FuzzPut(f *testing.F) {
	f.Add("name", "createOrder", "description", "param", "read")
	f.Add("\xff", "a-b", "\x00", "'", `"`)
	s, err := Open(f.Context(), f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	f.Fuzz(func(t *testing.T, name, command, description, param, effect string) {
		site := index.Site{Origin: "https://a.example", Name: name, Description: description}
		site.Actions = []index.Action{{Command: []string{command}, Description: description, Params: []string{param}, Cost: effect}}
		for range 2 { // the second takes away what the first added
			if err := s.Put(t.Context(), site); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.db.Exec("INSERT INTO words (words) VALUES ('integrity-check')"); err != nil {
			t.Error(err)
		}
	})
}

// damaged tells whether an error of this package is about a file that cannot be used as it is.
func damaged(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && (e.Code == "index_damaged" || e.Code == "index_version")
}
