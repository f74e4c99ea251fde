package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
)

// Record is one call as the log has it.
type Record struct {
	ID   int       `json:"id"` // the seq of its line
	Time time.Time `json:"time"`
	Call
	Outcome *Outcome   `json:"outcome,omitempty"` // nil: the run was cut off, or is not over
	Ended   *time.Time `json:"ended,omitempty"`
}

// place is where a line stands.
type place struct {
	file string
	line int // from 1
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// lines calls use for each whole line of the log, oldest first, and reports what is torn at its end. It stops at the first
// error of use. It takes no lock: a file that is put aside meanwhile is read once, because it is opened first.
func (l *Log) lines(use func(place, []byte) error) (torn int, err error) {
	newest, err := atomicfile.Open(l.path(current))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	files, err := l.openAside(newest)
	if newest != nil {
		files = append(files, newest)
	}
	defer func() {
		for _, file := range files {
			_ = file.Close()
		}
	}()
	for _, file := range files {
		if err == nil && torn > 0 { // only the newest file can end in a torn line
			err = use(place{file.Name(), 0}, nil)
		}
		if err == nil {
			torn, err = eachLine(file, use)
		}
	}
	return torn, err
}

// openAside opens the files that were put aside, except newest.
func (l *Log) openAside(newest *os.File) (files []*os.File, err error) {
	names, err := l.aside()
	for _, name := range names {
		file, err := atomicfile.Open(l.path(name))
		if err != nil {
			return files, err
		}
		if same, err := sameFile(file, newest); same || err != nil {
			return files, errors.Join(err, file.Close())
		}
		files = append(files, file)
	}
	return files, err
}

func sameFile(a, b *os.File) (bool, error) {
	if b == nil {
		return false, nil
	}
	infoA, errA := a.Stat()
	infoB, errB := b.Stat()
	if err := errors.Join(errA, errB); err != nil {
		return false, err
	}
	return os.SameFile(infoA, infoB), nil
}

func eachLine(file *os.File, use func(place, []byte) error) (torn int, err error) {
	reader := bufio.NewReaderSize(file, maxLine)
	for number := 1; ; number++ {
		text, err := reader.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return len(text), nil
		case errors.Is(err, bufio.ErrBufferFull):
			text = nil // no line of ours
		case err != nil:
			return 0, err
		}
		if err := use(place{file.Name(), number}, bytes.TrimSuffix(text, []byte("\n"))); err != nil {
			return 0, err
		}
	}
}

// List returns the calls for which match reports true, oldest first, the newest limit of them; 0 means all. A line that is
// damaged is an error.
func (l *Log) List(limit int, match func(*Record) bool) ([]Record, error) {
	var out []Record
	_, err := l.lines(func(at place, text []byte) error {
		parsed, err := parse(text)
		if err != nil {
			return fmt.Errorf("%w at %s: %w", errDamaged, at, err)
		}
		if parsed.Event == eventDone {
			complete(out, parsed)
			return nil
		}
		record := Record{ID: parsed.Seq, Time: parsed.Time, Call: *parsed.Call}
		if match(&record) {
			out = append(out, record)
		}
		if limit > 0 && len(out) >= 2*limit+1000 { // drop what is too old in large steps
			out = append(out[:0], out[len(out)-limit-500:]...)
		}
		return nil
	})
	if err != nil {
		return nil, unreadable(err)
	}
	if limit > 0 && len(out) > limit {
		out = out[len(out)-limit:]
	}
	return out, nil
}

// complete adds an outcome to its call, which is among the last where it is at all.
func complete(records []Record, done *line) {
	for i := len(records) - 1; i >= 0 && records[i].ID >= done.Done; i-- {
		if records[i].ID == done.Done {
			ended := done.Time
			records[i].Outcome, records[i].Ended = done.Outcome, &ended
		}
	}
}

func unreadable(err error) error {
	e := fault.New(fault.Internal, "audit_unreadable", "the audit log cannot be read: %w", err)
	if errors.Is(err, errDamaged) {
		return e.WithHint("agentctl audit verify")
	}
	return e
}
