package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// client returns the client that all requests of agentctl go through, with a cache of its own and a clock that stands still.
func client() (c *fetch.Client, done func(), err error) {
	dir, err := os.MkdirTemp("", "agentctl-conformance-")
	if err != nil {
		return nil, nil, err
	}
	now := time.Unix(1_800_000_000, 0)
	return fetch.New(fetch.Settings{
		UserAgent: "agentctl/conformance", Now: func() time.Time { return now }, Cache: fetch.OpenCache(dir),
	}), func() { _ = os.RemoveAll(dir) }, nil
}

// follow asks for the first of some places, each of which redirects to the one behind it (ODP-134). They are laid out on a
// server of this machine; a place that comes again is the same one.
func follow(way []string) error {
	if len(way) < 2 {
		return nil
	}
	next := map[string]string{}
	for i := 1; i < len(way); i++ {
		next[place(way, way[i-1])] = place(way, way[i])
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := next[r.URL.Path]; to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	}))
	defer server.Close()
	c, done, err := client()
	if err != nil {
		return err
	}
	defer done()
	_, err = c.Get(context.Background(), fetch.Ask{URL: server.URL + place(way, way[0])})
	return err
}

// place is the path at which a URL stands on the server.
func place(way []string, raw string) string { return fmt.Sprintf("/%d", slices.Index(way, raw)) }

// question is one that is asked in a case about the cache. What is empty is the same for all.
type question struct {
	origin, method, url, representation, language string

	account string // who asks; "" is nobody in particular
}

// ask returns the question for the client.
func (q question) ask(server string) fetch.Ask {
	query := url.Values{"u": {q.url}, "representation": {q.representation}}
	a := fetch.Ask{Method: q.method, URL: server + "/?" + query.Encode(), Header: http.Header{"Accept": {odp.MediaType}}, Partition: q.account}
	if q.language != "" {
		a.Header.Set("Accept-Language", q.language)
	}
	if q.method == http.MethodPost {
		a.Body = []byte(`{}`)
	}
	if q.account != "" {
		a.Credential = "Bearer " + q.account
	}
	return a
}

// kept is an answer that may be kept.
type kept struct {
	status int    // 0 is 200
	cache  string // Cache-Control; "" is for ten minutes, and "-" says nothing
}

func (k kept) header(to http.Header) {
	switch k.cache {
	case "":
		to.Set("Cache-Control", "max-age=600")
	case "-":
	default:
		to.Set("Cache-Control", k.cache)
	}
}

// reuses asks two questions, one after the other, and reports whether the answer to the first served the second as well
// (ODP-125 to ODP-127).
func reuses(first, second question, answer kept) (bool, error) {
	var asked atomic.Int32
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		answer.header(w.Header())
		w.Header().Set("Content-Type", odp.MediaType)
		if answer.status != 0 {
			w.WriteHeader(answer.status)
		}
	})
	servers := map[string]*httptest.Server{first.origin: httptest.NewServer(handler)}
	if servers[second.origin] == nil {
		servers[second.origin] = httptest.NewServer(handler)
	}
	c, done, err := client()
	if err != nil {
		return false, err
	}
	defer done()
	for _, q := range []question{first, second} {
		defer servers[q.origin].Close()
		if _, err := c.Get(context.Background(), q.ask(servers[q.origin].URL)); err != nil {
			return false, err
		}
	}
	return asked.Load() == 1, nil
}

// exchange is a question that is asked twice, of which the first answer was kept but is stale.
type exchange struct {
	first, second question
	tag           string // of the first answer
	status        int    // of the second answer
	current       string // its tag
}

// run reports whether the second question was asked on condition, and what its answer was: [fetch.CacheRevalidated] is the
// kept one.
func (e exchange) run() (conditional bool, state fetch.CacheState, err error) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=0")
		w.Header().Set("Content-Type", odp.MediaType)
		switch asked.Add(1) {
		case 1:
			w.Header().Set("ETag", e.tag)
		case 2:
			conditional = strings.TrimPrefix(r.Header.Get("If-None-Match"), "W/") == strings.TrimPrefix(e.tag, "W/")
			w.Header().Set("ETag", e.current)
			w.WriteHeader(e.status)
		}
	}))
	defer server.Close()
	c, done, err := client()
	if err != nil {
		return false, "", err
	}
	defer done()
	if _, err := c.Get(context.Background(), e.first.ask(server.URL)); err != nil {
		return false, "", err
	}
	document, err := c.Get(context.Background(), e.second.ask(server.URL))
	if err != nil {
		return false, "", err
	}
	return conditional, document.State, nil
}
