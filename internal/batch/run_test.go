package batch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestSpoolGivesBackWhatItGot(t *testing.T) {
	for name, size := range map[string]int{"in memory": 10, "in a file": maxInMemory/1000 + 1000} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "each")
			s := &Spool{Dir: dir}
			text := `{"text":"<b>\u2028 &` + strings.Repeat("x", 1000) + `","n":0.1000}`
			for i := range size {
				k := Kept{Number: i + 1, Values: []byte(text), Fate: Fate(i % 3)}
				if i%2 == 1 {
					k.Values, k.Digest = []byte("{}"), "d"
				}
				if err := s.Add(k); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				next, err := s.Each()
				if err != nil {
					t.Fatal(err)
				}
				for i := range size {
					k, err := next()
					if err != nil {
						t.Fatal(err)
					}
					if k.Number != i+1 || k.Fate != Fate(i%3) || i%2 == 0 && string(k.Values)+k.Digest != text || i%2 == 1 && string(k.Values)+k.Digest != "{}d" {
						t.Fatalf("line %d came back as %+v", i+1, k)
					}
				}
				if _, err := next(); !errors.Is(err, io.EOF) {
					t.Fatalf("at the end: %v", err)
				}
			}
			s.Close()
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// numbers gives 0, 1, 2, …
func numbers(n int) func() (int, error) {
	i := -1
	return func() (int, error) {
		if i++; i >= n {
			return 0, io.EOF
		}
		return i, nil
	}
}

func TestResultsComeInOrder(t *testing.T) {
	var running, most atomic.Int64
	var got []int
	r := Runner[int, int]{Concurrency: 8, Next: numbers(500), Do: func(i int) int {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		for range rand.IntN(20) {
			runtime.Gosched()
		}
		running.Add(-1)
		return i
	}, Emit: func(i int) error {
		got = append(got, i)
		return nil
	}}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		if i >= len(got) || got[i] != i {
			t.Fatalf("got %v", got)
		}
	}
	if most.Load() > 8 {
		t.Errorf("%d ran at once", most.Load())
	}
}

func TestRunStopsStartingWhenItIsToldTo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var started atomic.Int64
	emitted := 0
	r := Runner[int, int]{Concurrency: 4, Next: numbers(1000), Do: func(i int) int {
		if started.Add(1) == 10 {
			cancel()
		}
		return i
	}, Emit: func(int) error {
		emitted++
		return nil
	}}
	if err := r.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if n := int(started.Load()); n != emitted || n > 20 {
		t.Errorf("%d were started, %d given", n, emitted)
	}
}

func TestASlowOneHoldsUpFewOthers(t *testing.T) {
	slow := make(chan struct{})
	var started atomic.Int64
	shown := 0
	r := Runner[int, int]{Concurrency: 4, Next: numbers(100), Do: func(i int) int {
		started.Add(1)
		if i == 3 {
			<-slow
		}
		return i
	}, Emit: func(int) error { return nil }, Show: func() error {
		if shown++; shown == 1 {
			for range 1000 {
				runtime.Gosched()
			}
			if n := started.Load(); n > 3+8 {
				t.Errorf("%d were started", n)
			}
			close(slow)
		}
		return nil
	}}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestFailuresOfARun(t *testing.T) {
	failure := errors.New("failure")
	next := numbers(10)
	r := Runner[int, int]{Concurrency: 2, Next: func() (int, error) {
		i, _ := next()
		if i == 5 {
			return 0, failure
		}
		return i, nil
	}, Do: func(i int) int { return i }, Emit: func(int) error { return nil }}
	if err := r.Run(t.Context()); !errors.Is(err, failure) {
		t.Errorf("of Next: %v", err)
	}
	r.Next, r.Emit = numbers(1000), func(i int) error {
		if i == 5 {
			return failure
		}
		return nil
	}
	if err := r.Run(t.Context()); !errors.Is(err, failure) {
		t.Errorf("of Emit: %v", err)
	}
}

func openState(t *testing.T, path string) *State {
	t.Helper()
	s, err := OpenState(path, "https://a.example", []string{"orders", "create"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	s := openState(t, path)
	for _, step := range []struct {
		input string
		event Event
	}{
		{"a", Sending}, {"a", Finished}, // done
		{"b", Sending},                // cut off
		{"c", Sending}, {"c", Failed}, // had no effect
		{"d", Sending}, {"d", Doubtful}, // unknown
		{"e", Finished},                                 // was only read
		{"a", Sending}, {"a", Finished}, {"a", Sending}, // done again, and cut off the third time
		{"f", Sending}, {"f", Again}, {"f", Finished}, // was unknown, and sent again
	} {
		if err := s.Note(1, step.input, step.event, 0); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, torn := range []string{"", `{"line":9,"input":"g","event":"send`} { // a kill in the middle of a line
		if err := os.WriteFile(path, append(slices.Clip(whole), torn...), 0o600); err != nil {
			t.Fatal(err)
		}
		s := openState(t, path)
		for i, want := range []struct {
			input string
			fate  Fate
		}{
			{"a", Done},
			{"b", Unknown},
			{"b", Send},
			{"c", Send},
			{"d", Unknown},
			{"e", Done},
			{"e", Send},
			{"a", Done},
			{"a", Unknown},
			{"a", Send},
			{"f", Done},
			{"f", Send},
			{"g", Send},
			{"new", Send},
		} {
			if got := s.Fate(want.input); got != want.fate {
				t.Errorf("torn %q, %d: %s is to be %d, want %d", torn, i, want.input, got, want.fate)
			}
		}
		if err := s.Note(1, "h", Finished, 0); err != nil {
			t.Fatal(err)
		}
		s.Close()
		again := openState(t, path) // what was written behind a torn line can be read
		if again.Fate("h") != Done {
			t.Error("what was noted is gone")
		}
		again.Close()
	}
}

func TestStatesThatAreRefused(t *testing.T) {
	header := `{"agentctl":"each","version":1,"site":"https://a.example","command":["orders","create"]}` + "\n"
	for name, test := range map[string]struct{ text, code string }{
		"another command":      {strings.Replace(header, "create", "delete", 1), "state_mismatch"},
		"another site":         {strings.Replace(header, "a.example", "b.example", 1), "state_mismatch"},
		"another version":      {strings.Replace(header, ":1,", ":2,", 1), "state_mismatch"},
		"something else":       {"id,name\n1,x\n", "state_mismatch"},
		"a file without lines": {"precious", "state_mismatch"},
		"another's beginning":  {strings.TrimSuffix(strings.Replace(header, "create", "delete", 1), "\n"), "state_mismatch"},
		"damage in the middle": {header + "oops\n" + `{"line":1,"input":"a","event":"done"}` + "\n", "state_damaged"},
		"an event of others":   {header + `{"line":1,"input":"a","event":"eaten"}` + "\n", "state_damaged"},
		"no input":             {header + `{"line":1,"event":"done"}` + "\n", "state_damaged"},
		"a line without end":   {header + strings.Repeat("x", 300<<10) + "\n", "state_damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := OpenState(path, "https://a.example", []string{"orders", "create"})
			if e := fault.From(err); e == nil || e.Code != test.code {
				t.Errorf("got %v", err)
			}
			if kept, err := os.ReadFile(path); err != nil || string(kept) != test.text {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "state")
	s := openState(t, path)
	if _, err := OpenState(path, "https://a.example", []string{"orders", "create"}); fault.From(err).Code != "state_busy" {
		t.Errorf("two at once: %v", err)
	}
	s.Close()
	if err := os.WriteFile(path, []byte(header[:20]), 0o600); err != nil {
		t.Fatal(err)
	}
	openState(t, path).Close() // a kill left the beginning of a header, and nothing was done yet
	if _, err := OpenState(t.TempDir(), "https://a.example", nil); fault.From(err).Code != "state_failed" {
		t.Errorf("a directory: %v", err)
	}
}

func FuzzState(f *testing.F) {
	f.Add([]byte(`{"line":1,"input":"a","event":"sending"}` + "\n" + `{"line":1,"input":"a","event":"done"}` + "\n"))
	f.Add([]byte(`{"line":1,"input":"a","event":"failed"}` + "\n" + `{"li`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "state")
		header, _ := json.Marshal(stateHeader{"each", 1, "s", nil})
		if err := os.WriteFile(path, append(append(header, '\n'), text...), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenState(path, "s", nil)
		if err != nil {
			if code := fault.From(err).Code; code != "state_damaged" {
				t.Fatal(err)
			}
			return
		}
		before := s.Fate("a")
		s.Close()
		if s, err = OpenState(path, "s", nil); err != nil || s.Fate("a") != before {
			t.Fatalf("opened again it says something else: %v", err)
		}
		s.Close()
	})
}

// What one item costs beside what is done for it.
func BenchmarkRun(b *testing.B) {
	r := Runner[int, int]{Concurrency: 8, Next: numbers(b.N), Do: func(i int) int { return i }, Emit: func(int) error { return nil }, Show: func() error { return nil }}
	b.ReportAllocs()
	if err := r.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
}
