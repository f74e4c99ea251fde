package receipt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
)

func newStore(t testing.TB) *Store {
	t.Helper()
	return &Store{Dir: filepath.Join(t.TempDir(), "state", "receipts")}
}

func record(at time.Time) *Record {
	return &Record{
		At: at, Site: "https://shop.example", Command: []string{"rent"}, Method: "POST", URL: "https://shop.example/rent", Protocol: "mpp",
		Network: "example", Scheme: "charge", Asset: "usd", Amount: "250", Payer: "test", By: "rule", State: Sending,
	}
}

func TestRecordsAreKept(t *testing.T) {
	s := newStore(t)
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("without a directory: %v, %v", list, err)
	}
	noon := time.Date(2027, 3, 15, 12, 0, 0, 0, time.UTC)
	first, second := record(noon), record(noon.Add(time.Second))
	for _, r := range []*Record{first, second} {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if !ValidID(first.ID) || first.ID == second.ID {
		t.Errorf("%q, %q", first.ID, second.ID)
	}
	first.State, first.Status, first.Receipt = Paid, 200, `{"reference":"<r>"}`
	if err := s.Update(first); err != nil {
		t.Fatal(err)
	}
	list, err := s.List()
	if diff := cmp.Diff([]*Record{second, first}, list); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if got, err := s.Get(first.ID); err != nil || got.State != Paid {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRecordsAreTheirOwnersAlone(t *testing.T) {
	s := newStore(t)
	r := record(time.Now())
	if err := s.Add(r); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{s.Dir: 0o700, filepath.Join(s.Dir, r.ID+".json"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, want %v", path, info.Mode().Perm(), want)
		}
	}
}

func TestIDsThatAreNone(t *testing.T) {
	s := newStore(t)
	for _, id := range []string{"", "pay_", "pay_../../x", "pay_aaaaaaaaaaaaaaaaa", "pay_AAAAAAAAAAAAAAAA", "pay_aaaaaaaaaaaaaaa1", "pay_aaaaaaaaaaaaaaaa"} {
		if _, err := s.Get(id); err == nil || fault.From(err).Code != "unknown_receipt" {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestDamagedRecords(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "{", "another payment's": `{"id":"pay_bbbbbbbbbbbbbbbb"}`, "an unknown member": `{"id":"pay_aaaaaaaaaaaaaaaa","x":1}`,
		"a member twice": `{"id":"pay_aaaaaaaaaaaaaaaa","id":"pay_aaaaaaaaaaaaaaaa"}`, "far too large": `{"id":"` + strings.Repeat(" ", maxRecordBytes) + `"}`,
	} {
		s := newStore(t)
		path := filepath.Join(s.Dir, "pay_aaaaaaaaaaaaaaaa.json")
		if err := os.MkdirAll(s.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.List(); err == nil {
			t.Errorf("%s is listed", name)
		}
		if _, err := s.Get("pay_aaaaaaaaaaaaaaaa"); err == nil || fault.From(err).Code == "unknown_receipt" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOtherFilesAreNoRecords(t *testing.T) {
	s := newStore(t)
	if err := s.Add(record(time.Now())); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes.txt", "pay_x.json", ".pay_aaaaaaaaaaaaaaaa.json", "pay_aaaaaaaaaaaaaaaa.json.tmp"} {
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte("?"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := s.List(); err != nil || len(list) != 1 {
		t.Errorf("%d, %v", len(list), err)
	}
}

// What is read can be kept again, and is the same.
func FuzzRead(f *testing.F) {
	f.Add(`{"id":"pay_aaaaaaaaaaaaaaaa","at":"2027-03-15T12:00:00Z","site":"https://shop.example","command":["rent"],"amount":"250","state":"paid"}`)
	f.Add(`{"id":"pay_bbbbbbbbbbbbbbbb"}`)
	s := newStore(f)
	path := s.path("pay_aaaaaaaaaaaaaaaa")
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := s.Get("pay_aaaaaaaaaaaaaaaa")
		if err != nil {
			return
		}
		if err := s.Update(r); err != nil {
			return // a year beyond 9999
		}
		again, err := s.Get(r.ID)
		if diff := cmp.Diff(r, again); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	})
}
