// Package reply writes the demo's answers.
package reply

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Lasting answers with a document that never changes while the program runs, with a validator; or that nothing changed. The
// freshness is short because the next version of the program may describe itself differently under the same origin.
func Lasting(w http.ResponseWriter, r *http.Request, mediaType string, doc []byte) {
	sum := sha256.Sum256(doc)
	header := w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Cache-Control", "max-age=300")
	header.Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc))
}

// Once answers with what is true now, and not to be kept.
func Once(w http.ResponseWriter, status int, mediaType, text string) {
	header := w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Content-Length", strconv.Itoa(len(text)))
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // a client that hung up cannot be told
}
