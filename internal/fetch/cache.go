package fetch

import (
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

const (
	cacheSuffix   = ".cache"
	tempSuffix    = ".tmp"
	maxCacheBytes = 256 << 20        // of all files together; the longest untouched go first
	tempLifetime  = 10 * time.Minute // of what a killed process left behind
	sweepEvery    = 64               // writes of one process; the first one sweeps
)

// Cache keeps documents on disk, one file per URL and variant. Files appear whole or not at all, so concurrent processes, kills and
// full disks cost at most a fetch. It never fails a call: what cannot be read is fetched, what cannot be written is not
// kept. Methods may be called on a nil Cache, which is empty.
type Cache struct {
	dir    string
	writes atomic.Uint32
	create func(dir, pattern string) (tempFile, error) // os.CreateTemp, but for tests
}

// tempFile is the part of [os.File] that writing needs.
type tempFile interface {
	io.WriteCloser
	Name() string
}

// OpenCache returns the cache in a directory, which is made when something is first stored.
func OpenCache(dir string) *Cache {
	return &Cache{dir: dir, create: func(dir, pattern string) (tempFile, error) { return os.CreateTemp(dir, pattern) }}
}

// Path returns the cache's directory.
func (c *Cache) Path() string {
	if c == nil {
		return ""
	}
	return c.dir
}

// Clear deletes every document, and what killed processes left behind. Files of others in the directory stay.
func (c *Cache) Clear() error {
	return c.each(func(path string, _ fs.FileInfo) error { return remove(path) })
}

// Remove deletes the documents at a URL and below it, for example all of an origin's, and returns their number.
func (c *Cache) Remove(prefix string) (int, error) {
	removed := 0
	err := c.each(func(path string, _ fs.FileInfo) error {
		e, err := readHead(path)
		if err != nil || !e.below(prefix) {
			return nil //nolint:nilerr // a damaged file belongs to no URL
		}
		removed++
		return remove(path)
	})
	return removed, err
}

// each visits the cache's own files and goes on after errors.
func (c *Cache) each(visit func(path string, info fs.FileInfo) error) error {
	if c == nil {
		return nil
	}
	files, err := os.ReadDir(c.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var failures []error
	for _, file := range files {
		info, err := file.Info()
		if err != nil || !info.Mode().IsRegular() || !ownFile(file.Name()) {
			continue // gone by now, or not ours
		}
		failures = append(failures, visit(filepath.Join(c.dir, file.Name()), info))
	}
	return errors.Join(failures...)
}

// ownFile recognises the names that file makes, and their temporary ones: 32 hexadecimal digits come first.
func ownFile(name string) bool {
	if !strings.HasSuffix(name, cacheSuffix) && !strings.HasSuffix(name, tempSuffix) {
		return false
	}
	digits, _, ok := strings.Cut(name, "-")
	return ok && len(digits) == 32 && strings.Trim(digits, "0123456789abcdef") == ""
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// file names a document's file: a hash of the URL and the variant, and its host for people who look. The hash comes first
// because names such as "con.example" are devices on Windows.
func (c *Cache) file(k key) string {
	host := ""
	if u, err := url.Parse(k.url); err == nil {
		host = strings.Map(fileRune, u.Host)
	}
	name := k.url
	if k.variant != "" {
		name += "\n" + k.variant // no URL holds a line break
	}
	return filepath.Join(c.dir, sum([]byte(name))[:32]+"-"+host[:min(len(host), 64)]+cacheSuffix)
}

func fileRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '.':
		return r
	}
	return '_'
}

// peek reads what is known about a document without its body. The file's length is checked, the body's sum is not.
func (c *Cache) peek(k key) (entry, bool) {
	if c == nil {
		return entry{}, false
	}
	e, err := readHead(c.file(k))
	return e, err == nil && e.key() == k
}

// load reads a document whose body has at most limit bytes; limit < 0 is none.
func (c *Cache) load(k key, limit int64) (entry, []byte, bool) {
	e, ok := c.peek(k)
	if !ok || limit >= 0 && e.Size > limit {
		return entry{}, nil, false
	}
	content, err := os.ReadFile(c.file(k))
	if err != nil {
		return entry{}, nil, false
	}
	e, length, err := decodeEntry(content) // again: another process may have replaced the file
	if err != nil {
		return entry{}, nil, false
	}
	body := content[length:]
	if e.key() != k || e.Size != int64(len(body)) || limit >= 0 && e.Size > limit || e.Sum != sum(body) {
		return entry{}, nil, false
	}
	return e, body, true
}

// readHead reads the first line of a file and checks the file's length against it.
func readHead(path string) (entry, error) {
	file, err := os.Open(path)
	if err != nil {
		return entry{}, err
	}
	defer file.Close()
	head := make([]byte, 1<<10) // nearly always enough
	n, err := io.ReadFull(file, head)
	if err == nil && !strings.Contains(string(head), "\n") {
		head = append(head, make([]byte, maxEntryHeader-len(head))...)
		var more int
		more, err = io.ReadFull(file, head[n:])
		n += more
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return entry{}, err
	}
	e, length, err := decodeEntry(head[:n])
	if err != nil {
		return entry{}, err
	}
	info, err := file.Stat()
	if err != nil {
		return entry{}, err
	}
	if info.Size() != int64(length)+e.Size {
		return entry{}, errDamaged
	}
	return e, nil
}

// store writes a document to a temporary file and renames it, which replaces an older one at once, on Windows too.
func (c *Cache) store(e *entry, body []byte) error {
	if c == nil {
		return nil
	}
	head, err := e.encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	path := c.file(e.key())
	if err := c.write(path, head, body); err != nil {
		return err
	}
	if c.writes.Add(1)%sweepEvery == 1 {
		return c.sweep(e.Fetched, path)
	}
	return nil
}

func (c *Cache) write(path string, parts ...[]byte) error {
	temp, err := c.create(c.dir, filepath.Base(path)+"-*"+tempSuffix) // mode 0600
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err == nil {
			_, err = temp.Write(part)
		}
	}
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// forget deletes one document.
func (c *Cache) forget(k key) error {
	if c == nil {
		return nil
	}
	return remove(c.file(k))
}
