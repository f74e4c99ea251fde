package batch

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/agentctl/agentctl/internal/fault"
)

// Spool keeps lines between two passes, so that what is sent is what was checked, whatever becomes of the file meanwhile. A
// few are kept in memory, many in a file of their own that only its owner may read.
type Spool struct {
	Dir    string // for the file
	kept   bytes.Buffer
	file   *os.File
	out    *bufio.Writer
	record []byte // the last one that was added
}

// Kept is a line that was checked.
type Kept struct {
	Number int    // as in [Input]
	Values []byte // the arguments, in whatever form they are given
	Fate   Fate   // what to do with it
	Digest string // of its call, where that rests on more than the arguments; else ""
}

// Fate is what the first pass says about a line.
type Fate int

// The fates of lines.
const (
	Send    Fate = iota
	Done         // it was done before
	Unknown      // it was sent before, and nobody knows what became of it
)

// Add keeps a line. Its error is the internal fault "write_failed".
func (s *Spool) Add(k Kept) error {
	s.record = k.append(s.record[:0])
	if s.file == nil && s.kept.Len()+len(s.record) > maxInMemory {
		if err := s.spill(); err != nil {
			return spoolFault(err)
		}
	}
	if s.file == nil {
		s.kept.Write(s.record)
		return nil
	}
	if _, err := s.out.Write(s.record); err != nil {
		return spoolFault(err)
	}
	return nil
}

// append writes a line as a record: number and fate, then digest and values, each behind its length.
func (k Kept) append(record []byte) []byte {
	record = binary.AppendUvarint(record, uint64(k.Number)) //nolint:gosec // they count from 1
	record = binary.AppendUvarint(record, uint64(k.Fate))   //nolint:gosec // there are three
	record = append(binary.AppendUvarint(record, uint64(len(k.Digest))), k.Digest...)
	return append(binary.AppendUvarint(record, uint64(len(k.Values))), k.Values...)
}

// readKept reads a record. At the end its error is io.EOF.
func readKept(in *bufio.Reader) (*Kept, error) {
	number, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	fate, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, torn(err)
	}
	digest, err := readText(in)
	if err != nil {
		return nil, torn(err)
	}
	values, err := readText(in)
	return &Kept{Number: int(number), Values: values, Fate: Fate(fate), Digest: string(digest)}, torn(err) //nolint:gosec // as they were written
}

func readText(in *bufio.Reader) ([]byte, error) {
	size, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	text := make([]byte, size)
	_, err = io.ReadFull(in, text)
	return text, err
}

// torn says of an end that it is in the middle of a record.
func torn(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func spoolFault(err error) *fault.Error {
	return fault.New(fault.Internal, "write_failed", "the lines cannot be kept: %w", err)
}

// spill moves everything to a file.
func (s *Spool) spill() error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(s.Dir, ".lines-*")
	if err != nil {
		return err
	}
	s.file, s.out = file, bufio.NewWriterSize(file, 256<<10)
	_ = os.Remove(file.Name()) // gone with the process, however that ends, where an open file can be removed
	_, err = s.kept.WriteTo(s.out)
	s.kept = bytes.Buffer{}
	return err
}

// Each begins the second pass: the returned function gives line after line, and io.EOF at the end. It may be called again.
func (s *Spool) Each() (next func() (*Kept, error), err error) {
	var in io.Reader = bytes.NewReader(s.kept.Bytes())
	if s.file != nil {
		if err := s.out.Flush(); err != nil {
			return nil, spoolFault(err)
		}
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return nil, spoolFault(err)
		}
		in = s.file
	}
	records := bufio.NewReaderSize(in, 256<<10)
	return func() (*Kept, error) {
		k, err := readKept(records)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, spoolFault(err)
		}
		return k, err
	}, nil
}

// Close removes the file.
func (s *Spool) Close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(filepath.Clean(s.file.Name()))
	}
}
