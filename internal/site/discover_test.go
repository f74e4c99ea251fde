package site

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/agentactions"
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
)

const (
	someIndex   = `{"name":"One","actions":[{"command":["orders"],"method":"GET","endpoint":"/orders"}]}`
	someActions = `{"version":"agent-actions/0.1","site":"127.0.0.1","actions":[{"name":"add_to_cart","method":"POST","path":"/cart","effect":"write","input":{}}]}`
)

// publisher is a site that counts what it is asked.
type publisher struct {
	mu    sync.Mutex
	pages map[string]http.HandlerFunc
	asked []string
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.URL.Path)
	page := p.pages[r.URL.Path]
	p.mu.Unlock()
	if page == nil {
		http.NotFound(w, r)
		return
	}
	page(w, r)
}

func (p *publisher) set(path string, page http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[path] = page
}

// takeAsked returns what was asked for since, in alphabetical order, each once: net/http may repeat a GET itself.
func (p *publisher) takeAsked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	slices.Sort(asked)
	return slices.Compact(asked)
}

func document(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// world is a site, what is kept of it, and the clock.
type world struct {
	*testing.T
	site   *publisher
	origin Origin
	finder *Finder
	cache  string
	now    time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, site: &publisher{pages: map[string]http.HandlerFunc{}}, cache: t.TempDir(), now: time.Now()}
	server := httptest.NewServer(w.site)
	t.Cleanup(server.Close)
	w.origin = Origin(server.URL)
	w.finder = &Finder{Dir: t.TempDir(), Now: func() time.Time { return w.now }}
	w.connect()
	return w
}

// connect makes the client anew, as every run does.
func (w *world) connect() {
	w.finder.Client = fetch.New(fetch.Settings{
		Cache: fetch.OpenCache(w.cache), Now: w.finder.Now, Refresh: w.finder.Refresh, Offline: w.finder.Offline,
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
}

// open opens the site and holds its usable formats against those wanted, and what it was asked.
func (w *world) open(formats string, asked ...string) *Site {
	w.Helper()
	s, err := w.finder.Open(w.Context(), w.origin, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(s.Close)
	var usable []string
	for _, source := range s.Sources() {
		if source.Usable() {
			usable = append(usable, source.Format)
		}
	}
	if got := strings.Join(usable, " "); got != formats {
		w.Fatalf("usable are %q, want %q", got, formats)
	}
	slices.Sort(asked)
	if got := w.site.takeAsked(); !slices.Equal(got, asked) {
		w.Fatalf("asked %q, want %q", got, asked)
	}
	return s
}

// everything is every place where a description may be.
func everything() (paths []string) {
	for _, d := range dialects() {
		if !d.last {
			paths = append(paths, d.places...)
		}
	}
	return paths
}

func TestFormatsAreLookedForSideBySideAndRemembered(t *testing.T) {
	w := newWorld(t)
	w.site.set(interagentic.IndexPath, document(someIndex))
	w.open("interagentic", everything()...)
	w.open("interagentic") // neither what is there nor what is not is asked for again
	w.now = w.now.Add(6 * time.Minute)
	w.open("interagentic", interagentic.IndexPath) // it is stale; that others are absent holds for an hour
	w.now = w.now.Add(61 * time.Minute)
	w.open("interagentic", everything()...)
	w.open("interagentic")
	w.finder.Refresh = true
	w.connect()
	w.open("interagentic", everything()...)
	w.finder.Refresh, w.finder.Offline = false, true
	w.connect()
	w.now = w.now.Add(1000 * time.Hour)
	w.open("interagentic")
}

func TestAFormatThatAppears(t *testing.T) {
	w := newWorld(t)
	w.site.set(interagentic.IndexPath, document(someIndex))
	s := w.open("interagentic", everything()...)
	if n, err := s.Find(t.Context(), []string{"add-to-cart"}); err != nil || n != nil {
		t.Fatalf("found %v, %v", n, err)
	}
	w.site.set(agentactions.Path, document(someActions))
	w.now = w.now.Add(61 * time.Minute)
	s = w.open("interagentic agent-actions", everything()...)
	if n, err := s.Find(t.Context(), []string{"add-to-cart"}); err != nil || n == nil || n.Action.Format != agentactions.Format {
		t.Fatalf("found %v, %v", n, err)
	}
	if s.Published() == nil {
		t.Error("the index would not learn of it")
	}
	if s = w.open("interagentic agent-actions"); s.Published() != nil {
		t.Error("what is known already is published anew")
	}
	if n, err := s.Find(t.Context(), []string{"orders"}); err != nil || n == nil {
		t.Fatalf("found %v, %v", n, err)
	}
}

// What is wrong with one format takes nothing from another one.
func TestABrokenFormatDisturbsNone(t *testing.T) {
	for name, test := range map[string]struct {
		page http.HandlerFunc
		code string // of the trouble to tell; "" for none
	}{
		"a server error":     {page: status(503), code: "site_unavailable"},
		"a forbidden one":    {page: status(403)},
		"a page for people":  {page: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<!doctype html><p>hello") }},
		"another media type": {page: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/plain") }, code: "wrong_media_type"},
		"no JSON":            {page: document("{"), code: "not_json"},
		"another version":    {page: document(`{"version":"agent-actions/7.0","actions":[]}`), code: "version_unsupported"},
		"a cut connection":   {page: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, code: "connection_reset"},
		"a redirect elsewhere": {page: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
		}, code: "redirect_refused"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.site.set(interagentic.IndexPath, document(someIndex))
			w.site.set(agentactions.Path, test.page)
			s := w.open("interagentic", everything()...)
			for range 2 {
				trouble := s.Sources()[1].Failure()
				if test.code == "" && trouble != nil || test.code != "" && (trouble == nil || trouble.Code != test.code) {
					t.Fatalf("trouble %+v, want code %q", trouble, test.code)
				}
				err := s.Select(agentactions.Format)
				if want := test.code; err == nil || want != "" && fault.From(err).Code != want || want == "" && fault.From(err).Code != "format_not_published" {
					t.Errorf("selecting it: %v", err)
				}
				s = w.open("interagentic")
			}
		})
	}
}

func TestNothingIsPublished(t *testing.T) {
	for name, test := range map[string]struct {
		index, actions http.HandlerFunc
		code           string
	}{
		"at all":                            {code: "not_published"},
		"but for a broken format":           {actions: status(503), code: "site_unavailable"},
		"but for two broken ones":           {index: document("{"), actions: status(503), code: "not_json"},
		"but for one of an unknown version": {actions: document(`{"version":"agent-actions/7.0"}`), code: "version_unsupported"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if test.index != nil {
				w.site.set(interagentic.IndexPath, test.index)
			}
			if test.actions != nil {
				w.site.set(agentactions.Path, test.actions)
			}
			_, err := w.finder.Open(t.Context(), w.origin, nil)
			if e := fault.From(err); err == nil || e.Code != test.code {
				t.Errorf("got %v, want code %s", err, test.code)
			}
		})
	}
}

// A format that takes its time does not hold up what the site publishes elsewhere, and is looked for again soon.
func TestASlowFormatIsNotWaitedFor(t *testing.T) {
	w := newWorld(t)
	w.site.set(interagentic.IndexPath, document(someIndex))
	w.site.set(agentactions.Path, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	w.finder.Patience = 300 * time.Millisecond // the others answer within that, whatever else the machine does
	s := w.open("interagentic", everything()...)
	if trouble := s.Sources()[1].Failure(); trouble == nil || trouble.Code != "too_slow" {
		t.Errorf("trouble %+v", trouble)
	}
	w.site.set(agentactions.Path, document(someActions))
	w.now = w.now.Add(61 * time.Second)
	w.open("interagentic agent-actions", agentactions.Path)
}

func TestOneRequestAtATime(t *testing.T) {
	w := newWorld(t)
	var now, most atomic.Int32
	for _, path := range append(everything(), "/", "/openapi.json", "/.well-known/openapi.json") {
		w.site.set(path, func(rw http.ResponseWriter, r *http.Request) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(5 * time.Millisecond) // long enough for another one to come
			now.Add(-1)
			http.NotFound(rw, r)
		})
	}
	w.finder.Serial = true
	if _, err := w.finder.Open(t.Context(), w.origin, nil); err == nil { // the home page and what comes last are asked for too
		t.Error("something was found")
	}
	if asked := w.site.takeAsked(); !slices.Contains(asked, "/") || !slices.Contains(asked, "/openapi.json") {
		t.Errorf("asked %q", asked)
	}
	w.site.set(interagentic.IndexPath, document(someIndex))
	w.open("interagentic", everything()...)
	if most.Load() > 1 {
		t.Errorf("%d requests at a time", most.Load())
	}
}

func TestADamagedTreeIsMadeAnew(t *testing.T) {
	w := newWorld(t)
	w.site.set(interagentic.IndexPath, document(someIndex))
	w.open("interagentic", everything()...)
	s := &Site{Origin: w.origin, finder: w.finder}
	damage(t, s.treePath())
	s = w.open("interagentic") // the header is sound
	if n, err := s.Find(t.Context(), []string{"orders"}); err != nil || n == nil {
		t.Fatalf("found %v, %v", n, err)
	}
}

// A call that is given up while it discovers ends so, whatever was found.
func TestAnInterruptedDiscovery(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.site.set(interagentic.IndexPath, document(someIndex))
	w.site.set(agentactions.Path, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	if _, err := w.finder.Open(ctx, w.origin, nil); err == nil {
		t.Fatal("the site is open")
	}
}
