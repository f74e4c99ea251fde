package fetch

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// asks asks by a new client, as another process would, and compares body, state and the number of requests.
func (l *library) asks(t *testing.T, a Ask, body string, state CacheState, requests int) *Document {
	t.Helper()
	l.mu.Lock()
	l.requests = nil
	l.mu.Unlock()
	if a.URL == "" {
		a.URL = site + "/index.json"
	}
	d, err := New(l.settings).Get(t.Context(), a)
	must(t, err)
	if string(d.Body) != body || d.State != state || len(l.requests) != requests {
		t.Fatalf("got %q, %s, %d requests; want %q, %s, %d", d.Body, d.State, len(l.requests), body, state, requests)
	}
	return d
}

// files returns what is in the cache, names and contents.
func (l *library) files(t *testing.T) (all string) {
	t.Helper()
	files, err := os.ReadDir(l.settings.Cache.Path())
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(l.settings.Cache.Path(), file.Name()))
		must(t, err)
		all += file.Name() + "\n" + string(content) + "\n"
	}
	return all
}

func accept(value string, more ...string) http.Header {
	h := http.Header{"Accept": {value}}
	for i := 0; i+1 < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}

func TestAnswersAreKeptApart(t *testing.T) {
	l := newLibrary(t)
	questions := map[string]Ask{
		"the plain one":          {},
		"another representation": {Header: accept("application/odp+json")},
		"another language":       {Header: http.Header{"Accept-Language": {"fr"}}},
		"both":                   {Header: accept("application/odp+json", "Accept-Language", "fr")},
		"somebody's":             {Credential: "Bearer one", Partition: "one"},
		"somebody else's":        {Credential: "Bearer two", Partition: "two"},
		"a search":               {Method: "POST", Body: []byte(`{"q":1}`)},
		"another search":         {Method: "POST", Body: []byte(`{"q":2}`)},
		"an empty search":        {Method: "POST"},
		"another query":          {URL: site + "/index.json?representation=full"},
	}
	for name, a := range questions {
		l.says(200, name, "Cache-Control: max-age=60", "Vary: Accept, accept-language, Authorization", "Content-Language: fr")
		l.asks(t, a, name, CacheMiss, 1)
	}
	l.says(200, "anything")
	for name, a := range questions {
		if d := l.asks(t, a, name, CacheHit, 0); d.Language != "fr" || d.Header != nil {
			t.Errorf("%s: %+v", name, d)
		}
		if a.URL == "" {
			a.URL = site + "/index.json"
		}
		if d, ok := New(l.settings).PeekFor(a); !ok || d.Sum != sum([]byte(name)) {
			t.Errorf("%s: peek %+v, %t", name, d, ok)
		}
	}
	l.asks(t, Ask{Header: accept("application/json")}, "anything", CacheMiss, 1)
	l.asks(t, Ask{Credential: "Bearer one", Partition: "three"}, "anything", CacheMiss, 1)
	if n, err := l.settings.Cache.Remove(site); err != nil || n != len(questions) {
		t.Errorf("removed %d, %v", n, err)
	}
}

func TestWhatIsSomebodysIsNobodyElses(t *testing.T) {
	const secret = "Bearer s3cr3t-canary"
	l := newLibrary(t)
	l.says(200, "mine", "Cache-Control: max-age=60")
	l.asks(t, Ask{Credential: secret}, "mine", CacheMiss, 1) // of whom?
	l.asks(t, Ask{Header: http.Header{"X-Api-Key": {secret}}}, "mine", CacheMiss, 1)
	if files := l.files(t); files != "" {
		t.Fatalf("kept: %s", files)
	}
	l.says(200, "everybody's", "Cache-Control: max-age=60")
	l.asks(t, Ask{}, "everybody's", CacheMiss, 1)
	l.says(200, "mine", "Cache-Control: max-age=60")
	l.asks(t, Ask{Credential: secret}, "mine", CacheMiss, 1)
	l.asks(t, Ask{Credential: secret, Partition: "me"}, "mine", CacheMiss, 1)
	if got := l.requests[0].Header.Get("Authorization"); got != secret {
		t.Errorf("sent %q", got)
	}
	l.asks(t, Ask{}, "everybody's", CacheHit, 0)
	if files := l.files(t); strings.Contains(files, "canary") {
		t.Error("the secret is in the cache")
	}
}

func TestAnswersThatVaryByWhatTheKeyDoesNotTell(t *testing.T) {
	header := func(name string) http.Header { return http.Header{name: {"x"}} }
	for name, test := range map[string]struct {
		vary       string
		first, new http.Header
		state      CacheState
	}{
		"everything":                {"*", nil, nil, CacheMiss},
		"a field that nobody sends": {"Origin, Cookie", nil, nil, CacheHit},
		"what is always the same":   {"Accept-Encoding, User-Agent", nil, nil, CacheHit},
		"a field that was sent":     {"x-key", header("X-Key"), header("X-Key"), CacheMiss},
		"a field that is sent now":  {"Accept, X-KEY", nil, header("X-Key"), CacheMiss},
		"another field":             {"X-Other", header("X-Key"), header("X-Key"), CacheHit},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			l.says(200, "one", "Cache-Control: max-age=60", "Vary: "+test.vary)
			l.asks(t, Ask{Header: test.first, Partition: "p"}, "one", CacheMiss, 1)
			requests := 1
			if test.state == CacheHit {
				requests = 0
			}
			l.asks(t, Ask{Header: test.new, Partition: "p"}, "one", test.state, requests)
		})
	}
}

func TestWhichAnswersAreKept(t *testing.T) {
	get, search := Ask{Lifetime: time.Minute}, Ask{Method: "POST", Body: []byte("{}"), Lifetime: time.Minute}
	for name, test := range map[string]struct {
		ask    Ask
		status int
		fields []string
		kept   bool
	}{
		"a list":                                   {get, 200, nil, true},
		"a list that says so":                      {Ask{Lifetime: -1}, 200, []string{"Cache-Control: max-age=60"}, true},
		"none whose reader wants it not":           {Ask{Lifetime: -1}, 200, []string{`ETag: "v"`}, false},
		"none that is stale at once":               {Ask{}, 200, nil, false},
		"a stale one that can be confirmed":        {Ask{}, 200, []string{`ETag: "v"`}, true},
		"a stale one that is better than none":     {Ask{StaleWillDo: true}, 200, nil, true},
		"none that says no-store":                  {get, 200, []string{"Cache-Control: no-store, max-age=60"}, false},
		"a search only when it says so":            {search, 200, []string{"Cache-Control: max-age=60"}, true},
		"no search that says nothing":              {search, 200, []string{`ETag: "v"`}, false},
		"nothing that was to be paid for":          {get, 402, []string{"Cache-Control: max-age=60"}, false},
		"nothing that was refused":                 {get, 401, []string{"Cache-Control: max-age=60"}, false},
		"nothing partial":                          {get, 206, []string{"Cache-Control: max-age=60"}, false},
		"nothing that went wrong":                  {get, 503, []string{"Cache-Control: max-age=60"}, false},
		"somebody's, who may keep what is private": {Ask{Credential: "x", Partition: "p"}, 200, []string{"Cache-Control: private, max-age=60"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			l.says(test.status, "x", test.fields...)
			if d := l.asks(t, test.ask, "x", CacheMiss, 1); d.Kept != test.kept || d.Status != test.status {
				t.Errorf("status %d, kept %t", d.Status, d.Kept)
			}
			if kept := l.files(t) != ""; kept != test.kept {
				t.Errorf("on disk: %t", kept)
			}
		})
	}
}

func TestAnAnswerIsFreshAsLongAsItsReaderSays(t *testing.T) {
	l := newLibrary(t)
	a := Ask{Lifetime: 4 * time.Hour}
	l.says(200, "one")
	l.asks(t, a, "one", CacheMiss, 1)
	l.pass(4*time.Hour - time.Second)
	l.asks(t, a, "one", CacheHit, 0)
	l.pass(time.Second)
	l.says(503, "busy")
	l.asks(t, a, "busy", CacheMiss, 1) // a stale copy is no answer to this one
	l.says(200, "search", "Cache-Control: max-age=60", `ETag: "v"`)
	search := Ask{Method: "POST", Body: []byte("{}")}
	l.asks(t, search, "search", CacheMiss, 1)
	l.pass(time.Minute)
	l.asks(t, search, "search", CacheMiss, 1)
	if got := l.requests[0].Header.Get("If-None-Match"); got != "" {
		t.Errorf("a POST with If-None-Match %s", got)
	}
}

func TestErrorsComeWithTheirHeader(t *testing.T) {
	l := newLibrary(t)
	l.says(402, `{"code":"X"}`, `WWW-Authenticate: Payment id="a"`, "PAYMENT-REQUIRED: e30", "Retry-After: 7", "Content-Type: application/problem+json")
	d := l.asks(t, Ask{}, `{"code":"X"}`, CacheMiss, 1)
	if d.Header.Get("WWW-Authenticate") != `Payment id="a"` || d.Header.Get("Payment-Required") != "e30" || d.RetryAfterSeconds() != 7 {
		t.Errorf("%+v", d)
	}
}

// A validator never crosses a URL (ODP-126).
func TestValidatorsGoWhereTheyCameFrom(t *testing.T) {
	l := newLibrary(t)
	conditions := map[string]string{}
	to, status := "/v1", http.StatusOK
	l.answer = func(rw http.ResponseWriter, r *http.Request) {
		conditions[r.URL.Path] = r.Header.Get("If-None-Match") + r.Header.Get("If-Modified-Since")
		if r.URL.Path == "/index.json" {
			http.Redirect(rw, r, to, http.StatusFound)
			return
		}
		rw.Header().Set("ETag", `"v"`)
		rw.WriteHeader(status)
		if status == http.StatusOK {
			fmt.Fprint(rw, r.URL.Path)
		}
	}
	l.asks(t, Ask{}, "/v1", CacheMiss, 2)
	status = http.StatusNotModified
	l.asks(t, Ask{}, "/v1", CacheRevalidated, 2)
	if conditions["/index.json"] != "" || conditions["/v1"] != `"v"` {
		t.Errorf("conditions %q", conditions)
	}
	to, status = "/v2", http.StatusOK
	l.asks(t, Ask{}, "/v2", CacheMiss, 2)
	if conditions["/v2"] != "" {
		t.Errorf("conditions %q", conditions)
	}
	to, status = "/v3", http.StatusNotModified // unasked: it confirms nothing
	if d := l.asks(t, Ask{}, "", CacheMiss, 4); d.Status != http.StatusNotModified || d.Kept {
		t.Errorf("%+v", d)
	}
}

func TestQuestionsAreRefusedBeforeTheyAreSent(t *testing.T) {
	client := New(newWorld(t).settings)
	for name, test := range map[string]struct {
		ask  Ask
		kind fault.Kind
		code string
	}{
		"with an effect":             {Ask{Method: "DELETE", URL: site}, fault.Internal, "invalid_request"},
		"over plain http":            {Ask{URL: "http://shop.example"}, fault.Usage, "insecure_url"},
		"with a header of ours":      {Ask{URL: site, Header: http.Header{"Cookie": {"a"}}}, fault.Internal, "reserved_header"},
		"with a credential in lines": {Ask{URL: site, Credential: "a\nb"}, fault.Usage, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Get(t.Context(), test.ask)
			wantFault(t, err, test.kind, test.code, fault.SentNo)
			if _, ok := client.PeekFor(test.ask); ok {
				t.Error("peeked")
			}
		})
	}
}

// The limit counts what a body unpacks to (ODP-1): a bomb of 8 KiB would fill 8 MiB.
func TestPackedBodiesGetNoBiggerAllowance(t *testing.T) {
	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	for range 8 {
		_, _ = packed.Write(make([]byte, 1<<20))
	}
	must(t, packed.Close())
	l := newLibrary(t)
	l.says(200, bomb.String(), "Content-Encoding: gzip", "Cache-Control: max-age=60")
	_, err := New(l.settings).Get(t.Context(), Ask{URL: site, MaxBytes: 64 << 10})
	wantFault(t, err, fault.Unavailable, "too_large", fault.SentNo)
	if l.files(t) != "" {
		t.Error("it was kept")
	}
	d, err := New(l.settings).Get(t.Context(), Ask{URL: site, MaxBytes: 8 << 20})
	must(t, err)
	if d.Size != 8<<20 {
		t.Errorf("%d bytes", d.Size)
	}
	l.says(404, bomb.String(), "Content-Encoding: gzip")
	d, err = New(l.settings).Get(t.Context(), Ask{URL: site + "/x"})
	must(t, err)
	if d.Size != maxErrorPage {
		t.Errorf("an error page of %d bytes", d.Size)
	}
}

func TestQuestionsThatBelongTogetherShareTheirRetries(t *testing.T) {
	l := newLibrary(t)
	l.settings.Retries = 3
	client, budget := New(l.settings), new(RetryBudget)
	requests := func(path string, want int) {
		t.Helper()
		l.requests = nil
		d, err := client.Get(t.Context(), Ask{URL: site + path, Budget: budget})
		must(t, err)
		if len(l.requests) != want || d.Status != 503 {
			t.Errorf("%s: %d requests, status %d", path, len(l.requests), d.Status)
		}
	}
	l.says(503, "", "Retry-After: 12")
	requests("/1", 3) // after 12 seconds, and 12 more; another 12 are too many
	l.pass(time.Hour)
	requests("/2", 1) // what was waited for the first one counts
	if d := fmt.Sprint(l.sleeps); d != "[12s 12s]" {
		t.Errorf("slept %s", d)
	}
	l.sleeps, budget = nil, new(RetryBudget)
	l.says(503, "")
	requests("/3", 4)
	requests("/4", 1)
	requests("/5", 1)
	if len(l.sleeps) != 3 {
		t.Errorf("slept %v", l.sleeps)
	}
}

func TestMayRetry(t *testing.T) {
	for name, test := range map[string]struct {
		status, attempt int
		elapsed, wait   time.Duration
		want            bool
	}{
		"429":                  {429, 1, 0, time.Second, true},
		"503":                  {503, 3, 0, 0, true},
		"500":                  {500, 1, 0, 0, false},
		"404":                  {404, 1, 0, 0, false},
		"413":                  {413, 1, 0, time.Second, false},
		"the fourth":           {503, 4, 0, 0, false},
		"exactly 30 seconds":   {429, 1, 10 * time.Second, 20 * time.Second, true},
		"more than 30 seconds": {429, 1, 10 * time.Second, 21 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := MayRetry(test.status, test.attempt, test.elapsed, test.wait); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestHowLongWhatIsNotThereIsNotLookedFor(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		fields []string
		want   time.Duration
	}{
		"an hour":                      {404, nil, time.Hour},
		"an hour when gone":            {410, nil, time.Hour},
		"as long as the site says":     {404, []string{"Cache-Control: max-age=7200"}, 2 * time.Hour},
		"by its Expires":               {404, []string{"Date: Fri, 02 Jan 1998 03:04:05 GMT", "Expires: Fri, 02 Jan 1998 06:04:05 GMT"}, 3 * time.Hour},
		"five minutes at least":        {404, []string{"Cache-Control: max-age=1"}, 5 * time.Minute},
		"five minutes, if not at all":  {404, []string{"Cache-Control: no-cache"}, 5 * time.Minute},
		"five minutes, if not on disk": {404, []string{"Cache-Control: no-store"}, 5 * time.Minute},
		"a day at most":                {404, []string{"Cache-Control: max-age=99999999"}, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			l.says(test.status, "", test.fields...)
			if d := l.wants(t, "", CacheMiss, 1); d.AbsentUntil().Sub(d.Fetched) != test.want {
				t.Errorf("%v", d.AbsentUntil().Sub(d.Fetched))
			}
		})
	}
	l := newLibrary(t)
	l.says(403, "")
	if d := l.wants(t, "", CacheMiss, 1); !d.AbsentUntil().IsZero() {
		t.Error("403 says nothing about what is there")
	}
}

func TestWholeSecondsAreRoundedUp(t *testing.T) {
	for d, want := range map[time.Duration]int{0: 0, 1: 1, time.Second: 1, 1400 * time.Millisecond: 2} {
		if got := (&Response{RetryAfter: d}).RetryAfterSeconds(); got != want {
			t.Errorf("%v: %d", d, got)
		}
	}
}

func TestASearchMayBeAskedOver(t *testing.T) {
	l := newLibrary(t)
	l.settings.Retries = 1
	l.answer = func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/index.json" {
			http.Redirect(rw, r, "/moved", http.StatusTemporaryRedirect)
			return
		}
		if len(l.requests) == 2 {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintf(rw, "%s %s", r.Method, body)
	}
	l.asks(t, Ask{Method: "POST", Body: []byte("{}"), Header: http.Header{"Content-Type": {"application/odp+json"}}}, "POST {}", CacheMiss, 4)
}
