package flow

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
)

const (
	// RunLife is how long a run that did not succeed is kept.
	RunLife   = 30 * 24 * time.Hour
	maxInputs = 25 << 20 // bytes of a run's inputs
	// maxRunBytes is more than any run has.
	maxRunBytes = maxInputs + maxOutputs + 1<<20
)

// Store keeps the runs that did not succeed, or not yet: one file each, which only its owner may read. Inputs and outputs
// are in it as they are.
type Store struct {
	Dir string
	Now func() time.Time
}

// held is a run that no other process may change meanwhile.
type held struct {
	*Run
	store *Store
	lock  *flock.Flock
}

// begin makes a run, which is kept from its first [held.save] on.
func (s *Store) begin(r Run) (*held, error) {
	s.sweep()
	r.Version, r.ID = 1, strings.ToLower(rand.Text()[:idLength])
	r.Begun = s.Now().UTC()
	lock, err := s.lock(r.ID)
	if err != nil {
		return nil, err
	}
	return &held{&r, s, lock}, nil
}

// resume takes a run that was kept. Another process that has it is a fault: it is not waited for.
func (s *Store) resume(id string) (*held, error) {
	if _, err := s.Load(id); err != nil { // no lock for what is not there
		return nil, err
	}
	lock, err := s.lock(id)
	if err != nil {
		return nil, err
	}
	r, err := s.Load(id)
	if err != nil {
		_ = lock.Unlock()
		return nil, err
	}
	return &held{r, s, lock}, nil
}

func (s *Store) lock(id string) (*flock.Flock, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, notKept(err)
	}
	lock := flock.New(s.lockPath(id), flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err != nil {
		return nil, notKept(err)
	}
	if !got {
		return nil, fault.New(fault.Unavailable, "run_busy", "the run %s is being made by another process", id)
	}
	return lock, nil
}

func notKept(err error) *fault.Error {
	return fault.New(fault.Internal, "run_not_kept", "the run cannot be kept: %w", err)
}

// Load returns a run that was kept. A name that cannot be, or is none, is a fault of kind [fault.Usage]; a damaged file is
// one of kind [fault.Internal] that names it.
func (s *Store) Load(id string) (*Run, error) {
	if !validID(id) {
		return nil, fault.New(fault.Usage, "unknown_run", "%q is no run", cut(id))
	}
	text, err := atomicfile.Read(s.path(id), maxRunBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Usage, "unknown_run", "there is no run %s: it succeeded, or is older than %d days", id, RunLife/(24*time.Hour))
	case err != nil:
		return nil, fault.New(fault.Internal, "state_unreadable", "%w", err)
	}
	r, err := parseRun(text, id)
	if err != nil {
		return nil, fault.New(fault.Internal, "state_damaged", "%s is damaged, so it is not known how far the run is: %w", s.path(id), err).
			WithHint("remove %s", s.path(id))
	}
	return r, nil
}

// List returns the runs that can be resumed, the latest first. Damaged files are left out, and named by the error.
func (s *Store) List() ([]*Run, error) {
	var runs []*Run
	var failures []error
	for _, id := range s.ids() {
		r, err := s.Load(id)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b *Run) int { return b.Begun.Compare(a.Begun) })
	return runs, errors.Join(failures...)
}

func (s *Store) ids() []string {
	entries, _ := os.ReadDir(s.Dir) // none when there is no directory
	var out []string
	for _, entry := range entries {
		if id, ok := strings.CutSuffix(entry.Name(), ".json"); ok && validID(id) {
			out = append(out, id)
		}
	}
	return out
}

// save writes the run as it is now. After a power cut the file is this one or the one before it.
func (h *held) save() error { return h.saveBy(atomicfile.Write) }

// saveSoon is save without waiting for the disk, for what can be done again: a kill loses nothing, a power cut may.
func (h *held) saveSoon() error { return h.saveBy(atomicfile.WriteCache) }

func (h *held) saveBy(write func(path string, content []byte) error) error {
	h.Changed = h.store.Now().UTC()
	text, err := h.text()
	if err != nil {
		return notKept(err)
	}
	if err := write(h.store.path(h.ID), text); err != nil {
		return notKept(err)
	}
	return nil
}

// saveForSure is save, but after a power cut the file is this one.
func (h *held) saveForSure() error {
	if err := h.save(); err != nil {
		return err
	}
	if err := atomicfile.SyncDir(h.store.Dir); err != nil {
		return notKept(err)
	}
	return nil
}

// release lets other processes have the run.
func (h *held) release() { _ = h.lock.Unlock() }

// forget removes the run and its lock. When it fails the lock is still held.
func (h *held) forget() error {
	if err := os.Remove(h.store.path(h.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	h.release()
	_ = os.Remove(h.store.lockPath(h.ID)) // whoever opened it before finds no run
	return nil
}

// sweep removes runs that nobody resumed, unless somebody just does, and what killed processes left. What cannot be removed
// stays for the next time.
func (s *Store) sweep() {
	entries, _ := os.ReadDir(s.Dir)
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || s.Now().Sub(info.ModTime()) <= RunLife {
			continue
		}
		name := entry.Name()
		id, kind, _ := strings.Cut(name, ".")
		switch {
		case kind == "json" && validID(id), kind == "lock" && validID(id) && !s.has(id):
			s.remove(id)
		case strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp"):
			_ = os.Remove(filepath.Join(s.Dir, name))
		}
	}
}

func (s *Store) has(id string) bool {
	_, err := os.Lstat(s.path(id))
	return err == nil
}

func (s *Store) remove(id string) {
	lock, err := s.lock(id)
	if err != nil {
		return
	}
	h := &held{&Run{ID: id}, s, lock}
	if h.forget() != nil {
		h.release()
	}
}

func (s *Store) path(id string) string     { return filepath.Join(s.Dir, id+".json") }
func (s *Store) lockPath(id string) string { return filepath.Join(s.Dir, id+".lock") }
