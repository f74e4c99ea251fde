package site

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/openapi"
)

// Described is an OpenAPI document that a person gave for a site.
type Described struct {
	Location string `json:"location"`         // an absolute URL, or the absolute path of a file
	Server   string `json:"server,omitempty"` // the absolute URL in place of the servers that it names; "" leaves those
}

// KeyOf names what an alias leads to, for those who keep something of several sites: the origin, and behind it which
// document where a person named one, since an origin may be described in several ways beside what it publishes itself.
func KeyOf(origin Origin, described *Described) string {
	if described == nil {
		return string(origin)
	}
	sum := sha256.Sum256([]byte(described.Location + "\n" + described.Server))
	return string(origin) + "#" + hex.EncodeToString(sum[:8])
}

// Key is what [KeyOf] makes of the site.
func (s *Site) Key() string { return KeyOf(s.Origin, s.finder.Described) }

// dialects are the formats that are looked for.
func (f *Finder) dialects() []dialect {
	if f.Described != nil {
		return []dialect{f.Described.dialect()}
	}
	return dialects()
}

// dialect is how the document is found: where it was said to be.
func (d *Described) dialect() dialect {
	given := openAPI(d.Server)
	given.places, given.given, given.last = []string{d.Location}, true, false
	return given
}

// get returns the document at a URL, or in a file.
func (f *Finder) get(ctx context.Context, d *dialect, url string) (*fetch.Document, error) {
	if f.isFile(url) {
		return readDocument(url, d.maxBytes)
	}
	return f.Client.Get(ctx, d.ask(url))
}

// peek is what is known of a document without asking anybody for it.
func (f *Finder) peek(d *dialect, url string) (fetch.Document, bool) {
	if !f.isFile(url) {
		return f.Client.PeekFor(d.ask(url))
	}
	info, err := os.Stat(url)
	if err != nil {
		return fetch.Document{}, false
	}
	return aboutFile(url, info), true
}

func (f *Finder) isFile(url string) bool { return f.Described != nil && filepath.IsAbs(url) }

// readDocument reads a document out of a file.
func readDocument(path string, limit int64) (*fetch.Document, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.Manifest, "document_unreadable", "%w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		return nil, fault.New(fault.Manifest, "document_unreadable", "%s is no file", path)
	}
	var body []byte
	if err == nil {
		body, err = io.ReadAll(io.LimitReader(file, limit+1))
	}
	switch {
	case err != nil:
		return nil, fault.New(fault.Manifest, "document_unreadable", "%w", err)
	case int64(len(body)) > limit:
		return nil, fault.New(fault.Manifest, "too_large", "%s is larger than %d bytes", path, limit)
	}
	doc := aboutFile(path, info)
	doc.Body = body
	return &doc, nil
}

// aboutFile is what a file's entry tells of the document in it. It stands for the content: one that was changed has another
// time or size.
func aboutFile(path string, info os.FileInfo) fetch.Document {
	return fetch.Document{
		URL: path, Status: http.StatusOK, Size: info.Size(), Fetched: info.ModTime(),
		Sum:   strconv.FormatInt(info.Size(), 10) + "@" + strconv.FormatInt(info.ModTime().UnixNano(), 10),
		State: fetch.CacheHit, Kept: true,
	}
}

// ServerOf reads the document of [Finder.Described], and returns the origin that its operations are sent to. Its error is of
// kind [fault.Usage] where the document names no server that can be used, and --server can.
func (f *Finder) ServerOf(ctx context.Context) (Origin, error) {
	d := f.Described.dialect()
	doc, err := f.get(ctx, &d, f.Described.Location)
	if err != nil {
		return "", err
	}
	if why := d.published(doc, Origin(f.Described.Location)); why != nil {
		return "", why
	}
	parsed, err := openapi.Parse(doc.Body, doc.ContentType, urlOf(doc), f.Described.Server)
	if err != nil {
		return "", err
	}
	if len(parsed.Servers) == 0 {
		return "", fault.New(fault.Usage, "server_missing", "the document names no server that can be used").WithHint("add --server https://…")
	}
	return OriginOf(parsed.Servers[0].URL)
}
