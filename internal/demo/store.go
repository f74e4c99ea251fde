package demo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// The state file. maxState is far above what maxOrders orders need.
const (
	stateName = "demo.json"
	maxState  = 8 << 20
)

// store keeps the state in one file, which any number of processes may use at once.
type store struct {
	dir string
	now func() time.Time
}

func (s store) path() string { return filepath.Join(s.dir, stateName) }

// view returns the state to read.
func (s store) view() (*state, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	current, existed, err := s.load()
	if err == nil && !existed {
		err = s.save(current) // opening day happens once, so that its times stay
	}
	return current, err
}

// update changes the state. Nothing is kept when change fails.
func (s store) update(change func(*state) error) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	current, _, err := s.load()
	if err != nil {
		return err
	}
	if err := change(current); err != nil {
		return err
	}
	return s.save(current)
}

func (s store) lock() (unlock func(), err error) {
	unlock, err = atomicfile.Lock(s.path())
	if err != nil {
		return nil, s.unusable("STATE_UNUSABLE", err)
	}
	return unlock, nil
}

// load reads the state, or starts one when there is no file yet.
func (s store) load() (current *state, existed bool, err error) {
	text, err := readLimited(s.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return openingDay(s.now()), false, nil
	case err != nil:
		return nil, false, s.unusable("STATE_UNUSABLE", err)
	}
	current, err = parseState(text)
	if err != nil {
		return nil, false, s.unusable("STATE_DAMAGED", err)
	}
	return current, true, nil
}

func readLimited(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxState+1))
	if err == nil && len(text) > maxState {
		err = fmt.Errorf("it is larger than %d bytes", maxState)
	}
	return text, err
}

// parseState refuses whatever this program cannot have written.
func parseState(text jsontext.Value) (*state, error) {
	if err := strictjson.Check(text); err != nil {
		return nil, err
	}
	current := new(state)
	if err := json.Unmarshal(text, current, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	return current, current.check()
}

func (s store) save(current *state) error {
	text, err := json.Marshal(current, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if err := atomicfile.Write(s.path(), append(text, '\n')); err != nil {
		return s.unusable("STATE_UNUSABLE", err)
	}
	return nil
}

// unusable names the file, so that its owner can repair it or put it away.
func (s store) unusable(code string, cause error) error {
	return failure(http.StatusInternalServerError, code, "the demo's state file %q cannot be used: %v", s.path(), cause).with("file", s.path())
}
