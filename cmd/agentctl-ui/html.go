package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/render/htmlpage"
	"github.com/agentctl/agentctl/internal/render/markdown"
)

// paintHTML styles the text of a web page. Of one that is too large or too deep, or takes too long, the plain text comes out,
// with a line on standard error: the reader gets the text in any case.
func paintHTML(ctx context.Context, args []string, env environment) error {
	o, err := styleOptions("html", args, env)
	if err != nil {
		return optionsFault(err, env)
	}
	page, err := readInput(ctx, env.In, htmlpage.MaxSize)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, env.Patience)
	defer cancel()
	painted := make(chan picture, 1)
	go func() { painted <- paintPage(page, o) }() // the libraries cannot be stopped: what takes too long ends with the program
	var p picture
	select {
	case p = <-painted:
	case <-limited.Done():
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.err = errors.New("the page takes too long")
	}
	if p.text == nil {
		fmt.Fprintf(env.Err, "hint: shown as plain text: %v\n", p.err)
		return plainText(env.Out, io.MultiReader(bytes.NewReader(page), env.In))
	}
	if p.err != nil {
		fmt.Fprintf(env.Err, "hint: shown as markdown: %v\n", p.err)
	}
	return write(env.Out, string(p.text))
}

// picture is a page as it is shown, and why it is not styled; without a text there is none.
type picture struct {
	text []byte
	err  error
}

func paintPage(page []byte, o markdown.Options) picture {
	source, err := htmlpage.Markdown(page)
	if err != nil {
		return picture{err: err}
	}
	styled, err := markdown.Render(source, o)
	return picture{styled, err}
}

func plainText(w io.Writer, page io.Reader) error {
	clean := render.CleanWriter(w)
	if err := htmlpage.PlainText(clean, page); err != nil {
		return render.OutputError(err)
	}
	return render.OutputError(clean.Close())
}
