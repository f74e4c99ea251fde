package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/odpclient"
	"github.com/agentctl/agentctl/internal/streams"
)

// linePrinter prints lines on a buffer that may be a terminal.
func linePrinter(t *testing.T, terminal bool) (p *listPrinter, w odpclient.Wanted, out *bytes.Buffer) {
	t.Helper()
	out = &bytes.Buffer{}
	r := &run{Env: Env{Streams: &streams.Streams{Out: out, Err: &bytes.Buffer{}, OutTTY: terminal, Width: 80}, Now: time.Now}}
	s := &service{place: &place{run: r}, client: &odpclient.Client{}}
	o := &listOptions{}
	o.register(newFlagSet())
	o.ndjson = true
	p, w, err := s.printing(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p, w, out
}

// Lines are there when their page has come, not only when there are many: the next page may take its time.
func TestLinesComePageByPage(t *testing.T) {
	p, w, out := linePrinter(t, false)
	for i, line := range []string{`{"id":"a"}`, `{"id":"b"}`} {
		if err := p.add([]byte(line), nil); err != nil {
			t.Fatal(err)
		}
		if err := w.Paged(); err != nil || strings.Count(out.String(), "\n") != i+1 {
			t.Fatalf("behind page %d: %q, %v", i+1, out, err)
		}
	}
	if err := p.end(&odpclient.Outcome{Complete: true}, nil); err != nil || out.String() != "{\"id\":\"a\"}\n{\"id\":\"b\"}\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// What is held for the end of a page stays small, whatever the page is like.
func TestLinesThatAreHeldAreFew(t *testing.T) {
	p, _, _ := linePrinter(t, false)
	line := []byte(`"` + strings.Repeat("x", 10_000) + `"`)
	for range 50 {
		if err := p.add(line, nil); err != nil || p.content.Len() > maxHeld {
			t.Fatalf("%d bytes are held: %v", p.content.Len(), err)
		}
	}
}

// Lines are text of a stranger: on a terminal they are escaped, and still the same JSON (contract, section 3).
func TestLinesOnATerminal(t *testing.T) {
	const hostile = "{\"name\":\"a\u009b31m\u202eb\"}"
	for terminal, want := range map[bool]string{true: `{"name":"a\u009b31m\u202eb"}` + "\n", false: hostile + "\n"} {
		p, _, out := linePrinter(t, terminal)
		if err := p.add([]byte(hostile), nil); err != nil {
			t.Fatal(err)
		}
		if err := p.end(&odpclient.Outcome{}, nil); err != nil || out.String() != want {
			t.Errorf("terminal %v: %q, %v", terminal, out, err)
		}
	}
}
