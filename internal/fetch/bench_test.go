package fetch

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"
)

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New(Settings{Now: time.Now})
	}
}

// What a warm start costs before its one request.
func BenchmarkPeek(b *testing.B) {
	cache := OpenCache(filepath.Join(b.TempDir(), "cache"))
	body := make([]byte, 2<<20)
	now := time.Now()
	must(b, cache.store(&entry{URL: site + "/index.json", Sum: sum(body), Size: int64(len(body)), Fetched: now, Expires: now.Add(time.Hour)}, body))
	client := New(Settings{Now: time.Now, Cache: cache})
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := client.PeekFor(Ask{URL: site + "/index.json"}); !ok {
			b.Fatal("not found")
		}
	}
}

func BenchmarkDocumentHit(b *testing.B) {
	cache := OpenCache(filepath.Join(b.TempDir(), "cache"))
	body := make([]byte, 2<<20)
	now := time.Now()
	must(b, cache.store(&entry{URL: site + "/index.json", Sum: sum(body), Size: int64(len(body)), Fetched: now, Expires: now.Add(time.Hour)}, body))
	client := New(Settings{Now: time.Now, Cache: cache})
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		_, err := client.Document(b.Context(), site+"/index.json", 0)
		must(b, err)
	}
}

// One request on a new connection, as every process makes it.
func BenchmarkFirstRequest(b *testing.B) {
	w := newWorld(b)
	w.settings.Trace = nil
	w.serve(b, func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "ok") })
	b.ReportAllocs()
	for b.Loop() {
		client := New(w.settings)
		_, _, err := get(b.Context(), client, Request{URL: site})
		must(b, err)
		client.closeIdle()
	}
}

// The rate of --save, with the server in the same process.
func BenchmarkStream(b *testing.B) {
	const total = 128 << 20
	chunk := make([]byte, 256<<10)
	for name, http2 := range map[string]bool{"http2": true, "http1": false} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			w.settings.Trace = nil
			w.serveAs(b, func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Content-Length", fmt.Sprint(total))
				for range total / len(chunk) {
					_, _ = rw.Write(chunk)
				}
			}, http2)
			client := New(w.settings)
			b.SetBytes(total)
			b.ReportAllocs()
			for b.Loop() {
				response, err := client.Do(b.Context(), Request{URL: site, Read: true, MaxBytes: Unlimited})
				must(b, err)
				n, err := io.Copy(io.Discard, response.Body)
				must(b, err)
				response.Body.Close()
				if n != total {
					b.Fatalf("%d bytes", n)
				}
			}
		})
	}
}
