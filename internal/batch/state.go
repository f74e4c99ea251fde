package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gofrs/flock"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
)

// State is the file by which a batch goes on where it ended: what was done with each input, by its digest. How often an input
// was done counts, so lines may be added, moved and repeated. It is only ever appended to, and survives a kill at any
// moment: a line that is torn at the end is as if it had never been begun.
type State struct {
	path string
	lock *flock.Flock
	file *os.File
	size int64

	mu     sync.Mutex
	past   map[string]*past
	failed error // of a write: nothing can be relied on after it
}

// past is what became of one input.
type past struct {
	done    int
	unknown int // sent, and nothing is known
	taken   int // lines of this run that have it
}

// Event is what happens with an input.
type Event string

// The events.
const (
	Sending  Event = "sending" // it is about to be sent, and may have an effect
	Again    Event = "again"   // the same, for one that was unknown
	Finished Event = "done"    // it was done
	Failed   Event = "failed"  // it had no effect, and can be tried again
	Doubtful Event = "unknown" // nobody knows
)

type stateHeader struct {
	Agentctl string   `json:"agentctl"`
	Version  int      `json:"version"`
	Site     string   `json:"site"`
	Command  []string `json:"command"`
}

// begins tells whether text is what a kill may have left of a header.
func (h stateHeader) begins(text []byte) bool {
	whole, err := json.Marshal(h)
	return err == nil && bytes.HasPrefix(whole, text)
}

type stateLine struct {
	Line  int    `json:"line"`
	Input string `json:"input"` // digest
	Event Event  `json:"event"`
	Exit  int    `json:"exit,omitempty"`
}

// OpenState opens the file at path, or makes it, for a command of a site. No other process may have it: that is the fault
// "state_busy". One that belongs to another command is the usage fault "state_mismatch", a damaged one the internal fault
// "state_damaged", which names it.
func OpenState(path, site string, command []string) (opened *State, err error) {
	s := &State{path: path, past: map[string]*past{}}
	s.lock = flock.New(path+".lock", flock.SetPermissions(0o600))
	got, err := s.lock.TryLock()
	if err != nil {
		return nil, s.unwritable(err)
	}
	if !got {
		return nil, fault.New(fault.Unavailable, "state_busy", "--state %q is used by another process", path)
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	s.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, s.unwritable(err)
	}
	if info, err := s.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, s.unwritable(errors.Join(err, errors.New("it is no file")))
	}
	mine := stateHeader{"each", 1, site, command}
	if err := s.read(mine); err != nil {
		return nil, err
	}
	if s.size > 0 {
		return s, nil
	}
	if err := s.append(mine, true); err != nil {
		return nil, s.unwritable(err)
	}
	if err := atomicfile.SyncDir(filepath.Dir(path)); err != nil {
		return nil, s.unwritable(err)
	}
	return s, nil
}

func (s *State) unwritable(err error) *fault.Error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		err = e.Err
	}
	return fault.New(fault.Internal, "state_failed", "--state %q cannot be kept: %w", s.path, err)
}

// Close lets others have the file.
func (s *State) Close() {
	if s.file != nil {
		_ = s.file.Close()
	}
	_ = s.lock.Unlock()
}

// read takes in what the file holds, and cuts off what a kill left of a line.
func (s *State) read(mine stateHeader) error {
	in := bufio.NewReaderSize(s.file, 256<<10)
	for number := 1; ; number++ {
		text, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			if s.size == 0 && !mine.begins(text) { // a person's own file: nothing of it may be cut off
				return s.foreign()
			}
			if err := s.file.Truncate(s.size); err != nil {
				return s.unwritable(err)
			}
			return nil
		case err != nil:
			return s.damaged(number, err)
		}
		s.size += int64(len(text))
		if number == 1 {
			err = s.belongs(text, mine)
		} else {
			err = s.take(text)
		}
		if e, ok := errors.AsType[*fault.Error](err); ok {
			return e
		}
		if err != nil {
			return s.damaged(number, err)
		}
	}
}

func (s *State) damaged(number int, err error) *fault.Error {
	return fault.New(fault.Internal, "state_damaged", "line %d of %s is damaged, so it is not known what was done: %w", number, s.path, err).
		WithHint("mend or remove %s", s.path)
}

func (s *State) belongs(text []byte, mine stateHeader) error {
	var h stateHeader
	if err := json.Unmarshal(text, &h); err != nil || h.Agentctl != mine.Agentctl {
		return s.foreign()
	}
	if h.Version != mine.Version || h.Site != mine.Site || !slices.Equal(h.Command, mine.Command) {
		return fault.New(fault.Usage, "state_mismatch", "--state %q belongs to another command: %q at %s", s.path, h.Command, h.Site)
	}
	return nil
}

func (s *State) foreign() *fault.Error {
	return fault.New(fault.Usage, "state_mismatch", "--state %q is a file of something else", s.path)
}

func (s *State) take(text []byte) error {
	var l stateLine
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	if l.Input == "" {
		return errors.New("it names no input")
	}
	p := s.of(l.Input)
	switch l.Event {
	case Sending:
		p.unknown++
	case Again, Doubtful:
	case Finished:
		p.done++
		p.unknown = max(p.unknown-1, 0)
	case Failed:
		p.unknown = max(p.unknown-1, 0)
	default:
		return fmt.Errorf("the event %q is none", l.Event)
	}
	return nil
}

func (s *State) of(input string) *past {
	p := s.past[input]
	if p == nil {
		p = &past{}
		s.past[input] = p
	}
	return p
}

// Fate tells, for one line after the other, what is to become of it.
func (s *State) Fate(input string) Fate {
	p := s.of(input)
	p.taken++
	switch {
	case p.taken <= p.done:
		return Done
	case p.taken <= p.done+p.unknown:
		return Unknown
	}
	return Send
}

// Note writes what happens with an input. [Sending] and [Again] are on the disk when it returns. After a failure nothing more
// is written, and every further call fails.
func (s *State) Note(line int, input string, event Event, exit int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = s.append(stateLine{line, input, event, exit}, event == Sending || event == Again)
	}
	if s.failed != nil {
		return s.unwritable(s.failed)
	}
	return nil
}

// append writes a line, whole or not at all as far as that can be had.
func (s *State) append(line any, wait bool) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	_, err = s.file.Write(text)
	if err == nil && wait {
		err = s.file.Sync()
	}
	if err != nil {
		_ = s.file.Truncate(s.size) // if even this fails, the next run finds a torn line
		return err
	}
	s.size += int64(len(text))
	return nil
}
