package cli

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
)

// output reads from the flags how a result is to be printed.
func (r *run) output() (render.Options, error) {
	o := render.Options{Format: r.Output, JQ: r.JQ, Style: r.Styler, Quiet: r.Quiet, Now: r.Now()}
	conflict := func(a, b string) (render.Options, error) {
		return o, fault.New(fault.Usage, "invalid_flag", "%s and %s exclude each other", a, b).WithHint("agentctl --help")
	}
	switch {
	case o.Format != "" && !slices.Contains(render.Formats(), o.Format):
		return o, fault.New(fault.Usage, "invalid_flag", "-o %q: the formats are %s", o.Format, orList(render.Formats())).WithHint("agentctl --help")
	case r.JSON && o.Format != "" && o.Format != "json":
		return conflict("--json", "-o "+o.Format)
	case r.JQ != "" && o.Format != "" && o.Format != "json":
		return conflict("--jq", "-o "+o.Format)
	case r.JQ != "" && r.Save != "":
		return conflict("--jq", "--save")
	case r.Template != "" && r.JQ != "":
		return conflict("--template", "--jq")
	case r.Template != "" && r.JSON:
		return conflict("--template", "--json")
	case r.Template != "" && o.Format != "":
		return conflict("--template", "-o "+o.Format)
	case r.Template != "" && r.Save != "":
		return conflict("--template", "--save")
	case r.Columns != "" && o.Format != "table" && o.Format != "csv":
		return o, fault.New(fault.Usage, "invalid_flag", "--columns goes with -o table or -o csv").WithHint("agentctl --help")
	case r.Columns != "" && r.Save != "":
		return conflict("--columns", "--save")
	case r.Yes && r.Approve != "":
		return conflict("--yes", "--approve")
	}
	if r.JSON {
		o.Format = "json"
	}
	if r.JQ != "" {
		if _, err := render.CompileJQ(r.JQ); err != nil {
			return o, err
		}
	}
	var err error
	if r.Columns != "" {
		if o.Columns, err = render.ParseColumns(r.Columns); err != nil {
			return o, err
		}
	}
	if r.Template != "" {
		if o.Template, err = render.CompileTemplate(r.Template); err != nil {
			return o, err
		}
	}
	if r.Save != "" {
		return o, render.CheckSave(r.Save)
	}
	return o, nil
}

// printJSON prints a document of our own in the form that the flags ask for.
func (r *run) printJSON(document []byte) error {
	o, err := r.output()
	if err != nil {
		return err
	}
	if o.Format == "" && o.JQ == "" && o.Template == nil {
		o.Format = "json"
	}
	if r.Save != "" {
		return render.Save(context.Background(), r.Streams, render.JSONBody(append(document, '\n')), r.Save, r.Quiet)
	}
	return r.paged(func() error { return render.Result(context.Background(), r.Streams, render.JSONBody(document), o) })
}

// structured tells whether a built-in command prints a document rather than lines for people.
func (r *run) structured() bool { return r.raw() }

// print shows document to programs and calls human for people.
func (r *run) print(document any, human func() error) error {
	if !r.structured() {
		return r.paged(human)
	}
	encoded, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return r.printJSON(encoded)
}
