package interagentic

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/template"
)

// Action is one action in full with its templates parsed, ready to be rendered many times and by several goroutines.
type Action struct {
	manifest.Action
	path    *template.Text // baseUrl and endpoint in one
	request *request       // nil when the action has no request templates (T-7)
	inPath  []bool         // by index in Params: the argument is used in the endpoint
}

// ParseDetail reads the detail file of an action (IA-9). index is what the index says of the action and baseURL the index's
// baseUrl; the detail wins where they differ, but for the command (IA-6). The error is a [*fault.Error] of kind
// [fault.Manifest] with the code of the first issue that makes the action unusable and its JSON Pointer in Details, or one
// of the codes of [ParseIndex] when the document is unusable as a whole.
func ParseDetail(doc []byte, index manifest.Summary, baseURL string) (*Action, error) {
	if index.Issue != nil {
		return nil, unusable(index.Command, index.Issue)
	}
	r, err := readDetail(doc, index, baseURL)
	if err != nil {
		return nil, err
	}
	if issue := r.worst(0); issue != nil {
		return nil, unusable(index.Command, issue)
	}
	for _, issue := range r.issues() {
		issue.Command = index.Command
		r.action.Issues = append(r.action.Issues, issue)
	}
	return r.action, nil
}

// Lint returns everything that is wrong with a detail file, in document order but for what shows only when all is read.
func Lint(doc []byte, index manifest.Summary, baseURL string) []manifest.Issue {
	r, err := readDetail(doc, index, baseURL)
	if err != nil {
		e := fault.From(err)
		issue := manifest.Issue{Code: e.Code, Message: e.Message, Command: index.Command}
		issue.Pointer, _ = e.Details["pointer"].(string)
		return []manifest.Issue{issue}
	}
	issues := r.issues()
	for i := range issues {
		issues[i].Command = index.Command
	}
	return issues
}

func unusable(command []string, issue *manifest.Issue) *fault.Error {
	e := fault.New(fault.Manifest, issue.Code, "%s cannot be used: %s", joined(command), issue.Message)
	if issue.Pointer != "" {
		e.Details = map[string]any{"pointer": issue.Pointer}
	}
	return e
}

type detailReader struct {
	*reader
	action *Action
	price  price
	args   []argument
}

// argument is a name in args with its place in the document.
type argument struct{ name, pointer string }

func readDetail(doc []byte, index manifest.Summary, baseURL string) (*detailReader, error) {
	r, err := open(doc, MaxDetailBytes)
	if err != nil {
		return nil, err
	}
	d := &detailReader{reader: r, action: &Action{Action: manifest.Action{Summary: index}}}
	d.price = priceOf(index.Payment, "", false)
	d.price.spends = d.price.spends || index.Effect == manifest.Spend
	d.members()
	d.conclude(baseURL)
	return d, nil
}

func (d *detailReader) members() {
	a := d.action
	sawCommand := false
	for name := range d.object(fatal) {
		switch name {
		case "command":
			sawCommand = true
			d.sameCommand()
		case "endpoint":
			a.Endpoint = cmp.Or(d.endpoint(), a.Endpoint)
		case "method":
			a.Method = cmp.Or(d.method(), a.Method)
		case "description":
			d.set(&a.Description)
		case "role":
			d.set(&a.Role)
		case "payment":
			if price := d.payment(); price.cost != nil {
				d.price = price
			}
		case "args":
			d.readArgs()
		case "params":
			d.readParams()
		case "request":
			a.request = d.request()
		case "files":
			a.Files = d.files()
		case "example":
			a.Example = d.example()
		default:
			d.skip()
		}
	}
	if !sawCommand {
		d.addAt("", flaw, "command_missing", "the detail does not say which command it describes")
	}
}

// sameCommand holds the detail to the command under which it was found (IA-6).
func (d *detailReader) sameCommand() {
	if command := d.command(); command != nil && !slices.Equal(command, d.action.Command) {
		d.add(fatal, "command_mismatch", "the detail describes the command %q", joined(command))
	}
}

func (d *detailReader) example() *manifest.Example {
	var example manifest.Example
	for name := range d.object(flaw) {
		switch name {
		case "input":
			if d.next('{', flaw) {
				example.Input = d.raw()
			}
		case "output":
			example.Output = d.raw()
		default:
			d.skip()
		}
	}
	if example.Input == nil && example.Output == nil {
		return nil
	}
	return &example
}

// conclude does what needs the whole document.
func (d *detailReader) conclude(baseURL string) {
	a := d.action
	if a.Method == "" && d.worst(0) == nil {
		d.addAt("", fatal, "method_missing", "neither the index nor the detail names a method")
	}
	if d.price.cost != nil {
		a.Cost, a.Payment = d.price.cost, d.price.cost.Mode
	}
	a.Effect = effectOf(a.Method, d.price.spends)
	a.inPath = make([]bool, len(a.Params))
	d.positional()
	d.parsePath(baseURL)
	d.checkTemplates()
	d.checkFiles()
}

// parsePath parses baseUrl and endpoint in one. It holds the endpoint to required arguments (T-5).
func (d *detailReader) parsePath(baseURL string) {
	a := d.action
	if bad := checkBase(baseURL); bad != nil {
		d.addAt("", fatal, bad.code, "the baseUrl of the index %s", bad.message)
		return
	}
	if bad := checkEndpoint(a.Endpoint); bad != nil {
		switch {
		case d.worst(0) != nil: // most likely the same, found when the endpoint was read
		case a.Endpoint == "":
			d.addAt("", fatal, "endpoint_missing", "neither the index nor the detail names an endpoint")
		default:
			d.addAt("", fatal, bad.code, "the endpoint in the index %s", bad.message)
		}
		return
	}
	a.path, _ = template.ParseText(join(baseURL, a.Endpoint)) // parses as its endpoint did
	for _, ref := range a.path.Refs() {
		switch i := d.declared(ref, "/endpoint"); {
		case i < 0:
		case !a.Params[i].Required:
			d.addAt("/endpoint", fatal, "endpoint_optional", "the endpoint uses %q, which is not required", ref.Name)
		default:
			a.inPath[i] = true
		}
	}
}

// declared returns the index of the parameter that a template names, or -1 with a finding (T-11).
func (d *detailReader) declared(ref template.Ref, pointer string) int {
	i := d.action.index(ref.Name)
	if i < 0 {
		d.addAt(pointer, fatal, "template_undeclared", "the template %s names no parameter", quoteRef(ref))
	}
	return i
}

func quoteRef(ref template.Ref) string { return strconv.Quote(fault.Word(ref.String())) }

// index returns the place of a parameter in Params, or -1.
func (a *Action) index(name string) int {
	return slices.IndexFunc(a.Params, func(p manifest.Param) bool { return p.Name == name })
}
