package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxDocumentBytes is far more than thousands of credentials need.
const maxDocumentBytes = 8 << 20

// document is a file of names in the configuration directory: JSON without secrets, by key.
type document[T any] struct {
	path  string
	check func(key string, value T) bool // whether a member can have been written by us
}

// read returns what the file holds; a file that is not there holds nothing. A damaged one is an error that names it, never
// an empty list.
func (d document[T]) read() (map[string]T, error) {
	content := map[string]T{}
	data, err := atomicfile.Read(d.path, maxDocumentBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return content, nil
	case err != nil:
		return nil, fault.New(fault.Internal, "config_unreadable", "%w", err)
	}
	err = strictjson.Decode(data, &content)
	if err == nil && content == nil { // of "null"
		err = errors.New("it holds no object")
	}
	for key, value := range content {
		if err == nil && !d.check(key, value) {
			err = errors.New("it has a member that agentctl does not write: " + fault.Word(key))
		}
	}
	if err != nil {
		return nil, fault.New(fault.Internal, "config_damaged", "%s is damaged: %w", d.path, err).WithHint("mend or remove %s", d.path)
	}
	return content, nil
}

// update reads the file, has it changed and writes it, all under a lock, so that two runs at once lose nothing. When
// change fails, the file stays as it was.
func (d document[T]) update(change func(content map[string]T) error) error {
	return d.locked(func(content map[string]T) error {
		if err := change(content); err != nil {
			return err
		}
		return d.write(content)
	})
}

// locked calls do with what the file holds, under its lock.
func (d document[T]) locked(do func(content map[string]T) error) error {
	unlock, err := atomicfile.Lock(d.path)
	if err != nil {
		return writeFailed(err)
	}
	defer unlock()
	content, err := d.read()
	if err != nil {
		return err
	}
	return do(content)
}

// write replaces the file. The caller holds its lock.
func (d document[T]) write(content map[string]T) error {
	data, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(d.path, append(data, '\n'))
}

// replaceFile writes a file, unless nothing could read it again.
func replaceFile(path string, data []byte) error {
	if len(data) > maxDocumentBytes {
		return writeFailed(fmt.Errorf("%s would be larger than %d MiB", path, maxDocumentBytes>>20))
	}
	if err := atomicfile.Write(path, data); err != nil {
		return writeFailed(err)
	}
	return nil
}

func writeFailed(err error) *fault.Error { return fault.New(fault.Internal, "write_failed", "%w", err) }
