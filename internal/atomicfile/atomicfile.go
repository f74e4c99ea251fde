// Package atomicfile replaces small files so that a reader, a kill or a full disk sees the whole old content or the whole
// new one, never a part.
package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/natefinch/atomic"
)

// leftoverAge is after how long a temporary file belongs to a writer that was killed: honest ones take moments.
const leftoverAge = time.Hour

// Write replaces the file at path, which only its owner may read, and creates its directory (0700) if there is none.
// The content is on the disk before the name points at it.
func Write(path string, content []byte) error { return write(path, content, (*os.File).Sync) }

// WriteCache is [Write] for what can be made again: it does not wait for the disk, so after a power cut the file may hold
// anything and its reader must check it.
func WriteCache(path string, content []byte) error {
	return write(path, content, func(*os.File) error { return nil })
}

func write(path string, content []byte, settle func(*os.File) error) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	pattern := "." + filepath.Base(path) + ".*.tmp"
	temp, err := os.CreateTemp(dir, pattern) // CreateTemp makes it 0600
	if err != nil {
		return err
	}
	removeLeftovers(temp, pattern)
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("writing %s: %w", path, err), removeQuietly(temp.Name()))
		}
	}()
	_, err = temp.Write(content)
	if err == nil {
		err = settle(temp)
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return atomic.ReplaceFile(temp.Name(), path)
}

func removeQuietly(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// removeLeftovers deletes what killed writers of the same file left beside temp. Their age is taken from the file system's
// own clock; what cannot be deleted stays for the next time.
func removeLeftovers(temp *os.File, pattern string) {
	made, err := temp.Stat()
	if err != nil {
		return
	}
	entries, _ := os.ReadDir(filepath.Dir(temp.Name()))
	for _, entry := range entries {
		if match, _ := filepath.Match(pattern, entry.Name()); !match { // no file of ours has a wildcard in its name
			continue
		}
		if info, err := entry.Info(); err == nil && made.ModTime().Sub(info.ModTime()) > leftoverAge {
			_ = removeQuietly(filepath.Join(filepath.Dir(temp.Name()), entry.Name()))
		}
	}
}
