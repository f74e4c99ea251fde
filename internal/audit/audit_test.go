package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// childDir makes the test binary a process of its own that writes to the log there.
const childDir = "AGENTCTL_TEST_AUDIT_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(childDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	for range 10 {
		if err := writeCall(newLog(dir), "order"); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

func newLog(dir string) *Log {
	return &Log{Dir: dir, Now: func() time.Time { return time.Date(2027, 3, 15, 12, 0, 0, 0, time.UTC) }, MaxBytes: 4 << 10}
}

func sample(word string) Call {
	return Call{
		Site: "https://popcorn.club", Command: []string{"orders", word}, Method: "POST", Endpoint: "/orders/{{$id}}", Effect: "spend",
		Amount: "9.0", Currency: "credits", By: "rule", Rule: 2, Args: []Arg{{Name: "qty", Type: "number", Length: 1}, {Name: "pin", Type: "string", Secret: true}},
	}
}

func writeCall(l *Log, word string) error {
	entry, err := l.Begin(sample(word))
	if err != nil {
		return err
	}
	return entry.End(Outcome{Status: 201, Sent: "yes"})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func verified(t testing.TB, l *Log) Report {
	t.Helper()
	r, err := l.Verify()
	must(t, err)
	return r
}

// lineFiles are the files of a log in order, with their lines.
func logLines(t testing.TB, l *Log) (lines []string) {
	t.Helper()
	names, err := l.aside()
	must(t, err)
	for _, name := range append(names, current) {
		text, err := os.ReadFile(filepath.Join(l.Dir, name))
		must(t, err)
		lines = append(lines, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
	}
	return lines
}

func TestEachLineCarriesTheHashOfTheOneBefore(t *testing.T) {
	l := newLog(filepath.Join(t.TempDir(), "state", "audit"))
	for range 40 {
		must(t, writeCall(l, "create"))
	}
	if names, err := l.aside(); err != nil || len(names) < 2 {
		t.Fatalf("put aside %v, %v; want two files or more", names, err)
	}
	prev := strings.Repeat("0", 64)
	for i, text := range logLines(t, l) { // checked without the package's own reader
		var line struct {
			Seq  int
			Prev string
		}
		must(t, json.Unmarshal([]byte(text), &line))
		if line.Seq != i+1 || line.Prev != prev {
			t.Fatalf("line %d: %d, %s; want the hash %s", i+1, line.Seq, line.Prev, prev)
		}
		hash := sha256.Sum256([]byte(text))
		prev = hex.EncodeToString(hash[:])
	}
	if r := verified(t, l); r.Broken != "" || r.Lines != 80 || r.Calls != 40 || r.Open != 0 || r.Head != prev {
		t.Errorf("got %+v", r)
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(filepath.Join(l.Dir, current))
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v", info.Mode())
		}
	}
}

func TestVerifyNamesTheFirstBrokenLine(t *testing.T) {
	for name, row := range map[string]struct {
		tamper func(lines []string) []string
		want   int // line, from 1; 0: what is done cannot be seen in the log alone
	}{
		"a byte changed":          {func(l []string) []string { l[4] = strings.Replace(l[4], "create", "creatf", 1); return l }, 5},
		"an amount changed":       {func(l []string) []string { l[2] = strings.Replace(l[2], `"9.0"`, `"0.9"`, 1); return l }, 3},
		"the last line changed":   {func(l []string) []string { l[9] = strings.Replace(l[9], "201", "500", 1); return l }, 10},
		"the first line gone":     {func(l []string) []string { return l[1:] }, 1},
		"a line gone":             {func(l []string) []string { return append(l[:3:3], l[4:]...) }, 4},
		"a line twice":            {func(l []string) []string { return append(l[:4:4], l[3:]...) }, 5},
		"two lines swapped":       {func(l []string) []string { l[2], l[3] = l[3], l[2]; return l }, 3},
		"a line that is no JSON":  {func(l []string) []string { l[6] = "hello"; return l }, 7},
		"an empty line":           {func(l []string) []string { l[6] = ""; return l }, 7},
		"a line too long":         {func(l []string) []string { l[6] = strings.Repeat("x", 3*maxLine); return l }, 7},
		"a line with another end": {func(l []string) []string { l[1] += "\r"; return l }, 2},
		"one changed with its hash": {func(l []string) []string {
			l[4] = rehash(strings.Replace(l[4], "create", "creatf", 1))
			return l
		}, 6},
		"the same line changed, chained again": {func(l []string) []string {
			for i := 4; i < len(l); i++ {
				before, now := "", l[i]
				if i > 4 {
					before = sum([]byte(l[i-1]))
					now = now[:strings.Index(now, `"prev":"`)+8] + before + now[strings.Index(now, `"prev":"`)+72:]
				}
				l[i] = rehash(strings.Replace(now, "create", "creatf", 1))
			}
			return l
		}, 0},
		"the end cut off": {func(l []string) []string { return l[:8] }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t.TempDir())
			for range 5 {
				must(t, writeCall(l, "create"))
			}
			before := verified(t, l)
			lines := row.tamper(logLines(t, l))
			must(t, os.WriteFile(l.path(current), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
			r := verified(t, l)
			want := ""
			if row.want > 0 {
				want = fmt.Sprintf("%s:%d", l.path(current), row.want)
			}
			if r.Broken != want {
				t.Errorf("broken at %q (%s), want %q", r.Broken, r.Problem, want)
			}
			if r.Head == before.Head {
				t.Error("the head is the same: kept elsewhere, it would not show the change")
			}
			if (fault.From(r.Err()) != nil) != (row.want > 0) {
				t.Errorf("Err is %v", r.Err())
			}
		})
	}
}

// rehash gives a line that was changed a hash that fits it.
func rehash(text string) string {
	at := strings.LastIndex(text, hashMember)
	return text[:at] + hashMember + sum([]byte(text[:at])) + `"}`
}

func TestVerifyAcrossFiles(t *testing.T) {
	fill := func(t *testing.T) *Log {
		l := newLog(t.TempDir())
		for range 25 {
			must(t, writeCall(l, "create"))
		}
		return l
	}
	t.Run("a file gone", func(t *testing.T) {
		l := fill(t)
		must(t, os.Remove(l.path("audit-000002.jsonl")))
		if r := verified(t, l); !strings.HasSuffix(r.Broken, "audit-000003.jsonl:1") {
			t.Errorf("broken at %q (%s)", r.Broken, r.Problem)
		}
	})
	t.Run("a file cut short", func(t *testing.T) {
		l := fill(t)
		info, err := os.Stat(l.path("audit-000001.jsonl"))
		must(t, err)
		must(t, os.Truncate(l.path("audit-000001.jsonl"), info.Size()-10))
		if r := verified(t, l); r.Broken == "" {
			t.Error("it holds")
		}
	})
	t.Run("the chain goes on when the newest file is gone between two runs", func(t *testing.T) {
		l := fill(t)
		names, err := l.aside()
		must(t, err)
		must(t, os.Rename(l.path(current), l.path(fmt.Sprintf("audit-%06d.jsonl", len(names)+1)))) // a kill during rotation
		must(t, writeCall(l, "create"))
		if r := verified(t, l); r.Broken != "" || r.Calls != 26 {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("names that are none of the log's are left alone", func(t *testing.T) {
		l := fill(t)
		for _, name := range []string{"audit-1.jsonl", "audit-0000001.jsonl", "audit-x.jsonl", "audit-000001.jsonl.bak"} {
			must(t, os.WriteFile(l.path(name), []byte("x"), 0o600))
		}
		if r := verified(t, l); r.Broken != "" {
			t.Errorf("got %+v", r)
		}
	})
}

func TestATornLineIsMended(t *testing.T) {
	for _, before := range []int{0, 3} {
		t.Run(fmt.Sprintf("behind %d calls", before), func(t *testing.T) {
			l := newLog(t.TempDir())
			for range before {
				must(t, writeCall(l, "create"))
			}
			file, err := os.OpenFile(l.path(current), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			must(t, err)
			torn := `{"seq":7,"prev":"00`
			_, err = file.WriteString(torn)
			must(t, err)
			must(t, file.Close())
			if r := verified(t, l); r.Broken != "" || r.Torn != len(torn) || r.Lines != 2*before {
				t.Fatalf("a torn line is no broken one: %+v", r)
			}
			if records, err := l.List(0, every); err != nil || len(records) != before {
				t.Fatalf("listed %d, %v", len(records), err)
			}
			must(t, writeCall(l, "after"))
			if r := verified(t, l); r.Broken != "" || r.Torn != 0 || r.Calls != before+1 {
				t.Fatalf("after the next call: %+v", r)
			}
			if lines := logLines(t, l); !strings.Contains(lines[2*before], fmt.Sprintf(`"torn":%d`, len(torn))) {
				t.Errorf("the next line does not tell of it: %s", lines[2*before])
			}
		})
	}
}

func every(*Record) bool { return true }

func TestADamagedEndStopsTheNextCall(t *testing.T) {
	for name, end := range map[string]string{"no JSON": "hello\n", "another hash": `{"seq":1,"hash":"00"}` + "\n", "endless": strings.Repeat("x", 3*maxLine)} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t.TempDir())
			must(t, os.WriteFile(l.path(current), []byte(end), 0o600))
			_, err := l.Begin(sample("create"))
			e := fault.From(err)
			if e == nil || e.Kind != fault.Internal || e.Code != "audit_failed" || e.Hint == "" || !strings.Contains(e.Message, l.path(current)) {
				t.Errorf("got %+v", e)
			}
			if text, err := os.ReadFile(l.path(current)); err != nil || string(text) != end {
				t.Errorf("the log was changed (%v)", err)
			}
		})
	}
}

func TestList(t *testing.T) {
	l := newLog(t.TempDir())
	for i := range 28 {
		must(t, writeCall(l, fmt.Sprint("n", i%7)))
	}
	open, err := l.Begin(sample("open"))
	must(t, err)
	all, err := l.List(0, every)
	if err != nil || len(all) != 29 || all[0].ID != 1 || all[28].ID != open.seq || all[28].Outcome != nil || all[28].Ended != nil {
		t.Fatalf("got %d records, %v", len(all), err)
	}
	if got := all[3]; got.Outcome == nil || got.Outcome.Status != 201 || got.Ended == nil || got.Command[1] != "n3" || got.Rule != 2 {
		t.Errorf("got %+v", got)
	}
	must(t, open.End(Outcome{Kind: "unavailable", Code: "timeout", Sent: "unknown"}))
	some, err := l.List(3, func(r *Record) bool { return r.Command[1] == "n1" || r.Command[1] == "open" })
	if err != nil || len(some) != 3 || some[2].Outcome == nil || some[2].Outcome.Sent != "unknown" || some[1].Command[1] != "n1" {
		t.Errorf("got %+v, %v", some, err)
	}
}

func TestALongLogIsListedInBoundedMemory(t *testing.T) {
	l := &Log{Dir: t.TempDir(), Now: newLog("").Now}
	var text []byte
	hash := noHash
	for i := range 3000 { // as writing would make it, without waiting for the disk
		call := sample(fmt.Sprint("n", i))
		line := &line{Seq: i + 1, Prev: hash, Event: eventCall, Call: &call}
		encoded, err := line.encode()
		must(t, err)
		text, hash = append(append(text, encoded...), '\n'), sum(encoded)
	}
	must(t, os.WriteFile(l.path(current), text, 0o600))
	got, err := l.List(5, every)
	if err != nil || len(got) != 5 || got[0].ID != 2996 || got[4].ID != 3000 {
		t.Errorf("got %+v, %v", got, err)
	}
	if r := verified(t, l); r.Open != 3000 || r.Broken != "" {
		t.Errorf("got %+v", r)
	}
}

func TestNoLogYet(t *testing.T) {
	l := newLog(filepath.Join(t.TempDir(), "none"))
	if records, err := l.List(0, every); err != nil || len(records) != 0 {
		t.Errorf("got %v, %v", records, err)
	}
	if r := verified(t, l); r.Lines != 0 || r.Broken != "" || r.Head != noHash {
		t.Errorf("got %+v", r)
	}
	if _, err := os.Stat(l.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("looking made a directory")
	}
}

func TestWhatASiteSendsIsBounded(t *testing.T) {
	l := newLog(t.TempDir())
	long := strings.Repeat("\x1b", 1<<20) // six bytes each in JSON
	call := sample("create")
	call.Site, call.Method, call.Risk, call.Consent, call.Currency = long, long, "\xff"+long, long+"\xff", long
	call.Command, call.Endpoint, call.Effect, call.Amount = []string{long[:100], long}, long, long, long
	for range 5000 {
		call.Args = append(call.Args, Arg{Name: long, Type: "string", Length: 1 << 20})
	}
	entry, err := l.Begin(call)
	must(t, err)
	must(t, entry.End(Outcome{Status: 200, Code: long, Kind: "rejected", Sent: "yes"}))
	if r := verified(t, l); r.Broken != "" {
		t.Errorf("got %+v", r)
	}
	for _, line := range logLines(t, l) {
		if len(line) > maxLine {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if records, err := l.List(0, every); err != nil || records[0].MoreArgs != 5002-maxArgs {
		t.Errorf("got %+v, %v", records, err)
	}
}

func TestProcessesNeverInterleave(t *testing.T) {
	l := newLog(t.TempDir())
	self, err := os.Executable()
	must(t, err)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), childDir+"="+l.Dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // a reader that takes no lock sees a chain that holds at any moment, rotations included
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				if r, err := l.Verify(); err != nil || r.Broken != "" {
					t.Errorf("while others write: %+v, %v", r, err)
					return
				}
			}
		}
	}()
	wg.Wait()
	close(stop)
	<-stopped
	if r := verified(t, l); r.Broken != "" || r.Calls != 60 || r.Open != 0 || r.Torn != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestAKillLeavesALogThatGoesOn(t *testing.T) {
	l := newLog(t.TempDir())
	self, err := os.Executable()
	must(t, err)
	for i := range 6 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childDir+"="+l.Dir)
		must(t, cmd.Start())
		time.Sleep(time.Duration(5+4*i) * time.Millisecond)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		if r := verified(t, l); r.Broken != "" {
			t.Fatalf("after a kill: %+v", r)
		}
	}
	before := verified(t, l)
	must(t, writeCall(l, "after"))
	if r := verified(t, l); r.Broken != "" || r.Torn != 0 || r.Lines != before.Lines+2 {
		t.Errorf("%+v, then %+v", before, r)
	}
}

func TestAReadOnlyLogStopsTheCall(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "audit"), nil, 0o400)) // a file where the directory should be: even root fails
	_, err := newLog(filepath.Join(dir, "audit")).Begin(sample("create"))
	if e := fault.From(err); e == nil || e.Kind != fault.Internal || e.Code != "audit_failed" {
		t.Errorf("got %v", err)
	}
}

// FuzzParse changes lines: whatever differs from what was written is refused.
func FuzzParse(f *testing.F) {
	call := sample("create")
	first, err := (&line{Seq: 1, Prev: noHash, Event: eventCall, Call: &call}).encode()
	must(f, err)
	done, err := (&line{Seq: 2, Prev: sum(first), Event: eventDone, Done: 1, Outcome: &Outcome{Sent: "yes"}}).encode()
	must(f, err)
	f.Add(first)
	f.Add(done)
	f.Add([]byte(rehash(`{"seq":1,"event":"done","sent":"no","call":1,"hash":"0"}`)))
	f.Add([]byte(`{"hash":"` + sum([]byte("{")) + `"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		parsed, err := parse(text)
		if err != nil {
			return
		}
		if parsed.Event == eventCall && parsed.Call == nil || parsed.Event == eventDone && parsed.Outcome == nil {
			t.Fatalf("half a line: %s", text)
		}
		if changed := append(bytes.Clone(text[:len(text)-3]), text[len(text)-3]^1, '"', '}'); !bytes.Equal(changed, text) {
			if _, err := parse(changed); err == nil {
				t.Fatalf("a changed line is taken: %s", changed)
			}
		}
	})
}

func BenchmarkCall(b *testing.B) {
	l := newLog(b.TempDir())
	l.MaxBytes = DefaultMaxBytes
	for b.Loop() {
		must(b, writeCall(l, "create"))
	}
}
