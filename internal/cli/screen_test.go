package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/streams"
)

// puppet is a screen that the test plays, before the real agentctl and its demo site.
type puppet struct {
	*testing.T
	session *screenSession
	to      *explore.Writer
	from    *explore.Reader[explore.Reply]
	serial  int
	leave   func() // ends the screen, and waits until agentctl is done
}

func newPuppet(t *testing.T, hello explore.Hello, environ map[string]string) *puppet {
	t.Helper()
	dir := t.TempDir()
	env := Env{
		Streams:  &streams.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Width: 80},
		Getenv:   func(name string) string { return environ[name] },
		Environ:  func() []string { return nil },
		ReadFile: func(_ context.Context, name string) ([]byte, error) { return os.ReadFile(name) },
		Disk:     input.OSDisk{}, ConfigDir: filepath.Join(dir, "c"), CacheDir: filepath.Join(dir, "k"), StateDir: filepath.Join(dir, "s"),
		Now: time.Now, Sleep: func(context.Context, time.Duration) error { return nil }, Version: "test",
	}
	requests, toAgentctl := io.Pipe()
	toScreen, replies := io.Pipe()
	s := &screenSession{run: &run{Env: env}, named: hello.Site, out: explore.NewWriter(replies)}
	p := &puppet{T: t, session: s, to: explore.NewWriter(toAgentctl), from: explore.NewReader[explore.Reply](toScreen)}
	ended := make(chan error, 1)
	go func() { ended <- s.serve(t.Context(), hello, requests) }()
	if first, err := p.from.Read(); err != nil || first.Hello == nil || first.Hello.Site != hello.Site {
		t.Fatalf("%+v, %v", first, err)
	}
	p.leave = sync.OnceFunc(func() {
		_ = toAgentctl.Close()
		_ = toScreen.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(p.leave)
	return p
}

func (p *puppet) send(q explore.Request) int {
	p.Helper()
	p.serial++
	if q.ID == 0 {
		q.ID = p.serial
	}
	if err := p.to.Write(q); err != nil {
		p.Fatal(err)
	}
	return q.ID
}

func (p *puppet) read() explore.Reply {
	p.Helper()
	r, err := p.from.Read()
	if err != nil {
		p.Fatal(err)
	}
	return r
}

func (p *puppet) ask(q explore.Request) explore.Reply {
	p.Helper()
	p.send(q)
	return p.read()
}

func values(pairs ...string) (g explore.Given) {
	for i := 0; i < len(pairs); i += 2 {
		g.Values = append(g.Values, explore.Value{Name: pairs[i], Text: pairs[i+1]})
	}
	return g
}

func on(op explore.Op, command string, given explore.Given) explore.Request {
	return explore.Request{Op: op, Site: "demo", Command: strings.Fields(command), Given: given}
}

func TestAScreenIsTold(t *testing.T) {
	p := newPuppet(t, explore.Hello{}, nil)
	if r := p.ask(explore.Request{Op: explore.Sites}); len(r.Sites) == 0 || r.Sites[0].Name != "demo" {
		t.Errorf("sites: %+v", r)
	}
	r := p.ask(explore.Request{Op: explore.Open, Site: "demo"})
	if r.Listing == nil || !slices.ContainsFunc(r.Listing.Items, func(i explore.Item) bool { return strings.Join(i.Command, " ") == "orders refunds create" && i.Usable }) {
		t.Errorf("listing: %+v", r)
	}
	r = p.ask(on(explore.Action, "orders create", explore.Given{}))
	if r.Action == nil || r.Action.Fields[0].Name != "qty" || !r.Action.Fields[0].Required || !slices.ContainsFunc(r.Action.Fields, func(f explore.Field) bool { return slices.Equal(f.Path, []string{"city"}) }) {
		t.Errorf("action: %+v", r)
	}
	r = p.ask(on(explore.Check, "orders create", values("qty", "200")))
	if len(r.Problems) != 1 || r.Problems[0].Message != "must be at most 100" {
		t.Errorf("check: %+v", r)
	}
	r = p.ask(on(explore.Preview, "orders create", values("qty", "2", "note", "it's")))
	if r.Preview == nil || r.Preview.Line != `agentctl demo orders create 2 --note 'it'\''s'` || !strings.HasPrefix(r.Preview.Request, "POST http://localhost:") {
		t.Errorf("preview: %+v, %+v", r, r.Preview)
	}
	r = p.ask(on(explore.Preview, "orders create", values("qty", "0")))
	if r.Failure == nil || r.Failure.Code != "invalid_arguments" || len(r.Failure.Problems) != 1 {
		t.Errorf("preview of what is not valid: %+v", r)
	}
	if r = p.ask(on("dance", "", explore.Given{})); r.Failure == nil || r.Failure.Code != "unknown_request" {
		t.Errorf("%+v", r)
	}
}

func TestACallOfTheScreenIsAnsweredAndSaved(t *testing.T) {
	p := newPuppet(t, explore.Hello{}, nil)
	q := on(explore.Call, "menu list", explore.Given{})
	q.Raw = true
	r := p.ask(q)
	if r.Result == nil || !strings.Contains(string(r.Result.Body), `"caramel"`) || r.Result.Table == "" {
		t.Fatalf("%+v", r)
	}
	file := filepath.Join(t.TempDir(), "menu.json")
	saved := p.ask(explore.Request{Op: explore.Save, Earlier: r.ID, Text: file})
	content, err := os.ReadFile(file)
	if err != nil || saved.Saved != file || string(content) != string(r.Result.Body) {
		t.Errorf("%+v, %v, %q", saved, err, content)
	}
	if r := p.ask(explore.Request{Op: explore.Save, Earlier: 99, Text: file}); r.Failure == nil || r.Failure.Code != "forgotten" {
		t.Errorf("%+v", r)
	}
	r = p.ask(on(explore.Call, "teapot", explore.Given{}))
	if r.Failure == nil || r.Failure.Kind != fault.Rejected {
		t.Errorf("an error of the site: %+v", r)
	}
}

func TestTheScreenGetsTheQuestionOfTheCommandLine(t *testing.T) {
	for answer, code := range map[string]string{"n": "declined", "": "declined", "y": ""} {
		p := newPuppet(t, explore.Hello{}, nil)
		id := p.send(on(explore.Call, "orders delete", values("id", "ord_8fJ2")))
		r := p.read()
		if r.ID != id || r.Done || !strings.HasPrefix(r.Question, "This deletes") || !strings.Contains(r.Question, `| id: "ord_8fJ2"`) || !strings.HasSuffix(r.Question, "[y/N] ") {
			t.Fatalf("%+v", r)
		}
		p.send(explore.Request{ID: id, Op: explore.Answer, Text: answer})
		r = p.read()
		got := ""
		if r.Failure != nil && r.Failure.Kind == fault.Approval {
			got = r.Failure.Code
		}
		if !r.Done || got != code {
			t.Errorf("%q: %+v", answer, r)
		}
	}
}

func TestLineByLineWhatWasTypedBeforeAQuestionIsDropped(t *testing.T) {
	for _, plain := range []bool{true, false} {
		p := newPuppet(t, explore.Hello{}, nil)
		dropped := false
		p.session.plain = plain
		p.session.DropTypeAhead = func() error { dropped = true; return nil }
		id := p.send(on(explore.Call, "orders delete", values("id", "ord_8fJ2")))
		if r := p.read(); r.Question == "" || dropped != plain {
			t.Errorf("dropped: %t, %+v", dropped, r)
		}
		p.send(explore.Request{ID: id, Op: explore.Answer})
		p.read()
	}
}

func TestAQuestionCanBeGivenUp(t *testing.T) {
	p := newPuppet(t, explore.Hello{}, nil)
	id := p.send(on(explore.Call, "orders delete", values("id", "ord_8fJ2")))
	p.read()
	p.send(explore.Request{ID: id, Op: explore.Cancel})
	if r := p.read(); r.Failure == nil || r.Failure.Kind != fault.Interrupted || r.Failure.Sent == fault.SentYes {
		t.Errorf("%+v", r)
	}
	if r := p.ask(explore.Request{ID: id + 10, Op: explore.Sites}); len(r.Sites) == 0 {
		t.Errorf("it does not go on: %+v", r)
	}
}

// Whoever leaves while a call is on its way is told that it may have had its effect; a question that is open sent nothing.
func TestLeavingTellsWhatBecameOfACall(t *testing.T) {
	arrived := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch action := `{"command":["put"],"method":"POST","endpoint":"/put"}`; r.URL.Path {
		case "/.well-known/interagentic/services.json":
			_, _ = io.WriteString(w, `{"name":"x","actions":[`+action+`]}`)
		case "/.well-known/interagentic/services/put.json":
			_, _ = io.WriteString(w, action)
		case "/put":
			_, _ = io.Copy(io.Discard, r.Body)
			close(arrived)
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	p := newPuppet(t, explore.Hello{}, nil)
	p.send(explore.Request{Op: explore.Call, Site: server.URL, Command: []string{"put"}})
	<-arrived
	p.leave()
	if e := fault.From(interrupted(p.session.leftBy(nil))); e.Sent != fault.SentUnknown {
		t.Errorf("%+v", e)
	}
	p = newPuppet(t, explore.Hello{}, nil)
	p.send(on(explore.Call, "orders delete", values("id", "ord_8fJ2")))
	p.read()
	p.leave()
	if e := fault.From(interrupted(p.session.leftBy(nil))); e.Sent == fault.SentUnknown || e.Sent == fault.SentYes {
		t.Errorf("%+v", e)
	}
}

// What is given up before its turn has come is never begun.
func TestAQueuedCallCanBeGivenUp(t *testing.T) {
	p := newPuppet(t, explore.Hello{}, nil)
	asking := p.send(on(explore.Call, "orders delete", values("id", "ord_8fJ2")))
	p.read()
	queued := p.send(on(explore.Call, "orders create", values("qty", "2")))
	p.send(explore.Request{ID: queued, Op: explore.Cancel})
	p.send(explore.Request{ID: asking, Op: explore.Answer})
	p.read()
	if r := p.read(); r.ID != queued || r.Failure == nil || r.Failure.Kind != fault.Interrupted {
		t.Errorf("%+v", r)
	}
}

// What is sent is what was shown: a file that is another one by then stops the call.
func TestACallSendsTheRequestThatWasShown(t *testing.T) {
	p := newPuppet(t, explore.Hello{}, nil)
	file := filepath.Join(t.TempDir(), "address.json")
	write := func(content string) {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"city":"Paris","zip":"75001"}`)
	given := values("qty", "2", "address", "@"+file)
	r := p.ask(on(explore.Preview, "orders create", given))
	if r.Preview == nil || r.Preview.Digest == "" {
		t.Fatalf("%+v", r.Failure)
	}
	q := on(explore.Call, "orders create", given)
	q.Digest = r.Preview.Digest
	write(`{"city":"Rome","zip":"00118"}`)
	if r := p.ask(q); r.Failure == nil || r.Failure.Code != "request_changed" {
		t.Errorf("%+v", r)
	}
	write(`{"city":"Paris","zip":"75001"}`)
	if r := p.ask(q); r.Failure != nil {
		t.Errorf("%+v", r.Failure)
	}
}

// A preview is of what the site says now, as the call is, whatever the form was made from.
func TestAPreviewIsNotOfAStaleCopy(t *testing.T) {
	var version atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Content-Type", "application/json")
		switch action := `{"command":["ping"],"method":"POST","endpoint":"/v` + fmt.Sprint(version.Load()) + `"}`; r.URL.Path {
		case "/.well-known/interagentic/services.json":
			_, _ = io.WriteString(w, `{"name":"x","actions":[`+action+`]}`)
		case "/.well-known/interagentic/services/ping.json":
			_, _ = io.WriteString(w, action)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	p := newPuppet(t, explore.Hello{}, nil)
	q := explore.Request{Op: explore.Preview, Site: server.URL, Command: []string{"ping"}}
	for i := range 2 {
		version.Store(int32(i))
		if r := p.ask(q); r.Preview == nil || !strings.HasPrefix(r.Preview.Request, fmt.Sprintf("POST %s/v%d", server.URL, i)) {
			t.Errorf("%+v, %+v", r.Failure, r.Preview)
		}
	}
}

// A token in the environment is for the site of the command line: whoever walks to another site does not take it along.
func TestTheTokenStaysWithTheSiteOfTheLine(t *testing.T) {
	for named, want := range map[string]string{"demo": "hush", "": "", "other.example": ""} {
		p := newPuppet(t, explore.Hello{Site: named}, map[string]string{"AGENTCTL_TOKEN": "hush", "TERM": "xterm"})
		sub, _, err := p.session.newRun("demo", 80)
		if err != nil || sub.Getenv("AGENTCTL_TOKEN") != want || sub.Getenv("TERM") != "xterm" {
			t.Errorf("%q: %q, %v", named, sub.Getenv("AGENTCTL_TOKEN"), err)
		}
	}
}

func TestFlagsOfTheLineCountOnTheScreen(t *testing.T) {
	p := newPuppet(t, explore.Hello{}, nil)
	p.session.flags = []string{"--profile=work", "--timeout=3s", "--resolve=a.example:443:127.0.0.1:1"}
	sub, _, err := p.session.newRun("demo", 80, "--offline=true")
	if err != nil || sub.Profile != "work" || sub.Timeout != 3*time.Second || len(sub.Resolve) != 1 || !sub.Offline {
		t.Errorf("%+v, %v", sub.globals, err)
	}
	if got := p.session.shownFlags(true); strings.Join(got, " ") != "--profile=work --timeout=3s --resolve=a.example:443:127.0.0.1:1 --json" {
		t.Errorf("%q", got)
	}
}

// What is too much for the screen does not end it.
func TestWhatIsTooMuchForTheScreen(t *testing.T) {
	p := newPuppet(t, explore.Hello{}, nil)
	file := filepath.Join(t.TempDir(), "large.json")
	if err := os.WriteFile(file, []byte(`{"a":"`+strings.Repeat(`\"`, 9<<20)+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	site := serveAction(t, `{"command":["put"],"method":"POST","endpoint":"/put","params":[{"name":"o","type":{"type":"object"}}]}`)
	r := p.ask(explore.Request{Op: explore.Preview, Site: site, Command: []string{"put"}, Given: values("o", "@"+file)})
	if r.Preview == nil || r.Preview.Line != "" || !strings.HasSuffix(r.Preview.Request, "(cut)") {
		t.Errorf("%+v", r.Failure)
	}
	if r := p.ask(explore.Request{Op: explore.Sites}); len(r.Sites) == 0 {
		t.Errorf("it does not go on: %+v", r)
	}
}

func TestOldAnswersAreForgotten(t *testing.T) {
	var as answers
	for id := range 4 {
		as.add(answer{id: id, body: make([]byte, maxKeptBytes/2)})
	}
	if _, ok := as.get(1); ok || len(as.list) != 2 {
		t.Errorf("%d answers are kept", len(as.list))
	}
	as.failed(fault.New(fault.Rejected, "x", "y"))
	if _, ok := as.last(); ok {
		t.Error("a failed call has an answer")
	}
}
