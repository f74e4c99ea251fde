package demo

import (
	"embed"
	"net/http"
	"strings"

	"github.com/agentctl/agentctl/internal/demo/reply"
)

// publishedBase is where the description lives (IA-1).
const publishedBase = "/.well-known/interagentic/"

// published holds the description as it is served; nothing of it is read before somebody asks.
//
//go:embed site
var published embed.FS

// servePublished answers GET and HEAD (IA-5) for the index and the detail files, with validators (IA-4).
func servePublished(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		writeError(w, wrongMethod(w, r, []string{http.MethodGet, http.MethodHead}))
		return
	}
	name := strings.TrimPrefix(r.URL.Path, publishedBase)
	doc, err := published.ReadFile("site/" + name)
	if err != nil {
		writeError(w, failure(http.StatusNotFound, "NOT_FOUND", "%q is not published here", r.URL.Path))
		return
	}
	reply.Lasting(w, r, "application/json", doc)
}
