package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render/outfile"
	"github.com/agentctl/agentctl/internal/streams"
)

const saveBuffer = 256 << 10 // what one write of Save takes at most

// CheckSave reports, as the usage fault "invalid_path", why [Save] could not write to path: for use before a request is
// sent, whose answer would be lost otherwise.
func CheckSave(path string) error {
	if isOut(path) {
		return nil
	}
	if err := outfile.Check(path); err != nil {
		return fault.New(fault.Usage, "invalid_path", "--save %q: %w", path, bareError(err))
	}
	return nil
}

// Save streams a body to a file in constant memory, unchanged. The file appears whole or not at all; one that is there is
// replaced when the new one is complete. "-" and "/dev/stdout" are s.Out, to which a binary body is not written if it is
// a terminal. Devices and named pipes are written directly. While it takes long, a progress bar is shown on s.Err if that
// is a terminal, unless quiet.
//
// A body that ends before b.Length is the fault "incomplete", an unusable path or a failing file "write_failed"; an error
// of b.Reader comes back as it is. An empty body makes an empty file.
func Save(ctx context.Context, s *streams.Streams, b Body, path string, quiet bool) error {
	if isOut(path) {
		return Result(ctx, s, b, Options{Format: "raw", Quiet: quiet})
	}
	f, err := outfile.Create(ctx, path)
	switch {
	case ctx.Err() != nil:
		if err == nil {
			err = f.Abort()
		}
		return errors.Join(ctx.Err(), err)
	case err != nil:
		return writeError(fmt.Sprintf("%q", path), err)
	case f.IsTerminal():
		t := *s
		t.Out, t.OutTTY = f, true
		return errors.Join(Result(ctx, &t, b, Options{Format: "raw", Quiet: quiet}), f.Commit())
	}
	bar := startProgress(s, b.Length, quiet)
	err = saveTo(ctx, f, b, path, bar)
	if err != nil {
		bar.stop("")
		_ = f.Abort() // the failure that led here is the one to report
		return err
	}
	if err := f.Commit(); err != nil {
		bar.stop("")
		return writeError(fmt.Sprintf("%q", path), err)
	}
	bar.stop(path)
	return nil
}

func isOut(path string) bool { return path == "-" || path == "/dev/stdout" }

func saveTo(ctx context.Context, f io.Writer, b Body, path string, bar *progress) error {
	out := &saveWriter{w: f, name: fmt.Sprintf("%q", path), bar: bar}
	n, err := io.CopyBuffer(out, struct{ io.Reader }{contextReader{ctx, b.Reader}}, make([]byte, saveBuffer))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case b.Length >= 0 && n != b.Length:
		return fault.New(fault.Unavailable, "incomplete", "the answer ended after %d of %d bytes", n, b.Length)
	}
	return nil
}

// saveWriter counts what it writes and says in its errors which file failed.
type saveWriter struct {
	w    io.Writer
	name string
	bar  *progress
}

func (w *saveWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	w.bar.add(n)
	return n, writeError(w.name, err)
}

// bareError drops operation and path, which the message names already.
func bareError(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
