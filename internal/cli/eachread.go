package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/fault"
)

// open begins to read the file.
func (b *eachRun) open(ctx context.Context) (lines *batch.Reader, done func(), err error) {
	done = func() {}
	in := b.In
	if name := string(b.each.file); name != "-" {
		file, err := patiently(ctx, func() (fs.File, error) { return b.Disk.Open(name) }) // a pipe that nobody writes to never opens
		if ctx.Err() != nil {
			return nil, done, ctx.Err()
		}
		if err != nil {
			return nil, done, fault.New(fault.Usage, "invalid_input", "--each: %w", err)
		}
		done = func() { _ = file.Close() }
		in = file
	}
	lines, err = batch.NewReader(&patientReader{ctx: ctx, in: in}, string(b.each.format))
	if err == nil {
		err = b.columns(lines.Header)
	}
	if err != nil {
		done()
		return nil, func() {}, eachFault(ctx, err)
	}
	return lines, done, nil
}

// eachFault says of a failure to read that it was about --each.
func eachFault(ctx context.Context, err error) error {
	switch e, ok := errors.AsType[*fault.Error](err); {
	case ctx.Err() != nil:
		return ctx.Err()
	case ok && e.Code == "invalid_input":
		return fault.New(fault.Usage, e.Code, "--each: %w", err)
	case ok:
		return err
	}
	return fault.New(fault.Usage, "invalid_input", "--each: %w", err)
}

// readLines reads some lines, to be checked together.
func readLines(lines *batch.Reader) (all []lineToCheck, err error) {
	for len(all) < chunkOfLines {
		in, err := lines.Next()
		if wrong, ok := errors.AsType[*batch.LineError](err); ok {
			all = append(all, lineToCheck{number: wrong.Number, problems: []fault.Problem{{Keyword: "input", Message: wrong.Message}}})
			continue
		}
		if errors.Is(err, io.EOF) && len(all) > 0 {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, lineToCheck{in: in, number: in.Number})
	}
	return all, nil
}

// patientReader gives up when ctx ends, even where what it reads from never says that it has no more. Who said so once is not
// asked again: a terminal would wait for another Ctrl-D.
type patientReader struct {
	ctx   context.Context
	in    io.Reader
	ended bool
}

func (r *patientReader) Read(p []byte) (int, error) {
	if r.ended {
		return 0, io.EOF
	}
	own := make([]byte, len(p)) // p is the caller's again when this one gives up
	n, err := patiently(r.ctx, func() (int, error) { return r.in.Read(own) })
	r.ended = errors.Is(err, io.EOF)
	return copy(p, own[:n]), err
}

// patiently returns what do returns, or gives up waiting for it when ctx ends.
func patiently[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case got := <-done:
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
