package spool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
)

// memory is an index that only remembers what was put, in order.
type memory struct {
	index.Index
	put    []index.Site
	before func(index.Site) error
}

func (m *memory) Put(_ context.Context, s index.Site) error {
	if m.before != nil {
		if err := m.before(s); err != nil {
			return err
		}
	}
	m.put = append(m.put, s)
	return nil
}

func (m *memory) names() []string {
	var names []string
	for _, s := range m.put {
		names = append(names, s.Name)
	}
	return names
}

func spoolSite(t *testing.T, dir, origin, name string) {
	t.Helper()
	if err := Spool(dir, index.Site{Origin: origin, Name: name, Seen: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
}

func foldInto(t *testing.T, dir string, m *memory) []string {
	t.Helper()
	notes, err := Fold(t.Context(), dir, m)
	if err != nil {
		t.Fatal(err)
	}
	return notes
}

func left(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, pendingDir))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestNothingWaitsWhereNothingWasLeft(t *testing.T) {
	var m memory
	if notes := foldInto(t, filepath.Join(t.TempDir(), "none"), &m); len(notes) > 0 || len(m.put) > 0 {
		t.Errorf("got %v, %v", notes, m.put)
	}
}

func TestTheNewestOfEachSiteIsFoldedInOnce(t *testing.T) {
	dir := t.TempDir()
	spoolSite(t, dir, "https://a.example", "old")
	spoolSite(t, dir, "https://a.example", "new")
	spoolSite(t, dir, "https://b.example", "b")
	var m memory
	foldInto(t, dir, &m)
	foldInto(t, dir, &m)
	got := m.names()
	slices.Sort(got)
	if !slices.Equal(got, []string{"b", "new"}) {
		t.Errorf("got %q", got)
	}
	if names := left(t, dir); len(names) > 0 {
		t.Errorf("left %q", names)
	}
}

func TestWhatIsReplacedMeanwhileStays(t *testing.T) {
	dir := t.TempDir()
	spoolSite(t, dir, "https://a.example", "old")
	m := memory{before: func(index.Site) error {
		return Spool(dir, index.Site{Origin: "https://a.example", Name: "new"})
	}}
	foldInto(t, dir, &m)
	if names := left(t, dir); len(names) != 1 {
		t.Fatalf("left %q, want the newer file", names)
	}
	m.before = nil
	foldInto(t, dir, &m)
	if got := m.names(); !slices.Equal(got, []string{"old", "new"}) {
		t.Errorf("got %q", got)
	}
}

func TestWhatAKilledProcessHadBegunIsDoneAgain(t *testing.T) {
	dir := t.TempDir()
	spoolSite(t, dir, "https://a.example", "a")
	m := memory{before: func(index.Site) error { return errors.New("killed") }}
	if _, err := Fold(t.Context(), dir, &m); err == nil {
		t.Fatal("the failure of the index is not told")
	}
	if names := left(t, dir); len(names) != 1 || !strings.HasSuffix(names[0], taken) {
		t.Fatalf("left %q", names)
	}
	m.before = nil
	foldInto(t, dir, &m)
	if got := m.names(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q", got)
	}
}

func TestANewerFileWinsOverOneThatWasBegun(t *testing.T) {
	dir := t.TempDir()
	spoolSite(t, dir, "https://a.example", "old")
	m := memory{before: func(index.Site) error { return errors.New("killed") }}
	_, _ = Fold(t.Context(), dir, &m)
	spoolSite(t, dir, "https://a.example", "new")
	m.before = nil
	foldInto(t, dir, &m)
	if got := m.names(); !slices.Equal(got, []string{"new"}) {
		t.Errorf("got %q", got)
	}
}

func TestDamagedFilesAreDeletedWithANote(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"1.json": `{"origin":"https://a.exam`, "2.json": ``, "3.json": `{}`, "4.json": `[1]`, "5.taken": `x`,
		"6.json": `{"origin":"https://good.example","name":"good"}`,
	} {
		path := filepath.Join(dir, pendingDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var m memory
	notes := foldInto(t, dir, &m)
	if len(notes) != 5 || !strings.Contains(notes[0], "1.taken was damaged") {
		t.Errorf("notes %q", notes)
	}
	if got := m.names(); !slices.Equal(got, []string{"good"}) || len(left(t, dir)) > 0 {
		t.Errorf("got %q, left %q", got, left(t, dir))
	}
}

func TestManyProcessesAtOnceLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	seen := map[string]bool{}
	note := func(s index.Site) error {
		mu.Lock()
		defer mu.Unlock()
		seen[s.Name] = true
		return nil
	}
	var wg sync.WaitGroup
	for i := range 8 {
		name := string(rune('a' + i))
		wg.Go(func() { spoolSite(t, dir, "https://"+name+".example", name) })
		wg.Go(func() {
			if _, err := Fold(t.Context(), dir, &memory{before: note}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	foldInto(t, dir, &memory{before: note})
	if len(seen) != 8 || len(left(t, dir)) > 0 {
		t.Errorf("seen %v, left %q", seen, left(t, dir))
	}
}

func TestALockThatIsHeldForLongIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pending.lock")
	unlock, err := lock(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lock(t.Context(), path, 50*time.Millisecond)
	if e := fault.From(err); e == nil || e.Kind != fault.Unavailable || !strings.Contains(e.Error(), path) {
		t.Errorf("got %v", err)
	}
	unlock()
	if unlock, err = lock(t.Context(), path, time.Minute); err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestWhatHasNoOriginIsNotKept(t *testing.T) {
	for _, origin := range []string{"", "\xff", strings.Repeat("x", 600)} {
		if err := Spool(t.TempDir(), index.Site{Origin: origin}); err == nil {
			t.Errorf("%q was kept", origin)
		}
	}
}

func TestFilesArePrivate(t *testing.T) {
	dir := t.TempDir()
	spoolSite(t, dir, "https://a.example", "a")
	info, err := os.Stat(filepath.Join(dir, pendingDir, left(t, dir)[0]))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
