package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/agentctl/agentctl/internal/fault"
)

// Spool keeps lines between two passes, so that what is sent is what was checked, whatever becomes of the file meanwhile. A
// few are kept in memory, many in a file of their own that only its owner may read.
type Spool struct {
	Dir  string // for the file
	kept bytes.Buffer
	file *os.File
	out  *bufio.Writer
}

// Kept is a line as it comes back.
type Kept struct {
	Input
	Fate Fate // what to do with it
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
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // an object keeps its spelling: digests are made of it
	if err := encoder.Encode(spooled{k.Number, json.RawMessage(k.Object), k.Cells, k.Fate}); err != nil {
		return err
	}
	line := text.Bytes()
	if s.file == nil && s.kept.Len()+len(line) > maxInMemory {
		if err := s.spill(); err != nil {
			return spoolFault(err)
		}
	}
	if s.file == nil {
		s.kept.Write(line)
		return nil
	}
	if _, err := s.out.Write(line); err != nil {
		return spoolFault(err)
	}
	return nil
}

type spooled struct {
	Number int             `json:"n"`
	Object json.RawMessage `json:"o,omitempty"`
	Cells  []string        `json:"c,omitempty"`
	Fate   Fate            `json:"f,omitempty"`
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
		in = bufio.NewReaderSize(s.file, 256<<10)
	}
	lines := json.NewDecoder(in)
	return func() (*Kept, error) {
		var one spooled
		if err := lines.Decode(&one); err != nil {
			if errors.Is(err, io.EOF) {
				return nil, io.EOF
			}
			return nil, spoolFault(err)
		}
		return &Kept{Input{one.Number, []byte(one.Object), one.Cells}, one.Fate}, nil
	}, nil
}

// Close removes the file.
func (s *Spool) Close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(filepath.Clean(s.file.Name()))
	}
}
