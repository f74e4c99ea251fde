// Package render turns an answer or a fault into what a person or a program reads: bytes for a terminal, a pipe or a
// file (contract sections 3 and 4). It knows neither HTTP nor the command line. What it shows comes from strangers, so
// it also decides what may reach a terminal.
package render

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/streams"
)

// Body is what a site answered.
type Body struct {
	ContentType string // as sent; "" when unknown: then the first bytes decide between text and binary
	Reader      io.Reader
	Length      int64 // bytes that Reader will give, -1 when unknown
}

// JSONBody is a document of our own, for commands that print one through [Result].
func JSONBody(doc []byte) Body {
	return Body{ContentType: "application/json", Reader: bytes.NewReader(doc), Length: int64(len(doc))}
}

// Options say in which form a body is wanted.
type Options struct {
	Format   string       // one of [Formats]; "" is the human form
	JQ       string       // a jq program that the body goes through; the result is printed and Format is ignored
	Columns  []ColumnPath // of table and csv; nil leaves the choice to them
	Template *Template    // a template that the body goes through; Format is ignored
	Now      time.Time    // what times are told from, on a terminal and in templates
	Style    Styler       // renders markup for a terminal; nil, as on one that cannot show it: it is printed as it came
	Quiet    bool         // no hints
}

// Styler renders markup for a terminal of so many columns. When it fails the source is printed as it came.
type Styler func(ctx context.Context, markup Markup, source []byte, width int) ([]byte, error)

// Markup is what a [Styler] renders; it goes by the name that agentctl-ui has for it.
type Markup string

// The kinds of markup.
const (
	Markdown Markup = "markdown"
	HTML     Markup = "html"
)

// Formats are the values of [Options].Format besides the human form.
func Formats() []string { return []string{"json", "yaml", "table", "csv", "ndjson", "raw"} }

const (
	firstRead        = 32 << 10
	maxMarkdownWidth = 120 // columns; longer lines are tiring to read
)

// Result prints a body on s.Out (contract section 3, R-1). An empty body prints nothing. The json and raw forms are
// passed on as they are read, in constant memory; the others hold the whole body.
//
// On a terminal whatever comes from the site is cleaned as [Clean] says (JSON: escaped), and a binary body is the fault
// "binary_on_terminal". A failing s.Out is [ErrOutputClosed] or the fault "write_failed"; an error of b.Reader comes back
// as it is. No fault that depends on the body is of the usage kind, which promises that nothing was sent (contract,
// section 4); whether a request was sent is known to the caller.
func Result(ctx context.Context, s *streams.Streams, b Body, o Options) error {
	in := bufio.NewReaderSize(contextReader{ctx, b.Reader}, firstRead)
	kind, err := detect(b.ContentType, in)
	if err != nil || kind == empty {
		return err
	}
	p := printer{Streams: s, out: guard(s.Out), in: in, kind: kind, contentType: b.ContentType}
	switch {
	case o.JQ != "":
		return p.jq(ctx, o.JQ)
	case o.Template != nil:
		return p.document(func(w io.Writer, doc []byte) error { return p.template(ctx, w, doc, o) })
	}
	switch o.Format {
	case "":
		return p.human(ctx, o)
	case "json":
		return p.verbatim(true)
	case "raw":
		return p.verbatim(false)
	case "yaml":
		return p.document(YAML)
	case "table":
		return p.document(func(w io.Writer, doc []byte) error { return p.table(w, doc, o) })
	case "csv":
		return p.document(func(w io.Writer, doc []byte) error { return p.csv(w, doc, o) })
	case "ndjson":
		return p.document(NDJSON)
	}
	return fault.New(fault.Usage, "invalid_format", "%q is not an output format; known are %q", o.Format, Formats())
}

// printer is one body on its way to one output.
type printer struct {
	*streams.Streams
	out         io.Writer
	in          *bufio.Reader
	kind        kind
	contentType string
}

func (p printer) human(ctx context.Context, o Options) error {
	switch {
	case p.kind == markdown && p.OutTTY && o.Style != nil:
		return p.styled(ctx, Markdown, o)
	case p.kind == webPage && p.OutTTY && o.Style != nil:
		return p.styled(ctx, HTML, o)
	case p.kind == jsonDocument:
		doc, err := io.ReadAll(p.in)
		if err != nil {
			return err
		}
		if err := Pretty(p.out, doc, p.Color); !isNotJSON(err) {
			return err
		}
		p.in, p.kind = bufio.NewReader(bytes.NewReader(doc)), text
	}
	return p.verbatim(p.OutTTY) // so that the prompt starts on its own line
}

func (p printer) styled(ctx context.Context, markup Markup, o Options) error {
	source, err := io.ReadAll(p.in)
	if err != nil {
		return err
	}
	styled, err := o.Style(ctx, markup, source, min(p.Width, maxMarkdownWidth))
	switch {
	case err == nil:
		return writeAll(p.out, OnlyColors(styled, p.Color))
	case ctx.Err() != nil:
		return ctx.Err()
	case !o.Quiet:
		fmt.Fprintf(p.Err, "hint: %s is shown as it came: %s\n", markup, CleanLine(err.Error()))
	}
	p.in = bufio.NewReader(bytes.NewReader(source))
	return p.verbatim(true)
}

// verbatim passes the body on unchanged, except that on a terminal nothing unsafe comes through. With newline, text
// that does not end in one gets it.
func (p printer) verbatim(newline bool) error {
	if p.OutTTY && p.kind == binary {
		return p.binaryOnTerminal()
	}
	last := &lastByte{w: p.out}
	if err := p.copyTo(last); err != nil {
		return err
	}
	if newline && p.kind != binary && last.byte != '\n' {
		return writeAll(p.out, []byte{'\n'})
	}
	return nil
}

func (p printer) copyTo(w io.Writer) error {
	if !p.OutTTY {
		_, err := io.Copy(w, p.in)
		return err
	}
	clean := CleanWriter(w)
	if p.kind == jsonDocument {
		clean = escapeWriter(w)
	}
	if _, err := io.Copy(clean, p.in); err != nil {
		return err
	}
	return clean.Close()
}

// document prints the body, which has to be JSON, in another form.
func (p printer) document(show func(io.Writer, []byte) error) error {
	doc, err := io.ReadAll(p.in)
	if err != nil {
		return err
	}
	err = show(p.out, doc)
	if isNotJSON(err) {
		return p.notJSON(err)
	}
	return err
}

func (p printer) table(w io.Writer, doc []byte, o Options) error {
	t := TableOptions{ColumnOptions: ColumnOptions{Header: p.Color}, Columns: o.Columns, Note: p.hint(o)}
	if p.OutTTY {
		t.Width = p.Width
		t.Person = &Person{Now: o.Now, Links: p.Color}
	}
	return Table(w, doc, t)
}

func (p printer) csv(w io.Writer, doc []byte, o Options) error {
	if !p.OutTTY {
		return CSV(w, doc, o.Columns, p.hint(o))
	}
	clean := CleanWriter(w)
	if err := CSV(clean, doc, o.Columns, p.hint(o)); err != nil {
		return err
	}
	return clean.Close()
}

func (p printer) template(ctx context.Context, w io.Writer, doc []byte, o Options) error {
	t := TemplateOptions{Now: o.Now, Terminal: p.OutTTY, Color: p.Color}
	if p.OutTTY {
		t.Width = p.Width
	}
	return o.Template.Run(ctx, w, doc, t)
}

// hint tells what helps with an answer and belongs to none.
func (p printer) hint(o Options) func(string) {
	return func(text string) {
		if !o.Quiet {
			fmt.Fprintf(p.Err, "hint: %s\n", CleanLine(text))
		}
	}
}

func (p printer) binaryOnTerminal() error {
	what := "the answer is binary"
	if p.contentType != "" {
		what = fmt.Sprintf("the answer is binary (%s)", CleanLine(p.contentType))
	}
	return fault.New(fault.Internal, "binary_on_terminal", "%s and does not belong on a terminal", what).WithHint("--save FILE")
}

func (p printer) notJSON(cause error) error {
	what := "the answer is not JSON"
	if p.kind != jsonDocument && p.contentType != "" {
		what = fmt.Sprintf("the answer is %s, not JSON", CleanLine(p.contentType))
	}
	return fault.New(fault.Rejected, "not_json", "%s: %w", what, cause).WithHint("-o raw")
}

// contextReader stops a copy when the run is interrupted between two reads.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
