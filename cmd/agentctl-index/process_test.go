package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/remote"
	"github.com/agentctl/agentctl/internal/index/sample"
	"github.com/agentctl/agentctl/internal/index/spool"
	"github.com/agentctl/agentctl/internal/index/sqlite"
)

// TestMain is the program itself when a client starts it as one: its first argument is no flag of a test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

func client(t *testing.T, dir string) (c *remote.Client, notes *[]string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	notes = new([]string)
	c = remote.New(program, dir, func(note string) { *notes = append(*notes, note) })
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, notes
}

func popcorn() index.Site {
	return index.Site{
		Origin: "https://popcorn.club", Name: "Popcorn Club", Seen: time.UnixMilli(1000).UTC(), Formats: []string{"interagentic"},
		Actions: []index.Action{
			{Command: []string{"orders", "create"}, Description: "Order popcorn", Effect: "spend", Params: []string{"qty"}},
			{Command: []string{"broken"}, Description: "Popcorn that cannot be had", Unusable: true},
		},
	}
}

func TestAWholeConversation(t *testing.T) {
	c, notes := client(t, t.TempDir())
	if err := c.Put(t.Context(), popcorn()); err != nil {
		t.Fatal(err)
	}
	hits, err := c.Search(t.Context(), index.Query{Text: "popcorn"})
	if err != nil || len(hits) != 1 || hits[0].Origin != "https://popcorn.club" || strings.Join(hits[0].Command, " ") != "orders create" {
		t.Fatalf("got %+v, %v", hits, err)
	}
	sites, err := c.Sites(t.Context())
	if err != nil || len(sites) != 1 || sites[0].Actions != 1 || sites[0].Unusable != 1 || !sites[0].Seen.Equal(time.UnixMilli(1000)) {
		t.Errorf("got %+v, %v", sites, err)
	}
	stats, err := c.Stats(t.Context())
	if err != nil || stats.Sites != 1 || stats.Actions != 1 || filepath.Base(stats.Where) != sqlite.FileName {
		t.Errorf("got %+v, %v", stats, err)
	}
	for _, want := range []bool{true, false} {
		if known, err := c.Remove(t.Context(), "https://popcorn.club"); err != nil || known != want {
			t.Errorf("known is %v, %v; want %v", known, err, want)
		}
	}
	if _, err := c.Search(t.Context(), index.Query{Text: "?!"}); fault.From(err) == nil || fault.From(err).Kind != fault.Usage {
		t.Errorf("a query of nothing: %v", err)
	}
	if len(*notes) > 0 {
		t.Errorf("notes %q", *notes)
	}
}

func TestWhatCallsLeftIsFound(t *testing.T) {
	dir := t.TempDir()
	c, notes := client(t, dir)
	if err := spool.Spool(dir, popcorn()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pending", "x.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	hits, err := c.Search(t.Context(), index.Query{Text: "popcorn"})
	if err != nil || len(hits) != 1 {
		t.Errorf("got %+v, %v", hits, err)
	}
	if len(*notes) != 1 || !strings.Contains((*notes)[0], "was damaged") {
		t.Errorf("notes %q", *notes)
	}
}

func TestADamagedIndexIsNamedAndRebuilt(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, sqlite.FileName)
	if err := os.WriteFile(path, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _ := client(t, dir)
	_, err := c.Search(t.Context(), index.Query{Text: "popcorn"})
	if e := fault.From(err); e == nil || e.Code != "index_damaged" || !strings.Contains(e.Error(), path) || e.Hint != "agentctl index rebuild" {
		t.Fatalf("got %v", err)
	}
	if err := spool.Spool(dir, popcorn()); err != nil {
		t.Fatal(err)
	}
	made, err := c.Rebuild(t.Context())
	if err != nil || made.Sites != 1 || made.Problem == "" {
		t.Errorf("got %+v, %v", made, err)
	}
	if hits, err := c.Search(t.Context(), index.Query{Text: "popcorn"}); err != nil || len(hits) != 1 {
		t.Errorf("got %+v, %v", hits, err)
	}
}

func TestALargeSiteGoesThroughThePipe(t *testing.T) {
	c, _ := client(t, t.TempDir())
	if err := c.Put(t.Context(), sample.Site(1, 2000)); err != nil {
		t.Fatal(err)
	}
	if stats, err := c.Stats(t.Context()); err != nil || stats.Actions != 2000 {
		t.Errorf("got %+v, %v", stats, err)
	}
}

func TestAProgramThatIsNotThereIsNamed(t *testing.T) {
	for _, program := range []string{"", "agentctl-index", filepath.Join(t.TempDir(), "agentctl-index")} {
		c := remote.New(program, t.TempDir(), func(string) {})
		if _, err := c.Stats(t.Context()); fault.From(err) == nil || fault.From(err).Code != "index_missing" {
			t.Errorf("%q: %v", program, err)
		}
	}
}

// A program that does not answer is given up, also when a child of its own holds the pipe; so is one that does not read.
func TestAProgramThatHangsIsGivenUp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are for a POSIX shell")
	}
	for name, script := range map[string]string{"itself": "exec sleep 20", "by a child": "sleep 20 2>/dev/null & wait"} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "agentctl-index")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			c := remote.New(program, t.TempDir(), func(string) {})
			c.Limit = 200 * time.Millisecond
			if _, err := c.Search(t.Context(), index.Query{Text: "popcorn"}); fault.From(err) == nil || fault.From(err).Code != "index_timeout" {
				t.Errorf("a search: %v", err)
			}
			if err := c.Put(t.Context(), sample.Site(1, 2000)); fault.From(err) == nil || fault.From(err).Code != "index_timeout" {
				t.Errorf("a large site: %v", err)
			}
		})
	}
}

func TestWhatIsNoCommandIsRefused(t *testing.T) {
	for _, args := range [][]string{{"serve"}, {"serve", "a", "b"}, {"x"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, environment{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 2 || out.Len() > 0 {
			t.Errorf("%q: exit %d, %q", args, code, out.String())
		}
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"serve", t.TempDir()}, environment{In: strings.NewReader(`{"op":"put"}{"op":"?"} x`), Out: &out, Err: &errs}); code != 2 {
		t.Errorf("exit %d, %q", code, errs.String())
	}
	if got := strings.Count(out.String(), "invalid_request"); got != 2 {
		t.Errorf("got %q", out.String())
	}
}
