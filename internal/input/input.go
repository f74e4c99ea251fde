// Package input turns the words of a command line into typed JSON values and checks them against the JSON Schemas of an
// action's parameters (contract section 2, rules ), and files into uploads (F-1 to F-3). It knows nothing of
// HTTP or of the library that parses the command line; files come in through functions.
package input

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Set is the compiled form of an action's parameters. It is read-only: calls may use it side by side.
type Set struct {
	params    []param
	index     map[string]int // position in params by exact name
	positions []int          // of the parameters that may be given by position, in order
	whole     *schema.Schema // of all arguments as one object; nil where each parameter has its own
}

type param struct {
	manifest.Param
	schema *schema.Schema // nil when nothing is said
	secret bool
}

// pointer returns the JSON Pointer, into the arguments, to the parameter's value or a part of it.
func (p *param) pointer(path []string) string {
	return jsontree.Pointer(jsontree.Pointer("", p.Name), path...)
}

// Compile checks and prepares the schemas of an action's parameters. args are the names that may be given by position.
//
// Its error is a [*fault.Error] of kind [fault.Manifest]: the action cannot be used. The code is "schema_invalid",
// "schema_too_complex" or "schema_remote_ref", details hold "param" and "pointer", a JSON Pointer into the schema.
func Compile(params []manifest.Param, args []string) (*Set, error) {
	s := &Set{index: make(map[string]int, len(params))}
	compiler := schema.NewCompiler()
	for i, p := range params {
		if _, twice := s.index[p.Name]; twice {
			return nil, unusable(p.Name, &schema.Error{Code: schema.CodeInvalid, Message: "the parameter is declared twice"})
		}
		raw := p.Schema
		if raw == nil {
			raw = jsontext.Value("true")
		}
		compiled, err := compiler.Compile(raw)
		if err != nil {
			return nil, unusable(p.Name, err)
		}
		s.index[p.Name] = i
		s.params = append(s.params, newParam(p, compiled))
	}
	s.positions = s.positional(args)
	return s, nil
}

func newParam(p manifest.Param, s *schema.Schema) param {
	return param{Param: p, schema: s, secret: secret(s)}
}

func unusable(name string, err error) error {
	e := schemaFault(err)
	e.Message = fmt.Sprintf("parameter %q: %v", cut(name), err)
	e.Details["param"] = name
	return e
}

// schemaFault says that a schema makes an action unusable.
func schemaFault(err error) *fault.Error {
	e := fault.New(fault.Manifest, schema.CodeInvalid, "%w", err)
	e.Details = map[string]any{}
	if problem, ok := errors.AsType[*schema.Error](err); ok {
		e.Code, e.Details["pointer"] = problem.Code, problem.Pointer
	}
	return e
}

// Params returns the parameters in order. Where they come from one schema of all arguments ([CompileObject]), Schema is
// set only if it stands alone.
func (s *Set) Params() []manifest.Param {
	out := make([]manifest.Param, len(s.params))
	for i := range s.params {
		out[i] = s.params[i].Param
	}
	return out
}

// positional keeps of the published args what can work (IA-10): declared names, each once, up to the first required
// parameter behind an optional one. The rest is reached by flags.
func (s *Set) positional(args []string) []int {
	var out []int
	used := map[int]bool{}
	optional := false
	for _, name := range args {
		i, declared := s.index[name]
		if !declared || used[i] {
			continue
		}
		if s.params[i].Required && optional {
			break
		}
		optional = optional || !s.params[i].Required
		used[i] = true
		out = append(out, i)
	}
	return out
}

// Positions returns the names of the parameters that may be given by position, in order. When the last one is a list
// it takes all the words that are left.
func (s *Set) Positions() []string {
	out := make([]string, len(s.positions))
	for i, at := range s.positions {
		out[i] = s.params[at].Name
	}
	return out
}
