package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/render/markdown"
)

const defaultWidth = 80

// paintMarkdown styles standard input. What is too long or cannot be styled comes out as it came, cleaned, with a line on
// standard error: the reader gets the text in any case.
func paintMarkdown(ctx context.Context, args []string, env environment) error {
	o, err := styleOptions("markdown", args, env)
	if err != nil {
		return optionsFault(err, env)
	}
	source, err := readInput(ctx, env.In, markdown.MaxSize)
	if err != nil {
		return err
	}
	styled, err := markdown.Render(source, o)
	if err != nil {
		fmt.Fprintf(env.Err, "hint: shown as it came: %v\n", err)
		return copyClean(env.Out, io.MultiReader(bytes.NewReader(source), env.In))
	}
	return write(env.Out, string(styled))
}

// readInput reads one byte more than limit at most, which tells that there is more.
func readInput(ctx context.Context, in io.Reader, limit int64) ([]byte, error) {
	source, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading standard input: %w", err)
	}
	return source, ctx.Err()
}

func copyClean(w io.Writer, r io.Reader) error {
	clean := render.CleanWriter(w)
	if _, err := io.Copy(clean, r); err != nil {
		return render.OutputError(err)
	}
	return render.OutputError(clean.Close())
}
