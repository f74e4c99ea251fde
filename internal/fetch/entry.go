package fetch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"time"
)

const (
	entryMagic     = "agentctl-cache-1"
	maxEntryHeader = 16 << 10 // bytes of the first line
	maxEntryField  = 1 << 10  // bytes of one text field; a longer validator is not kept
)

// entry is what is known about a stored document: the first line of its file. That line is
//
//	agentctl-cache-1 CRC32 {"url":…}
//
// where CRC32 covers the JSON; the rest of the file is the body, whose length and sum are in it. So a file that was cut
// short, half written or tampered with by a failing disk is recognised, and nothing has to be synced.
type entry struct {
	URL          string        `json:"url"`               // as asked for, before redirects
	Variant      string        `json:"variant,omitempty"` // see [key]
	Method       string        `json:"method,omitempty"`  // empty: GET
	From         string        `json:"from,omitempty"`    // what the redirects of URL led to
	ContentType  string        `json:"type,omitempty"`
	Language     string        `json:"language,omitempty"`
	Vary         string        `json:"vary,omitempty"` // see freshness.vary
	ETag         string        `json:"etag,omitempty"`
	LastModified string        `json:"modified,omitempty"`
	Sum          string        `json:"sum"` // SHA-256 of the body in hex
	Size         int64         `json:"size"`
	Fetched      time.Time     `json:"fetched"` // when it was last confirmed by the site
	Expires      time.Time     `json:"expires"`
	Lifetime     time.Duration `json:"lifetime"` // in nanoseconds; used again by a 304 that names none
	Strict       bool          `json:"strict,omitempty"`
}

var errDamaged = errors.New("a damaged cache file")

// encode returns the first line of the file.
func (e *entry) encode() ([]byte, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	line := fmt.Appendf(nil, "%s %08x %s\n", entryMagic, crc32.ChecksumIEEE(text), text)
	if len(line) > maxEntryHeader {
		return nil, errors.New("the cache entry's header is too long")
	}
	return line, nil
}

// decodeEntry reads the first line of a file from its beginning, and returns the line's length.
func decodeEntry(head []byte) (entry, int, error) {
	end := bytes.IndexByte(head[:min(len(head), maxEntryHeader)], '\n')
	if end < 0 {
		return entry{}, 0, errDamaged
	}
	rest, ok := bytes.CutPrefix(head[:end], []byte(entryMagic+" "))
	if !ok {
		return entry{}, 0, errDamaged
	}
	check, text, ok := bytes.Cut(rest, []byte(" "))
	if !ok || string(check) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(text)) {
		return entry{}, 0, errDamaged
	}
	var e entry
	if err := json.Unmarshal(text, &e); err != nil || e.Size < 0 || len(e.Sum) != hex.EncodedLen(sha256.Size) {
		return entry{}, 0, errDamaged
	}
	return e, end + 1, nil
}

// fresh reports whether the document may be used unasked. One from the future was stored by a clock gone wrong.
func (e *entry) fresh(now time.Time) bool { return !now.Before(e.Fetched) && now.Before(e.Expires) }

func (e *entry) key() key { return key{e.URL, e.Variant} }

// from is the URL that the answer came from.
func (e *entry) from() string {
	if e.From == "" {
		return e.URL
	}
	return e.From
}

// below reports whether the document's URL is prefix itself or lies below it: "https://a.example" covers
// "https://a.example/x", but not "https://a.example.evil/x".
func (e *entry) below(prefix string) bool {
	rest, ok := strings.CutPrefix(e.URL, strings.TrimSuffix(prefix, "/"))
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '?')
}

func sum(body []byte) string {
	digest := sha256.Sum256(body)
	return hex.EncodeToString(digest[:])
}
