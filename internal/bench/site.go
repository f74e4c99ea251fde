package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest/agentactions"
)

// The sites that are served. Both have the same action `orders list`; they differ in how many others there are.
const (
	smallHost, smallActions = "small.example", 10
	largeHost, largeActions = "large.example", 10_000
)

const (
	discovery   = "/.well-known/interagentic/"
	base        = "/api/v1"
	sampleBytes = 1 << 20
)

// newHandler answers for all hosts; the host decides how large the index is.
func newHandler(downloadBytes int64) http.Handler {
	small, large := newIndex(smallActions), newIndex(largeActions)
	mux := http.NewServeMux()
	mux.HandleFunc(discovery+"services.json", func(w http.ResponseWriter, r *http.Request) {
		index := small
		if host, _, err := net.SplitHostPort(r.Host); r.Host == largeHost || err == nil && host == largeHost {
			index = large
		}
		publish(w, index)
	})
	mux.HandleFunc(discovery+"services/{path...}", func(w http.ResponseWriter, r *http.Request) {
		publish(w, newDetail(strings.TrimSuffix(r.PathValue("path"), ".json")))
	})
	mux.HandleFunc(base+"/orders", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"orders":[{"id":"ord_8fJ2","qty":2,"status":"confirmed"}]}`)
	})
	mux.HandleFunc(base+"/download", func(w http.ResponseWriter, _ *http.Request) { download(w, downloadBytes) })
	mux.HandleFunc(base+"/sample", func(w http.ResponseWriter, _ *http.Request) { download(w, sampleBytes) })
	mux.HandleFunc(flowHost+agentactions.Path, func(w http.ResponseWriter, _ *http.Request) { publish(w, []byte(flowManifest)) })
	mux.HandleFunc(base+"/steps/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"items":[{"id":"p1"}],"id":"c1"}`)
	})
	serveCatalogue(mux)
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a local page\n") })
	return mux
}

func publish(w http.ResponseWriter, doc []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "max-age=3600")
	_, _ = w.Write(doc)
}

// download sends bytes that do not compress away, without keeping them.
func download(w http.ResponseWriter, size int64) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", fmt.Sprint(size))
	chunk := make([]byte, 256<<10)
	_, _ = rand.Read(chunk)
	for size > 0 {
		n, err := w.Write(chunk[:min(size, int64(len(chunk)))])
		if err != nil {
			return
		}
		size -= int64(n)
	}
}

// newIndex describes so many actions: those that are measured, and fillers in groups of ten, some 200 bytes each.
func newIndex(actions int) []byte {
	var out strings.Builder
	out.WriteString(`{"name":"Bench","description":"A site to measure","version":"1","auth":"interagentic","baseUrl":"/api/v1","groups":[{"command":["orders"],"description":"Orders"}],"actions":[` +
		`{"command":["orders","list"],"endpoint":"/orders","method":"GET","description":"List orders","role":"user"},` +
		`{"command":["download"],"endpoint":"/download","method":"GET","description":"A large file","role":"user"},` +
		`{"command":["sample"],"endpoint":"/sample","method":"GET","description":"A small file","role":"user"}`)
	for i := 3; i < actions; i++ {
		fmt.Fprintf(&out, `,{"command":["group%04d","thing%d","update"],"endpoint":"/group%04d/things/%d","method":"POST","description":"Change the thing number %d of its group, as far as its owner allows it","role":"user"}`, i/10, i%10, i/10, i%10, i)
	}
	out.WriteString("]}")
	return []byte(out.String())
}

// newDetail describes the action at a path such as "orders/list".
func newDetail(path string) []byte {
	method, endpoint := http.MethodGet, "/"+strings.Split(path, "/")[0]
	params := `[{"name":"status","label":"Status","description":"Only these","example":"confirmed","required":false,"type":{"type":"string","enum":["confirmed","delivered"]}},` +
		`{"name":"limit","label":"Limit","description":"At most so many","example":10,"required":false,"type":{"type":"integer","minimum":1,"maximum":100}}]`
	return fmt.Appendf(nil, `{"command":["%s"],"endpoint":%q,"method":%q,"description":"Measured","role":"user","args":[],"params":%s}`,
		strings.Join(strings.Split(path, "/"), `","`), endpoint, method, params)
}
