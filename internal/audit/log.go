package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
)

// DefaultMaxBytes is how large a file of the log gets before a new one is begun.
const DefaultMaxBytes = 16 << 20

// Log is the audit log in a directory.
type Log struct {
	Dir      string
	Now      func() time.Time
	MaxBytes int64 // 0 means DefaultMaxBytes
}

// Entry is a call that stands in the log and waits for its end.
type Entry struct {
	log *Log
	seq int
}

const current = "audit.jsonl"

func (l *Log) path(name string) string { return filepath.Join(l.Dir, name) }

// Begin writes that a call is about to be sent. It is on the disk when Begin returns; otherwise the error is a fault of
// kind [fault.Internal] with the code "audit_failed", and nothing may be sent.
func (l *Log) Begin(call Call) (*Entry, error) {
	call = call.bounded()
	seq, err := l.append(&line{Event: eventCall, Call: &call}, true)
	if err != nil {
		return nil, failed(err)
	}
	return &Entry{log: l, seq: seq}, nil
}

// End writes what became of the call.
func (e *Entry) End(outcome Outcome) error {
	outcome.Code = cut(outcome.Code, maxName)
	if _, err := e.log.append(&line{Event: eventDone, Done: e.seq, Outcome: &outcome}, false); err != nil {
		return failed(err)
	}
	return nil
}

func failed(err error) *fault.Error {
	e := fault.New(fault.Internal, "audit_failed", "the audit log cannot be written: %w", err)
	if errors.Is(err, errDamaged) {
		return e.WithHint("agentctl audit verify")
	}
	return e
}

// errDamaged says that the log cannot be continued as it is.
var errDamaged = errors.New("it is damaged")

// append adds a line to the log, under its lock. A call is not sent before its line is on the disk, so that is waited for;
// without waiting a power cut may take the outcomes of the last seconds, and what they were is then unknown.
func (l *Log) append(add *line, wait bool) (seq int, err error) {
	unlock, err := atomicfile.Lock(l.path(current))
	if err != nil {
		return 0, err
	}
	defer unlock()
	end, err := l.open()
	if err != nil {
		return 0, err
	}
	add.Seq, add.Prev, add.Time, add.Torn = end.seq+1, end.hash, l.Now().UTC().Truncate(time.Millisecond), end.torn
	text, err := add.encode()
	if err == nil {
		err = end.write(append(text, '\n'), wait)
	}
	if closeErr := end.file.Close(); err == nil {
		err = closeErr
	}
	if err == nil && end.created {
		err = atomicfile.SyncDir(l.Dir)
	}
	return add.Seq, err
}

// tail is the end of the log, where the next line goes.
type tail struct {
	file    *os.File
	size    int64 // of the whole lines in file
	created bool  // the file has no line yet
	seq     int
	hash    string // of the last line
	torn    int    // bytes that are behind the last whole line
}

// open opens the file that is written to and finds the end of the chain. A torn line at its end goes away; a full file is
// put aside.
func (l *Log) open() (*tail, error) {
	t, err := l.readTail(current)
	if err != nil {
		return nil, err
	}
	if err := t.cutTorn(); err != nil {
		return nil, errors.Join(err, t.file.Close())
	}
	switch {
	case t.seq == 0: // the first line ever, or the run before ended between two files
		before, err := l.lastAside()
		if err != nil {
			return nil, errors.Join(err, t.file.Close())
		}
		t.follow(before)
	case t.size >= l.maxBytes():
		return l.putAside(t)
	}
	return t, nil
}

func (l *Log) maxBytes() int64 {
	if l.MaxBytes == 0 {
		return DefaultMaxBytes
	}
	return l.MaxBytes
}

// follow makes a file without lines go on where another one ends.
func (t *tail) follow(before *tail) {
	t.created, t.seq, t.hash = true, before.seq, before.hash
	t.torn += before.torn
}

// lastAside is the end of the newest file that was put aside, or the beginning of the chain.
func (l *Log) lastAside() (*tail, error) {
	names, err := l.aside()
	if err != nil || len(names) == 0 {
		return &tail{hash: noHash}, err
	}
	name := names[len(names)-1]
	t, err := l.readTail(name)
	if err != nil {
		return nil, err
	}
	if t.seq == 0 || t.torn > 0 { // it was whole when it was put aside
		err = fmt.Errorf("%w: the end of %s is gone", errDamaged, l.path(name))
	}
	return t, errors.Join(err, t.file.Close())
}

// readTail opens a file and reads its last whole line.
func (l *Log) readTail(name string) (t *tail, err error) {
	file, err := os.OpenFile(l.path(name), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) //nolint:gosec // names of our own
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", l.path(name))
	}
	t = &tail{file: file, hash: noHash}
	start := max(0, info.Size()-2*maxLine)
	text := make([]byte, info.Size()-start)
	if _, err := io.ReadFull(io.NewSectionReader(file, start, int64(len(text))), text); err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	t.size, t.torn = start+int64(whole), len(text)-whole
	if whole == 0 {
		if len(text) >= maxLine {
			return nil, fmt.Errorf("%w: the end of %s is no line of it", errDamaged, l.path(name))
		}
		return t, nil
	}
	last := text[:whole-1]
	last = last[bytes.LastIndexByte(last, '\n')+1:]
	parsed, err := parse(last)
	if err != nil {
		return nil, fmt.Errorf("%w: the last line of %s: %w", errDamaged, l.path(name), err)
	}
	t.seq, t.hash = parsed.Seq, sum(last)
	return t, nil
}

// cutTorn removes what a crash or a full disk left of a line. If it was to begin a call, that was never sent: it is sent
// when the line is whole and on the disk.
func (t *tail) cutTorn() error {
	if t.torn == 0 {
		return nil
	}
	return t.file.Truncate(t.size)
}

// write adds text and waits for the disk. What it could write of a line that does not fit is taken away again.
func (t *tail) write(text []byte, wait bool) error {
	_, err := t.file.Write(text)
	if err == nil && wait {
		err = t.file.Sync()
	}
	if err != nil {
		_ = t.file.Truncate(t.size) // if even this fails, the next run finds a torn line
	}
	return err
}

// putAside renames the full file and begins a new one. Where that is not possible, as on Windows while somebody reads the
// file, the full one grows on.
func (l *Log) putAside(full *tail) (*tail, error) {
	if err := full.file.Close(); err != nil {
		return nil, err
	}
	names, err := l.aside()
	if err != nil {
		return nil, err
	}
	number := 1
	if len(names) > 0 {
		number = asideNumber(names[len(names)-1]) + 1
	}
	renamed := os.Rename(l.path(current), l.path(fmt.Sprintf("audit-%06d.jsonl", number))) == nil //nolint:gosec // names of our own
	t, err := l.readTail(current)
	if err == nil && renamed {
		t.follow(full)
	}
	return t, err
}

// aside are the names of the files that were put aside, oldest first.
func (l *Log) aside() ([]string, error) {
	entries, err := os.ReadDir(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if asideNumber(entry.Name()) > 0 {
			names = append(names, entry.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return asideNumber(a) - asideNumber(b) })
	return names, nil
}

// asideNumber is the number in a name such as audit-000001.jsonl, and 0 for any other name.
func asideNumber(name string) int {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(name, ".jsonl"), "audit-")
	number, err := strconv.Atoi(digits)
	if !ok || err != nil || fmt.Sprintf("audit-%06d.jsonl", number) != name {
		return 0
	}
	return number
}
