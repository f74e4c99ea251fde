// Package outfile writes a file that appears whole or not at all: what exists under its name is the old content until
// the new one is complete. Devices and pipes, which cannot be replaced, are written directly.
package outfile

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"
)

// newFileMode is what curl gives a new file; the umask of the process takes its share.
const newFileMode = 0o644

// File is a file on its way. One of Commit and Abort ends it.
type File struct {
	*os.File
	target    string // where it belongs; "" when it is written directly
	stopWatch func() bool
}

// Create starts the file that will be at path. A link is followed, so that what it names is replaced; an existing file
// keeps its permissions, a new one has 0644 less the umask. Opening a named pipe waits for its reader, until ctx ends.
func Create(ctx context.Context, path string) (*File, error) {
	target, info, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if isDescriptor(path) || info != nil && !info.Mode().IsRegular() {
		return openDirect(ctx, path)
	}
	mode := fs.FileMode(newFileMode)
	if info != nil {
		mode = info.Mode().Perm()
	}
	f, err := createBeside(target, mode|0o200)
	if err != nil {
		return nil, err
	}
	file := &File{File: f, target: target}
	if info != nil {
		if err := f.Chmod(mode); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return nil, errors.Join(err, file.Abort())
		}
	}
	return file, nil
}

// createBeside creates a file of a name that nobody has, in the directory of target.
func createBeside(target string, mode fs.FileMode) (*os.File, error) {
	name := filepath.Join(filepath.Dir(target), ".agentctl-"+rand.Text()+".part")
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// Check reports why a file could not be created at path, and leaves nothing there: before a request is sent, say. Only
// the system knows whether a directory takes new files (permissions, read-only disks), so one is made and removed.
func Check(path string) error {
	target, info, err := resolve(path)
	if err != nil {
		return err
	}
	if isDescriptor(path) || info != nil && !info.Mode().IsRegular() {
		return nil // it is not known before it is opened, which a pipe notices
	}
	probe, err := createBeside(target, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// resolve follows links. Its info is nil when there is no such file yet.
func resolve(path string) (target string, info fs.FileInfo, err error) {
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return "", nil, &fs.PathError{Op: "save", Path: path, Err: errors.New("is not the name of a file")}
	}
	info, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a link to nowhere is replaced
		return path, nil, nil
	case err != nil:
		return "", nil, err
	case info.IsDir():
		return "", nil, &fs.PathError{Op: "save", Path: path, Err: errors.New("is a directory")}
	case isDescriptor(path):
		return path, info, nil
	}
	target, err = filepath.EvalSymlinks(path)
	return target, info, err
}

// isDescriptor reports whether path stands for a stream that is already open, whatever is behind it.
func isDescriptor(path string) bool {
	switch path {
	case "/dev/stdout", "/dev/stderr":
		return true
	}
	return strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// openDirect opens what cannot be replaced. The end of ctx closes it, which wakes a write that waits for a reader.
func openDirect(ctx context.Context, path string) (*File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return &File{File: o.f, stopWatch: context.AfterFunc(ctx, func() { _ = o.f.Close() })}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// IsTerminal reports whether what is written goes straight to a terminal.
func (f *File) IsTerminal() bool {
	return f.target == "" && term.IsTerminal(int(f.Fd()))
}

// Commit completes the file: only now it is there under its name. It survives the end of this process at any moment, but
// is not forced to the disk.
func (f *File) Commit() error {
	if f.target == "" {
		f.stopWatch()
		return f.Close()
	}
	if err := f.Close(); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), f.target); err != nil {
		return errors.Join(fmt.Errorf("cannot put it in its place: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// Abort drops what was written; a file that was there stays as it was.
func (f *File) Abort() error {
	if f.target == "" {
		f.stopWatch()
		_ = f.Close() // the failure that led here is the one to report
		return nil
	}
	_ = f.Close() // it is removed
	return os.Remove(f.Name())
}
