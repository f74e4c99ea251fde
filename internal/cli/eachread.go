package cli

import (
	"context"
	"errors"
	"io"

	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/fault"
)

// open begins to read the file.
func (b *eachRun) open(ctx context.Context) (lines *batch.Reader, done func(), err error) {
	done = func() {}
	in := b.In
	if name := string(b.each.file); name != "-" {
		file, err := b.Disk.Open(name)
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

// patientReader gives up when ctx ends, even where what it reads from never says that it has no more.
type patientReader struct {
	ctx context.Context
	in  io.Reader
}

func (r *patientReader) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	own := make([]byte, len(p)) // p is the caller's again when this one gives up
	go func() {
		n, err := r.in.Read(own)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(p, own[:got.n]), got.err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}
