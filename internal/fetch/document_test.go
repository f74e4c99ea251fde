package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// library is a world with a cache and a site that answers as the test says.
type library struct {
	*world
	mu       sync.Mutex
	requests []*http.Request
	answer   http.HandlerFunc
}

func newLibrary(t *testing.T) *library {
	l := &library{world: newWorld(t)}
	l.settings.Cache = OpenCache(filepath.Join(t.TempDir(), "cache"))
	l.serve(t, func(rw http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.requests = append(l.requests, r)
		l.answer(rw, r)
	})
	return l
}

// says sets the site's answer: a body, and header fields as "Name: value".
func (l *library) says(status int, body string, fields ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer = func(rw http.ResponseWriter, _ *http.Request) {
		for _, field := range fields {
			name, value, _ := strings.Cut(field, ": ")
			rw.Header().Add(name, value)
		}
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, body)
	}
}

// wants gets a document by a new client, as another process would, and compares body, state and the number of requests.
func (l *library) wants(t *testing.T, body string, state CacheState, requests int) *Document {
	t.Helper()
	l.mu.Lock()
	l.requests = nil
	l.mu.Unlock()
	d, err := New(l.settings).Document(t.Context(), site+"/index.json", 0)
	must(t, err)
	if string(d.Body) != body || d.State != state || len(l.requests) != requests {
		t.Fatalf("got %q, %s, %d requests; want %q, %s, %d", d.Body, d.State, len(l.requests), body, state, requests)
	}
	if d.Sum != sum(d.Body) || d.Size != int64(len(d.Body)) {
		t.Errorf("sum %s, size %d", d.Sum, d.Size)
	}
	return d
}

func TestDocumentsAreUsedWhileFresh(t *testing.T) {
	for name, test := range map[string]struct {
		fields []string
		fresh  time.Duration // how long
	}{
		"five minutes without any word":          {nil, 5 * time.Minute},
		"max-age":                                {[]string{"Cache-Control: max-age=60"}, time.Minute},
		"max-age beats Expires":                  {[]string{"Cache-Control: max-age=60", "Expires: 0"}, time.Minute},
		"max-age among others":                   {[]string{`Cache-Control: private, foo="a,max-age=5", MAX-AGE=60`}, time.Minute},
		"the smaller of two":                     {[]string{"Cache-Control: max-age=900, max-age=60"}, time.Minute},
		"two header fields":                      {[]string{"Cache-Control: public", "Cache-Control: max-age=60"}, time.Minute},
		"shared caches' limits are not ours":     {[]string{"Cache-Control: s-maxage=1, max-age=60"}, time.Minute},
		"less what it aged on the way":           {[]string{"Cache-Control: max-age=90", "Age: 30"}, time.Minute},
		"Expires by the site's own clock":        {[]string{"Date: Fri, 02 Jan 1998 03:04:05 GMT", "Expires: Fri, 02 Jan 1998 03:05:05 GMT"}, time.Minute},
		"at most a year":                         {[]string{"Cache-Control: max-age=99999999999999999999"}, maxLifetime},
		"not at all: no-cache":                   {[]string{"Cache-Control: no-cache, max-age=60"}, 0},
		"not at all: Pragma":                     {[]string{"Pragma: no-cache"}, 0},
		"not at all: expired":                    {[]string{"Expires: Fri, 02 Jan 1998 03:04:05 GMT"}, 0},
		"not at all: Expires 0":                  {[]string{"Expires: 0"}, 0},
		"not at all: max-age unreadable":         {[]string{"Cache-Control: max-age=soon"}, 0},
		"not at all: negative":                   {[]string{"Cache-Control: max-age=-60"}, 0},
		"not at all: older than its age already": {[]string{"Cache-Control: max-age=60", "Age: 61"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			l.says(200, "one", append(test.fields, "Content-Type: application/json")...)
			d := l.wants(t, "one", CacheMiss, 1)
			if d.Status != 200 || d.ContentType != "application/json" || d.URL != site+"/index.json" || !d.Fetched.Equal(l.now) {
				t.Errorf("document %+v", d)
			}
			l.says(200, "two", "Cache-Control: no-store")
			if test.fresh > 0 {
				l.pass(test.fresh - time.Second)
				if d := l.wants(t, "one", CacheHit, 0); d.ContentType != "application/json" || d.Status != 200 {
					t.Errorf("document %+v", d)
				}
				l.pass(time.Second)
			}
			if _, ok := New(l.settings).PeekFor(Ask{URL: site + "/index.json"}); ok {
				t.Error("Peek answers with a stale document")
			}
			l.wants(t, "two", CacheMiss, 1)
		})
	}
}

func TestDocumentsThatAreNotKept(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		fields []string
	}{
		"no-store": {200, []string{"Cache-Control: max-age=60, No-Store"}}, "Vary: *": {200, []string{"Vary: Accept, *"}},
		"404": {404, []string{"Cache-Control: max-age=60"}}, "500": {500, nil}, "204": {204, nil}, "403": {403, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			body := "x"
			if test.status == 204 {
				body = ""
			}
			l.says(test.status, body, test.fields...)
			if d := l.wants(t, body, CacheMiss, 1); d.Status != test.status {
				t.Errorf("status %d", d.Status)
			}
			l.wants(t, body, CacheMiss, 1)
			if files, _ := os.ReadDir(l.settings.Cache.Path()); len(files) != 0 {
				t.Errorf("%v was written", files)
			}
		})
	}
}

func TestRevalidation(t *testing.T) {
	l := newLibrary(t)
	l.says(200, "one", `ETag: "v1"`, "Last-Modified: Fri, 02 Jan 1998 03:04:05 GMT", "Cache-Control: max-age=60")
	l.wants(t, "one", CacheMiss, 1)

	l.pass(time.Hour)
	l.says(304, "") // without a word on freshness: as before
	l.wants(t, "one", CacheRevalidated, 1)
	if h := l.requests[0].Header; h.Get("If-None-Match") != `"v1"` || h.Get("If-Modified-Since") != "Fri, 02 Jan 1998 03:04:05 GMT" || h.Get("Authorization") != "" {
		t.Errorf("conditional request %v", h)
	}
	l.pass(59 * time.Second)
	l.wants(t, "one", CacheHit, 0)

	l.pass(time.Hour)
	l.says(304, "", `ETag: W/"v1"`, "Cache-Control: max-age=600") // with one: that counts
	l.wants(t, "one", CacheRevalidated, 1)
	l.pass(599 * time.Second)
	l.wants(t, "one", CacheHit, 0)

	l.settings.Refresh = true // however fresh
	l.wants(t, "one", CacheRevalidated, 1)
	if _, ok := New(l.settings).PeekFor(Ask{URL: site + "/index.json"}); ok {
		t.Error("Peek answers although a refresh is wanted")
	}
	l.settings.Refresh = false

	l.pass(time.Hour)
	l.says(200, "two", `ETag: "v2"`)
	l.wants(t, "two", CacheMiss, 1)
	l.wants(t, "two", CacheHit, 0)
}

func TestA304ForAnotherVersionIsNotBelieved(t *testing.T) {
	l := newLibrary(t)
	l.says(200, "one", `ETag: "v1"`, "Cache-Control: no-cache")
	l.wants(t, "one", CacheMiss, 1)
	l.answer = func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("ETag", `"v2"`)
		if r.Header.Get("If-None-Match") != "" {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(rw, "two")
	}
	l.wants(t, "two", CacheMiss, 2)
}

func TestStaleCopies(t *testing.T) {
	abort := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	status := func(status int) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(status) }
	}
	for name, test := range map[string]struct {
		answer  http.HandlerFunc
		control string
		refresh bool
		stale   bool
		code    string // of the error, if there is one
	}{
		"help out when the site breaks off":              {abort, "max-age=1", false, true, ""},
		"help out after 503":                             {status(503), "max-age=1", false, true, ""},
		"help out after 429":                             {status(429), "max-age=1", false, true, ""},
		"do not hide 404":                                {status(404), "max-age=1", false, false, ""},
		"do not hide 410":                                {status(410), "max-age=1", false, false, ""},
		"do not hide 403":                                {status(403), "max-age=1", false, false, ""},
		"do not hide that --refresh failed":              {abort, "max-age=1", true, false, "connection_reset"},
		"are not used where the site forbids it":         {abort, "max-age=1, must-revalidate", false, false, "connection_reset"},
		"are not used after 503 where the site forbids":  {status(503), "no-cache", false, false, ""},
		"do not hide that the site redirects elsewhere":  {http.RedirectHandler("https://b.example/", http.StatusFound).ServeHTTP, "max-age=1", false, false, "redirect_refused"},
		"do not hide that the document became too large": {func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write(make([]byte, 200)) }, "max-age=1", false, false, "too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			l.says(200, "one", "Cache-Control: "+test.control)
			l.wants(t, "one", CacheMiss, 1)
			l.pass(time.Minute)
			l.answer = test.answer
			l.settings.Refresh = test.refresh
			d, err := New(l.settings).Document(t.Context(), site+"/index.json", 100)
			switch {
			case test.code != "":
				e := fault.From(err)
				if e == nil || e.Kind != fault.Unavailable || e.Code != test.code {
					t.Errorf("error %v, want code %s", err, test.code)
				}
			case err != nil:
				t.Error(err)
			case test.stale != (d.State == CacheStale), test.stale != (string(d.Body) == "one"):
				t.Errorf("got %q (%s)", d.Body, d.State)
			}
			if events := l.kinds(EventCache); test.stale && (len(events) == 0 || events[len(events)-1].Err == nil) {
				t.Error("no event says why the stale copy was used")
			}
		})
	}
}

func TestGoneDocumentsAreForgotten(t *testing.T) {
	l := newLibrary(t)
	l.says(200, "one", "Cache-Control: max-age=1")
	l.wants(t, "one", CacheMiss, 1)
	l.pass(time.Minute)
	l.says(404, "gone")
	l.wants(t, "gone", CacheMiss, 1)
	l.settings.Offline = true
	_, err := New(l.settings).Document(t.Context(), site+"/index.json", 0)
	wantFault(t, err, fault.Unavailable, "offline", fault.SentNo)
}

func TestOffline(t *testing.T) {
	l := newLibrary(t)
	l.says(200, "one", "Cache-Control: max-age=60")
	l.wants(t, "one", CacheMiss, 1)
	l.settings.Offline = true
	l.wants(t, "one", CacheHit, 0)
	l.pass(time.Hour)
	l.wants(t, "one", CacheStale, 0)
	client := New(l.settings)
	if d, ok := client.PeekFor(Ask{URL: site + "/index.json"}); !ok || d.State != CacheStale || d.Sum != sum([]byte("one")) || d.Body != nil || d.Size != 3 {
		t.Errorf("peek: %+v, %t", d, ok)
	}
	_, err := client.Document(t.Context(), site+"/other.json", 0)
	wantFault(t, err, fault.Unavailable, "offline", fault.SentNo)
	_, err = client.Do(t.Context(), Request{URL: site, Read: true})
	wantFault(t, err, fault.Unavailable, "offline", fault.SentNo)
	if len(l.requests) != 0 {
		t.Errorf("%d requests while offline", len(l.requests))
	}
}

func TestDocumentsOverTheLimitAreRefusedWhole(t *testing.T) {
	l := newLibrary(t)
	l.says(200, strings.Repeat("x", 1001))
	_, err := New(l.settings).Document(t.Context(), site+"/index.json", 1000)
	wantFault(t, err, fault.Unavailable, "too_large", fault.SentNo)
	l.wants(t, strings.Repeat("x", 1001), CacheMiss, 1)
	_, err = New(l.settings).Document(t.Context(), site+"/index.json", 1000) // also when it is in the cache
	wantFault(t, err, fault.Unavailable, "too_large", fault.SentNo)
}

func TestErrorPagesAreCutOff(t *testing.T) {
	l := newLibrary(t)
	l.says(404, strings.Repeat("x", 2*maxErrorPage), fmt.Sprintf("Content-Length: %d", 2*maxErrorPage))
	d, err := New(l.settings).Document(t.Context(), site+"/index.json", 10)
	must(t, err)
	if d.Status != 404 || len(d.Body) != maxErrorPage {
		t.Errorf("status %d, %d bytes", d.Status, len(d.Body))
	}
}

func TestADocumentThatBreaksOffIsAskedForAgain(t *testing.T) {
	w := newWorld(t)
	w.settings.Retries = 1
	var connections atomic.Int32
	w.raw(t, func(conn net.Conn) {
		n := connections.Add(1)
		readRequest(conn)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwh")
		if n == 2 {
			_, _ = io.WriteString(conn, "ole")
		}
	})
	d, err := New(w.settings).Document(t.Context(), site, 0)
	must(t, err)
	if string(d.Body) != "whole" {
		t.Errorf("body %q", d.Body)
	}
}

func TestRedirectedDocumentsAreKeptUnderTheURLAskedFor(t *testing.T) {
	l := newLibrary(t)
	l.answer = func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/index.json" {
			http.Redirect(rw, r, "/v2.json", http.StatusFound)
			return
		}
		fmt.Fprint(rw, "two")
	}
	l.wants(t, "two", CacheMiss, 2)
	l.wants(t, "two", CacheHit, 0)
}

func TestDamagedFilesAreReplaced(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"empty":             func([]byte) []byte { return nil },
		"cut short":         func(b []byte) []byte { return b[:len(b)-1] },
		"too long":          func(b []byte) []byte { return append(b, 'x') },
		"a changed body":    func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"a changed header":  func(b []byte) []byte { return bytes.Replace(b, []byte("fetched"), []byte("fetchee"), 1) },
		"another version":   func(b []byte) []byte { return bytes.Replace(b, []byte("cache-1"), []byte("cache-9"), 1) },
		"only zeros":        func(b []byte) []byte { return make([]byte, len(b)) },
		"an endless header": func([]byte) []byte { return bytes.Repeat([]byte("x"), 1<<20) },
		"another URL's file": func(b []byte) []byte {
			e, n, _ := decodeEntry(b)
			e.URL += "x"
			h, _ := e.encode()
			return append(h, b[n:]...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			l.says(200, "one", "Cache-Control: max-age=60")
			l.wants(t, "one", CacheMiss, 1)
			path := l.settings.Cache.file(key{url: site + "/index.json"})
			content, err := os.ReadFile(path)
			must(t, err)
			must(t, os.WriteFile(path, damage(content), 0o600))
			l.says(200, "two", "Cache-Control: max-age=60")
			l.wants(t, "two", CacheMiss, 1)
			l.wants(t, "two", CacheHit, 0)
		})
	}
}

func TestCacheFilesAreTheUsersOwn(t *testing.T) {
	l := newLibrary(t)
	l.says(200, "one")
	l.wants(t, "one", CacheMiss, 1)
	dir, err := os.Stat(l.settings.Cache.Path())
	must(t, err)
	file, err := os.Stat(l.settings.Cache.file(key{url: site + "/index.json"}))
	must(t, err)
	if runtime.GOOS == "windows" {
		t.Skip("no such modes there")
	}
	if dir.Mode().Perm() != 0o700 || file.Mode().Perm() != 0o600 {
		t.Errorf("modes %v, %v", dir.Mode(), file.Mode())
	}
}

// brokenTemp fails like a full disk, after half of what is written.
type brokenTemp struct{ *os.File }

func (f brokenTemp) Write(p []byte) (int, error) {
	n, _ := f.File.Write(p[:len(p)/2])
	return n, errors.New("no space left on device")
}

func TestAFailedWriteNeverFailsTheCall(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, c *Cache){
		"a full disk": func(_ *testing.T, c *Cache) {
			c.create = func(dir, pattern string) (tempFile, error) {
				f, err := os.CreateTemp(dir, pattern)
				return brokenTemp{f}, err
			}
		},
		"a file where the directory should be": func(t *testing.T, c *Cache) { must(t, os.WriteFile(c.dir, nil, 0o600)) },
		"a directory where the file should be": func(t *testing.T, c *Cache) {
			must(t, os.MkdirAll(filepath.Join(c.file(key{url: site + "/index.json"}), "x"), 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			prepare(t, l.settings.Cache)
			l.says(200, "one")
			l.wants(t, "one", CacheMiss, 1)
			events := l.kinds(EventCache)
			if len(events) != 1 || events[0].Err == nil {
				t.Errorf("events %v", events)
			}
			leftovers, _ := filepath.Glob(filepath.Join(l.settings.Cache.dir, "*"+tempSuffix))
			if len(leftovers) > 0 {
				t.Errorf("left behind: %v", leftovers)
			}
		})
	}
}

func TestConcurrentWritersLeaveWholeFiles(t *testing.T) {
	dir := t.TempDir()
	bodies := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 50_000), "c"}
	var wait sync.WaitGroup
	for i := range 8 {
		cache := OpenCache(dir) // as another process would
		wait.Go(func() {
			for j := range 30 {
				body := []byte(bodies[(i+j)%len(bodies)])
				e := &entry{URL: site, Sum: sum(body), Size: int64(len(body)), Fetched: time.Now()}
				if err := cache.store(e, body); err != nil {
					t.Error(err)
				}
				if _, _, ok := cache.load(key{url: site}, -1); !ok {
					t.Error("the file is not whole")
				}
			}
		})
	}
	wait.Wait()
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("files left: %v", files)
	}
}

func TestClearAndRemove(t *testing.T) {
	cache := OpenCache(t.TempDir())
	fill := func() {
		for _, url := range []string{"https://a.example/", "https://a.example/x?y", "https://a.example.evil/", "https://a.example:8443/", "https://b.example/"} {
			must(t, cache.store(&entry{URL: url, Sum: sum(nil), Fetched: time.Now()}, nil))
		}
	}
	left := func() int {
		files, err := os.ReadDir(cache.Path())
		must(t, err)
		return len(files)
	}
	foreign := filepath.Join(cache.Path(), "notes.cache")
	must(t, os.WriteFile(foreign, nil, 0o600))
	must(t, os.Mkdir(filepath.Join(cache.Path(), "index"), 0o700))
	fill()
	if n, err := cache.Remove("https://a.example"); err != nil || n != 2 || left() != 5 {
		t.Errorf("removed %d (%v), %d left", n, err, left())
	}
	if n, err := cache.Remove("https://b.example/"); err != nil || n != 1 {
		t.Errorf("removed %d (%v)", n, err)
	}
	must(t, os.WriteFile(cache.file(key{url: "https://x.example/"})+"-1"+tempSuffix, nil, 0o600))
	must(t, cache.Clear())
	if _, err := os.Stat(foreign); err != nil || left() != 2 {
		t.Errorf("%d left (%v): only files of others should be", left(), err)
	}
	absent := OpenCache(filepath.Join(t.TempDir(), "absent"))
	must(t, absent.Clear())
	if _, err := os.Stat(absent.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("clearing made a directory")
	}
}

func TestSweeping(t *testing.T) {
	cache := OpenCache(t.TempDir())
	now := time.Now()
	name := func(url string) string { return cache.file(key{url: url}) }
	put := func(path string, size int64, age time.Duration) {
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.Truncate(path, size)) // sparse
		must(t, os.Chtimes(path, time.Time{}, now.Add(-age)))
	}
	put(name("https://old.example/"), maxCacheBytes/2, 3*time.Hour)
	put(name("https://young.example/"), maxCacheBytes/2, time.Hour)
	put(name("https://x.example/")+"-1"+tempSuffix, 1, time.Hour)
	put(name("https://x.example/")+"-2"+tempSuffix, 1, time.Second)
	must(t, cache.store(&entry{URL: site, Sum: sum(nil), Fetched: now}, nil))
	for path, kept := range map[string]bool{
		name("https://old.example/"): false, name("https://young.example/"): true, name(site): true,
		name("https://x.example/") + "-1" + tempSuffix: false, name("https://x.example/") + "-2" + tempSuffix: true,
	} {
		if _, err := os.Stat(path); (err == nil) != kept {
			t.Errorf("%s: kept %t, want %t", filepath.Base(path), err == nil, kept)
		}
	}
}

func TestAClientWithoutCache(t *testing.T) {
	l := newLibrary(t)
	l.settings.Cache = nil
	l.says(200, "one")
	l.wants(t, "one", CacheMiss, 1)
	l.wants(t, "one", CacheMiss, 1)
	must(t, l.settings.Cache.Clear())
}

func TestAClockSetBackDoesNotKeepDocumentsForever(t *testing.T) {
	l := newLibrary(t)
	l.says(200, "one", "Cache-Control: max-age=60")
	l.wants(t, "one", CacheMiss, 1)
	l.pass(-24 * time.Hour)
	l.says(200, "two", "Cache-Control: max-age=60")
	l.wants(t, "two", CacheMiss, 1)
}

func FuzzDecodeEntry(f *testing.F) {
	e := entry{URL: site, ETag: `"v\n"`, Sum: sum(nil), Fetched: time.Unix(1, 0).UTC(), Lifetime: time.Minute}
	line, err := e.encode()
	must(f, err)
	f.Add(line)
	f.Add([]byte(entryMagic + " 00000000 \n"))
	f.Add([]byte(entryMagic + " a3e5a9c4 {}\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		e, n, err := decodeEntry(head)
		if err != nil {
			return
		}
		if n > len(head) || head[n-1] != '\n' {
			t.Fatalf("length %d of %d", n, len(head))
		}
		line, err := e.encode()
		if err != nil {
			return // longer than a line may be, in its canonical form
		}
		if again, _, err := decodeEntry(line); err != nil || again != e {
			t.Errorf("%+v became %+v (%v)", e, again, err)
		}
	})
}

func FuzzFreshness(f *testing.F) {
	for _, seed := range []string{"max-age=60", `no-cache="a,b", max-age="5"`, `max-age=1, "`, `private="\`, "max-age=99999999999999999999", ",=,;"} {
		f.Add(seed, "Fri, 02 Jan 1998 03:04:05 GMT", "0", "Fri, 02 Jan 1998 03:04:05 GMT")
	}
	f.Fuzz(func(t *testing.T, control, expires, age, date string) {
		got := parseFreshness(http.Header{"Cache-Control": {control}, "Expires": {expires}, "Age": {age}, "Date": {date}}, time.Unix(1e9, 0), DefaultLifetime)
		if got.lifetime < 0 || got.lifetime > maxLifetime || got.age < 0 || got.age > maxLifetime {
			t.Errorf("%+v", got)
		}
		e := entry{}
		e.confirm(got, time.Unix(1e9, 0))
		if e.Expires.Before(e.Fetched) || e.Expires.Sub(e.Fetched) > maxLifetime {
			t.Errorf("expires %v after %v", e.Expires, e.Fetched)
		}
	})
}

func TestDocumentHonoursTheContext(t *testing.T) {
	l := newLibrary(t)
	l.says(200, "one", "Cache-Control: max-age=1")
	l.wants(t, "one", CacheMiss, 1)
	l.pass(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := New(l.settings).Document(ctx, site+"/index.json", 0)
	wantFault(t, err, fault.Interrupted, "interrupted", fault.SentNo)
}

// Contract, section 4: sent is about the action, and looking for a description is no part of it.
func TestADocumentThatFailsHasSentNothing(t *testing.T) {
	for name, reply := range map[string]string{
		"no HTTP":                "junk\r\n\r\n",
		"no answer":              "",
		"a redirect elsewhere":   "HTTP/1.1 302 Found\r\nLocation: https://other.example/\r\nContent-Length: 0\r\n\r\n",
		"an answer cut short":    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
		"a coding not asked for": "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\r\nhalf",
		"another protocol":       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.raw(t, func(conn net.Conn) {
				readRequest(conn)
				_, _ = io.WriteString(conn, reply)
			})
			_, err := New(w.settings).Document(t.Context(), site+"/index.json", 0)
			e := fault.From(err)
			if err == nil || e.Kind != fault.Unavailable || e.Sent != fault.SentNo {
				t.Errorf("got %v with sent %q; want an unavailable fault with sent %q", err, e.Sent, fault.SentNo)
			}
		})
	}
}
