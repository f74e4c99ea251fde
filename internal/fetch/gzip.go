package fetch

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

// askForGzip has a request ask for a packed answer, where it may have one. It does what [http.Transport] does by itself.
func askForGzip(r *http.Request) (asked bool) {
	if r.Method == http.MethodHead || r.Header.Get("Range") != "" {
		return false
	}
	r.Header["Accept-Encoding"] = []string{"gzip"}
	return true
}

// unpack undoes the packing of a body that was asked for.
func unpack(answer *http.Response) {
	if !strings.EqualFold(answer.Header.Get("Content-Encoding"), "gzip") {
		return
	}
	answer.Header.Del("Content-Encoding")
	answer.Header.Del("Content-Length")
	answer.ContentLength, answer.Uncompressed = -1, true
	answer.Body = &unpacked{ReadCloser: answer.Body}
}

// unpacked begins to unpack when it is read.
type unpacked struct {
	io.ReadCloser
	out *gzip.Reader
	err error
}

// Read implements [io.Reader].
func (u *unpacked) Read(p []byte) (int, error) {
	if u.out == nil && u.err == nil {
		u.out, u.err = gzip.NewReader(u.ReadCloser)
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.out.Read(p)
}
