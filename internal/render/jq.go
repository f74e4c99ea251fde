package render

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"

	"github.com/agentctl/agentctl/internal/fault"
)

// Query is a jq program, checked and ready to run. It sees its input and nothing else: no environment, no files.
type Query struct{ code *gojq.Code }

// CompileJQ checks a jq program, so that a mistake in it is found before a request is sent. Its error is the usage fault
// "invalid_jq".
func CompileJQ(expr string) (*Query, error) {
	parsed, err := gojq.Parse(expr)
	if err != nil {
		if e, ok := errors.AsType[*gojq.ParseError](err); ok {
			return nil, invalidJQ(expr, fmt.Errorf("%w at byte %d", err, e.Offset))
		}
		return nil, invalidJQ(expr, err)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, invalidJQ(expr, err)
	}
	return &Query{code}, nil
}

func invalidJQ(expr string, err error) error {
	return fault.New(fault.Usage, "invalid_jq", "--jq %q: %w", expr, err)
}

// Run applies the program to every JSON value in r and prints each result on a line: a string as its text, anything else
// as compact JSON. Numbers that the program passes through keep their digits; the members of objects come sorted by
// name, as jq in Go keeps no order. Run ends with ctx. Its error is of ctx, of r, of w, a [*json.SyntaxError] for input
// that is not JSON, or the fault "jq_failed"; of kind internal, since the answer that it fails on is there by then and
// the usage kind promises that nothing was sent.
func (q *Query) Run(ctx context.Context, w io.Writer, r io.Reader) error { return q.run(ctx, w, w, r) }

// run prints strings on text and other values on doc, which clean in different ways.
func (q *Query) run(ctx context.Context, text, doc io.Writer, r io.Reader) error {
	in := json.NewDecoder(r)
	in.UseNumber()
	for {
		var value any
		if err := in.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := q.apply(ctx, text, doc, value); err != nil {
			return err
		}
	}
}

func (q *Query) apply(ctx context.Context, text, doc io.Writer, input any) error {
	for results := q.code.RunWithContext(ctx, input); ; {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		var err error
		switch result := result.(type) {
		case error:
			if halt, ok := errors.AsType[*gojq.HaltError](result); ok && halt.Value() == nil {
				return nil // the program asked to stop
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fault.New(fault.Internal, "jq_failed", "--jq: %w", result)
		case string:
			err = writeAll(text, append([]byte(result), '\n'))
		default:
			line, encodeErr := gojq.Marshal(result)
			if encodeErr != nil {
				return fault.New(fault.Internal, "jq_failed", "--jq: %w", encodeErr)
			}
			err = writeAll(doc, append(line, '\n'))
		}
		if err != nil {
			return err
		}
	}
}

func (p printer) jq(ctx context.Context, expr string) error {
	query, err := CompileJQ(expr)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(p.in)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.out)
	text, doc := io.Writer(out), io.Writer(out)
	if p.OutTTY { // every line is written whole, so nothing is ever held back
		text, doc = CleanWriter(out), escapeWriter(out)
	}
	err = query.run(ctx, text, doc, bytes.NewReader(body))
	if _, ok := errors.AsType[*json.SyntaxError](err); ok || errors.Is(err, io.ErrUnexpectedEOF) {
		err = p.notJSON(err)
	}
	return cmp.Or(err, out.Flush()) // what came before a failure is shown
}
