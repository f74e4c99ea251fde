package interagentic

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

func (d *detailReader) readParams() {
	params := &d.action.Params
	for i := range d.array(fatal) {
		if i >= MaxParams {
			d.skip()
			if i == MaxParams {
				d.add(fatal, "too_many_params", "an action has at most %d parameters", MaxParams)
			}
			continue
		}
		mark := len(d.found)
		param := d.param()
		switch {
		case d.worst(mark) != nil:
		case d.action.index(param.Name) >= 0:
			d.add(fatal, "param_duplicate", "the parameter %q is there twice", param.Name)
		default:
			*params = append(*params, param)
		}
	}
}

func (d *detailReader) param() manifest.Param {
	var (
		p     manifest.Param
		named bool
		mark  = len(d.found)
	)
	for name := range d.object(fatal) {
		switch name {
		case "name":
			p.Name, named = d.text(fatal)
			if named && !validName(p.Name) {
				d.add(fatal, "param_invalid", "%q cannot be the name of a parameter: 1 to %d bytes without control or invisible characters", fault.Word(p.Name), MaxNameBytes)
			}
		case "label":
			d.set(&p.Label)
		case "description":
			d.set(&p.Description)
		case "example":
			p.Example = d.raw()
		case "required":
			p.Required = d.boolean(fatal)
		case "type":
			d.schema(&p)
		default:
			d.skip()
		}
	}
	if !named && d.worst(mark) == nil {
		d.add(fatal, "param_invalid", "%s has no name", lastName(d.at()))
	}
	return p
}

// schema reads a JSON Schema, which is an object or a boolean. Whether it compiles is for the validator to say.
func (d *detailReader) schema(p *manifest.Param) {
	switch d.d.PeekKind() {
	case '{', 't', 'f', 'n':
		p.Schema = d.raw()
	default:
		d.skip()
		d.add(fatal, "schema_invalid", `the type must be a JSON Schema, which is an object such as {"type":"string"} or a boolean`)
	}
}

// validName refuses what cannot be typed as a flag or shows as something else: control characters, and those that steer
// layout or direction.
func validName(name string) bool {
	invisible := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
	return name != "" && len(name) <= MaxNameBytes && !strings.ContainsFunc(name, invisible)
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, unicode.IsControl)
}

func (d *detailReader) readArgs() {
	for range d.array(flaw) {
		if name, ok := d.text(flaw); ok {
			d.args = append(d.args, argument{name, d.at()})
		}
	}
}

// positional decides which arguments may be given by position (IA-10). A name that cannot is left out. A required argument
// behind an optional one could not be given alone, so positions end there.
func (d *detailReader) positional() {
	a := d.action
	optional := ""
	for _, arg := range d.args {
		i := a.index(arg.name)
		switch {
		case i < 0:
			d.addAt(arg.pointer, flaw, "args_undeclared", "args names %q, which is no parameter", fault.Word(arg.name))
			continue
		case slices.Contains(a.Args, arg.name):
			d.addAt(arg.pointer, flaw, "args_duplicate", "args names %q twice", arg.name)
			continue
		case a.Params[i].Required && optional != "":
			d.addAt(arg.pointer, flaw, "args_order", "the required %q stands behind the optional %q, so from here on there are flags only", arg.name, optional)
			return
		case !a.Params[i].Required:
			optional = arg.name
		}
		a.Args = append(a.Args, arg.name)
	}
}
