package demo

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
)

// publishedBase is where the description lives (IA-1).
const publishedBase = "/.well-known/interagentic/"

// published holds the description as it is served; nothing of it is read before somebody asks.
//
//go:embed site
var published embed.FS

// servePublished answers GET and HEAD (IA-5) for the index and the detail files, with validators (IA-4). The freshness is
// short because the next version of the program may describe itself differently under the same origin.
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
	serveLasting(w, r, "application/json", doc)
}

// serveLasting answers with a document that stays as it is for as long as the program does.
func serveLasting(w http.ResponseWriter, r *http.Request, mediaType string, doc []byte) {
	sum := sha256.Sum256(doc)
	header := w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Cache-Control", "max-age=300")
	header.Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc))
}
