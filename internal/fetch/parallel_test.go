package fetch

import (
	"io"
	"net/http"
	"sync"
	"testing"
)

// Requests side by side go over connections of HTTP/1.1 that stay open: not many more are made than there are requests at a
// time. Without Settings.Parallel, half of them would be made anew each time.
func TestParallelRequestsKeepTheirConnections(t *testing.T) {
	const parallel, rounds = 16, 20
	w := newWorld(t)
	var mu sync.Mutex
	connections, protocols := map[string]bool{}, map[string]bool{}
	w.serve(t, func(answer http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		connections[r.RemoteAddr], protocols[r.Proto] = true, true
		_, _ = io.WriteString(answer, "x")
	})
	w.settings.Parallel = parallel
	c := New(w.settings)
	for range rounds {
		var all sync.WaitGroup
		for range parallel {
			all.Go(func() {
				if _, _, err := get(t.Context(), c, Request{URL: site}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if len(connections) > 3*parallel {
		t.Errorf("%d connections were made for %d requests at a time", len(connections), parallel)
	}
	if !protocols["HTTP/1.1"] || len(protocols) > 1 {
		t.Errorf("the protocols were %v", protocols)
	}
}
