package flow

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// failedRun makes a run whose last step was refused, and returns its name.
func failedRun(t testing.TB, r *Runner, s *site) string {
	t.Helper()
	s.errors["checkout"] = refused(409, "sold_out")
	defer delete(s.errors, "checkout")
	_, err := r.Run(context.Background(), planOf(t, buyProduct, shop()), valuesOf(paper))
	id, _ := fault.From(err).Details["run"].(string)
	if !validID(id) {
		t.Fatalf("%v: the run %q", err, id)
	}
	return id
}

func TestARunIsKeptWhole(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	id := failedRun(t, r, s)
	run, err := r.Store.Load(id)
	if err != nil {
		t.Fatal(err)
	}
	if run.Origin != "https://shop.example" || run.Format != "agent-actions" || run.Flow != "buy_product" || string(run.Inputs) != paper {
		t.Errorf("got %+v", run)
	}
	if got := string(run.Steps[1].Output); got != `{"cart_id":"c<1>"}` || run.Steps[2].State != Failed || run.Steps[2].Code != "sold_out" || run.Next() != 2 {
		t.Errorf("got %+v", run.Steps)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{r.Store.Dir: 0o700, r.Store.path(id): 0o600, r.Store.lockPath(id): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestNamesThatAreNoRun(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	for _, id := range []string{"", "abc", "../../etc/x", "/etc/passwd", "aaaaaaaaaa", "AAAAAAAAAA", "aaaaaaaaa.", "aaaaaaaa/a", "aaaaaaaaaaa", "aaaaaaaaa\x00", "aaaaaaaaa1"} {
		_, err := r.Store.Load(id)
		wantFault(t, err, fault.Usage, "unknown_run")
		_, err = r.Resume(t.Context(), planOf(t, buyProduct, shop()), id, true)
		wantFault(t, err, fault.Usage, "unknown_run")
	}
	if _, err := os.Stat(r.Store.Dir); err == nil {
		t.Error("asking for a run made the directory")
	}
}

func TestADamagedRunIsNamed(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	id := failedRun(t, r, s)
	path := r.Store.path(id)
	whole, _ := os.ReadFile(path)
	for name, text := range map[string]string{
		"empty":               "",
		"cut short":           string(whole[:len(whole)/2]),
		"another value":       "[]",
		"null":                "null",
		"something behind":    string(whole) + "{}",
		"an unknown member":   strings.Replace(string(whole), `"version"`, `"x":1,"version"`, 1),
		"a member twice":      strings.Replace(string(whole), `"version"`, `"run":"`+id+`","version"`, 1),
		"another version":     strings.Replace(string(whole), `"version":1`, `"version":2`, 1),
		"another run":         strings.Replace(string(whole), id, "aaaaaaaaaa", 1),
		"an unknown state":    strings.Replace(string(whole), `"failed"`, `"fine"`, 1),
		"a gap":               strings.Replace(string(whole), `"state":"done"`, `"state":"pending"`, 1),
		"an output too early": strings.Replace(string(whole), `"failed"`, `"failed","output":1`, 1),
		"inputs of no shape":  strings.Replace(string(whole), paper, "7", 1),
		"no steps":            string(whole[:strings.Index(string(whole), `"steps":[`)+9]) + "]}",
	} {
		if text == string(whole) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := r.Resume(t.Context(), planOf(t, buyProduct, shop()), id, true)
		if e := fault.From(err); e == nil || e.Code != "state_damaged" || e.Kind != fault.Internal || !strings.Contains(e.Message, path) {
			t.Errorf("%s: got %v", name, err)
		}
		if runs, err := r.Store.List(); len(runs) != 0 || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: listed %v, %v", name, runs, err)
		}
	}
	if len(s.inputs) != 3 {
		t.Errorf("sent %v", s.inputs)
	}
}

func TestOneRunIsResumedByOneProcess(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	id := failedRun(t, r, s)
	p := planOf(t, buyProduct, shop())
	busy := s.runner(t.TempDir())
	busy.Store = r.Store
	r.Do = func(ctx context.Context, call StepCall) ([]byte, error) {
		_, err := busy.Resume(ctx, p, id, true)
		wantFault(t, err, fault.Unavailable, "run_busy")
		return s.do(ctx, call)
	}
	if _, err := r.Resume(t.Context(), p, id, false); err != nil || len(s.inputs) != 4 {
		t.Errorf("%v, sent %v", err, s.inputs)
	}
}

// Of many that resume a run at once, the shop sees one purchase.
func TestManyResumeAtOnce(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	r.Started, r.Finished = nil, nil
	id := failedRun(t, r, s)
	p := planOf(t, buyProduct, shop())
	purchases := make(chan string, 20)
	r.Do = func(_ context.Context, call StepCall) ([]byte, error) {
		purchases <- call.Name
		return []byte(`{}`), call.Sending()
	}
	done := make(chan error, 20)
	for range 20 {
		go func() {
			_, err := r.Resume(context.Background(), p, id, true)
			done <- err
		}()
	}
	won := 0
	for range 20 {
		if err := <-done; err == nil {
			won++
		} else if code := fault.From(err).Code; code != "run_busy" && code != "unknown_run" {
			t.Error(err)
		}
	}
	if won != 1 || len(purchases) != 1 {
		t.Errorf("%d succeeded, %d purchases", won, len(purchases))
	}
}

func TestOldRunsAreSwept(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	r.Store.Now = time.Now // the file system's times are real
	old, young := failedRun(t, r, s), failedRun(t, r, s)
	for id, age := range map[string]time.Duration{old: RunLife + time.Hour, young: RunLife - time.Hour} {
		if err := os.Chtimes(r.Store.path(id), time.Now(), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(r.Store.Dir, "."+old+".json.1.tmp") // by a killed process
	orphan := r.Store.lockPath("aaaaaaaaaa")
	for _, path := range []string{left, orphan} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = os.Chtimes(path, time.Now(), time.Now().Add(-RunLife-time.Hour))
	}
	third := failedRun(t, r, s)
	runs, err := r.Store.List()
	if err != nil || len(runs) != 2 {
		t.Fatalf("%v, %v", runs, err)
	}
	for _, run := range runs {
		if run.ID != young && run.ID != third {
			t.Errorf("%s is still there", run.ID)
		}
	}
	for _, path := range []string{r.Store.lockPath(old), left, orphan} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s stays", path)
		}
	}
}

func TestListOfNothing(t *testing.T) {
	runs, err := (&Store{Dir: filepath.Join(t.TempDir(), "none"), Now: noon}).List()
	if err != nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
}

// What cannot be kept is not sent; what was sent is told.
func TestARunThatCannotBeKept(t *testing.T) {
	s := newSite()
	r := s.runner(t.TempDir())
	block := func() { // a directory in place of the file cannot be replaced
		name := files(t, r)[0]
		path := filepath.Join(r.Store.Dir, name)
		_ = os.Remove(path)
		if err := os.MkdirAll(filepath.Join(path, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.Do = func(ctx context.Context, call StepCall) ([]byte, error) {
		if call.Name == "add_to_cart" {
			block()
		}
		return s.do(ctx, call)
	}
	_, err := r.Run(t.Context(), planOf(t, buyProduct, shop()), valuesOf(paper))
	e := wantFault(t, err, fault.Internal, "run_not_kept")
	if len(s.inputs) != 1 || e.Details["sent"] != fault.SentNo || e.Details["run"] != nil || e.Details["step"] != 1 {
		t.Errorf("sent %v, %+v", s.inputs, e)
	}

	s = newSite()
	r = s.runner(t.TempDir())
	r.Do = func(ctx context.Context, call StepCall) ([]byte, error) {
		body, err := s.do(ctx, call)
		if call.Name == "add_to_cart" {
			block()
		}
		return body, err
	}
	_, err = r.Run(t.Context(), planOf(t, buyProduct, shop()), valuesOf(paper))
	e = wantFault(t, err, fault.Internal, "run_not_kept")
	if len(s.inputs) != 2 || e.Sent != fault.SentYes || e.Details["run"] != nil || !strings.Contains(outputsOf(t, e), "cart_id") {
		t.Errorf("sent %v, %+v", s.inputs, e)
	}
}
