package render

import (
	"errors"
	"io"
	"io/fs"

	"github.com/agentctl/agentctl/internal/fault"
)

// ErrOutputClosed means that whoever read the output has gone (`agentctl … | head`). The run ends quietly: nothing is
// wrong, and nobody is left to tell.
var ErrOutputClosed = errors.New("the reader of the output is gone")

// guard returns a writer whose errors say that the output failed: [ErrOutputClosed] or the fault "write_failed". It keeps
// them apart from errors of the source in a copy.
func guard(w io.Writer) io.Writer { return guarded{w} }

type guarded struct{ w io.Writer }

func (g guarded) Write(p []byte) (int, error) {
	n, err := g.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return n, OutputError(err)
}

// OutputError says that an error came from writing the output: it returns [ErrOutputClosed] when the reader has gone,
// nil for nil and the internal fault "write_failed" for anything else.
func OutputError(err error) error { return writeError("the output", err) }

// codeWriteFailed is the code of an output or a file that takes no more.
const codeWriteFailed = "write_failed"

func writeError(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrOutputClosed), isWriteError(err): // said already
		return err
	case isClosedPipe(err):
		return ErrOutputClosed
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err // its path may be a temporary name
	}
	return fault.New(fault.Internal, codeWriteFailed, "cannot write %s: %w", name, err)
}

func isWriteError(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && e.Code == codeWriteFailed
}

func writeAll(w io.Writer, p []byte) error {
	_, err := w.Write(p)
	return err
}

// lastByte remembers the last byte that went through it.
type lastByte struct {
	w    io.Writer
	byte byte
}

func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.byte = p[len(p)-1]
	}
	return l.w.Write(p)
}
