package render

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"text/template"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxTemplateOutput bounds what a template prints, in bytes: a loop in it may never end.
const maxTemplateOutput = 64 << 20

// Template is a Go template, checked and ready to run. It sees its input and nothing else.
type Template struct{ parsed *template.Template }

// CompileTemplate checks a template, so that a mistake in it is found before a request is sent. Its error is the usage fault
// "invalid_template".
func CompileTemplate(text string) (*Template, error) {
	parsed, err := template.New("").Funcs(new(templateRun).functions()).Parse(text)
	if err != nil {
		return nil, fault.New(fault.Usage, "invalid_template", "--template: %w", err)
	}
	return &Template{parsed}, nil
}

// TemplateOptions say where a template prints to.
type TemplateOptions struct {
	Now      time.Time
	Terminal bool // what comes from the site is cleaned
	Color    bool // for autocolor, and, on a terminal, for hyperlink
	Width    int  // of the terminal, for tablerender; 0: rows are not cut
}

// Run applies the template to a JSON document and prints the result, at most 64 MiB. Numbers keep their digits. It ends with
// ctx, even where the template does not: the time limit of the call holds for it. Its error is of ctx, of w, of
// [strictjson.Check], or the fault "template_failed"; of kind internal, as the answer that it fails on is there by then.
func (t *Template) Run(ctx context.Context, w io.Writer, document []byte, o TemplateOptions) error {
	if err := strictjson.Check(document); err != nil {
		return err
	}
	in := json.NewDecoder(bytes.NewReader(document))
	in.UseNumber()
	var data any
	if err := in.Decode(&data); err != nil {
		return err
	}
	if o.Terminal {
		data = cleaned(data)
	}
	type result struct {
		out []byte
		err error
	}
	done := make(chan result, 1)
	go func() { // a template that loops without printing cannot be stopped; the process ends soon after
		r := &templateRun{TemplateOptions: o, ctx: ctx}
		err := r.execute(t.parsed, data)
		done <- result{r.out.Bytes(), err}
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case r := <-done:
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if o.Terminal { // a template can cut a character in two
			r.out = bytes.ToValidUTF8(r.out, []byte(replacement))
		}
		if err := writeAll(w, r.out); err != nil { // what came before a failure is shown
			return err
		}
		if r.err != nil {
			return fault.New(fault.Internal, "template_failed", "--template: %w", r.err)
		}
		return nil
	}
}

// templateRun is one run of a template: what it printed so far, and the rows of its table.
type templateRun struct {
	TemplateOptions
	ctx  context.Context // of this one run: it stops a loop that prints
	out  bytes.Buffer
	rows [][]string
	held int // bytes of rows
}

func (r *templateRun) execute(parsed *template.Template, data any) error {
	copied, err := parsed.Clone()
	if err != nil {
		return err
	}
	if err := copied.Funcs(r.functions()).Execute(r, data); err != nil {
		return err
	}
	rest, err := r.tableRender()
	if err != nil {
		return err
	}
	_, err = r.Write([]byte(rest))
	return err
}

var errTooMuchOutput = errors.New("it prints more than 64 MiB")

// Write takes what the template prints.
func (r *templateRun) Write(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if r.out.Len()+len(p) > maxTemplateOutput {
		return 0, errTooMuchOutput
	}
	return r.out.Write(p)
}

// cleaned makes the strings of a decoded document fit for a terminal.
func cleaned(value any) any {
	switch value := value.(type) {
	case string:
		return Clean(value)
	case []any:
		for i := range value {
			value[i] = cleaned(value[i])
		}
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, member := range value {
			out[Clean(name)] = cleaned(member)
		}
		return out
	}
	return value
}

// templateText is what a value looks like in the text of a template.
func templateText(value any) (string, error) {
	switch value := value.(type) {
	case nil:
		return "", nil
	case string:
		return value, nil
	case json.Number:
		return value.String(), nil
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}
