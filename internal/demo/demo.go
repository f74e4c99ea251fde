// Package demo is the Popcorn Club: a small shop that is compiled into the program, so that a newcomer's first command
// needs no network. It publishes itself in Interagentic, agent-actions, ODP and AgentManifest, and answers over HTTP as any site
// does; the client has no other way to reach it. It keeps its orders in one file between runs.
package demo

import (
	"net/http"
	"time"

	"github.com/agentctl/agentctl/internal/demo/catalogue"
)

// Origin is the fixed origin under which the demo is addressed and cached. Nothing listens there: the command line maps it
// to the address that [Start] returns, with the same mechanism as --resolve.
const Origin = "http://localhost:26767"

// apiBase is the "baseUrl" of the published index.
const apiBase = "/api/v1"

// shop is the running site.
type shop struct {
	store store
	now   func() time.Time
	offer *catalogue.Catalogue
}

// Handler is the site. It keeps its state in stateDir, which it creates when needed (mode 0700); the file in it has mode
// 0600 and is replaced whole. Any number of handlers, in any number of processes, may share the directory. A damaged state
// file is answered with status 500 and an error document that names the file; it is never reset silently.
func Handler(stateDir string, now func() time.Time) http.Handler {
	clock := func() time.Time { return now().UTC().Truncate(time.Second) }
	s := &shop{store: store{dir: stateDir, now: clock}, now: clock}
	mux := http.NewServeMux()
	mux.HandleFunc(publishedBase, servePublished)
	for path, methods := range s.paths() {
		mux.Handle(apiBase+path, methods)
	}
	s.openCounter(mux)
	s.openCatalogue(mux)
	s.openCinema(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, failure(http.StatusNotFound, "NOT_FOUND", "there is nothing at %q", r.URL.Path))
	})
	return mux
}
