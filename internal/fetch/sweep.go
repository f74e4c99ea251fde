package fetch

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// sweep deletes temporary files that nobody will finish, and the oldest documents while all are too large together. The
// file at keep, just written, stays.
func (c *Cache) sweep(now time.Time, keep string) error {
	type document struct {
		path string
		info fs.FileInfo
	}
	var documents []document
	var total int64
	failures := []error{c.each(func(path string, info fs.FileInfo) error {
		if strings.HasSuffix(path, tempSuffix) {
			if now.Sub(info.ModTime()) > tempLifetime {
				return remove(path)
			}
			return nil
		}
		total += info.Size()
		documents = append(documents, document{path, info})
		return nil
	})}
	slices.SortFunc(documents, func(a, b document) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, d := range documents {
		if total <= maxCacheBytes {
			break
		}
		if d.path != keep {
			failures = append(failures, remove(d.path))
			total -= d.info.Size()
		}
	}
	return errors.Join(failures...)
}
