package atomicfile

import (
	"fmt"
	"os"
)

// Open opens a regular file for reading. Anything else at path is an error: opening a named pipe waits for somebody who
// writes to it, and nothing can end that.
func Open(path string) (*os.File, error) {
	if err := regular(path, -1); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Read returns the content of a regular file of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	if err := regular(path, limit); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// regular says why there is no regular file at path, or none of at most limit bytes. A limit below zero is none.
func regular(path string, limit int64) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file", path)
	case limit >= 0 && info.Size() > limit:
		return fmt.Errorf("%s is larger than %d KiB", path, limit>>10)
	}
	return nil
}
