// Package input turns the words of a command line into typed JSON values and checks them against the JSON Schemas of an
// action's parameters (contract section 2, rules ), and files into uploads (F-1 to F-3). It knows nothing of
// HTTP or of the library that parses the command line; files come in through functions.
//
// Schemas come from strangers. Before the validator sees one it is measured: size, number of schemas, references, and
// how many schemas apply to one and the same value. Checking has a deadline all the same.
package input

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Set is the compiled form of an action's parameters. It is read-only: calls may use it side by side.
type Set struct {
	params    []param
	index     map[string]int // position in params by exact name
	positions []int          // of the parameters that may be given by position, in order
	guarded   bool           // checking may take long, whatever the size of the values
}

type param struct {
	manifest.Param
	outline *schema // never nil
	secret  bool
}

// pointer returns the JSON Pointer, into the arguments, to the parameter's value or a part of it.
func (p *param) pointer(path []string) string { return pointerTo("", p.Name) + pointerOf(path) }

// Compile checks and prepares the schemas of an action's parameters. args are the names that may be given by position.
//
// Its error is a [*fault.Error] of kind [fault.Manifest]: the action cannot be used. The code is "schema_invalid",
// "schema_too_complex" or "schema_remote_ref", details hold "param" and "pointer", a JSON Pointer into the schema.
func Compile(params []manifest.Param, args []string) (*Set, error) {
	s := &Set{index: make(map[string]int, len(params))}
	patterns := newPatterns()
	compiler := newCompiler(patterns)
	left := &budget{schemas: maxAllSchemas, patterns: maxAllPatterns}
	for i, p := range params {
		if _, twice := s.index[p.Name]; twice {
			return nil, unusable(p.Name, invalid("", "the parameter is declared twice"))
		}
		outline, err := compileParam(compiler, fmt.Sprintf("param:///%d", i), p.Schema, left)
		if err != nil {
			return nil, unusable(p.Name, err)
		}
		s.guarded = s.guarded || outline.size(map[*schema]int{}) > maxUnguarded
		s.index[p.Name] = i
		s.params = append(s.params, param{Param: p, outline: outline, secret: secret(outline)})
	}
	s.guarded = s.guarded || patterns.backtrack()
	s.positions = s.positional(args)
	return s, nil
}

func unusable(name string, err error) error {
	e := fault.New(fault.Manifest, "schema_invalid", "parameter %q: %w", cut(name), err)
	details := map[string]any{"param": name}
	if problem, ok := errors.AsType[*schemaError](err); ok {
		e.Code, details["pointer"] = problem.code, problem.pointer
	}
	e.Details = details
	return e
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

// compileParam vets and compiles one schema under a URL of its own, so that references cannot leave it.
func compileParam(compiler *jsonschema.Compiler, url string, raw []byte, left *budget) (*schema, error) {
	if raw == nil {
		raw = []byte("true")
	}
	if len(raw) > maxSchemaBytes {
		return nil, tooComplex("", "the schema is larger than %d KiB", maxSchemaBytes>>10)
	}
	if err := strictjson.Check(raw); err != nil {
		return nil, invalid("", "the schema cannot be read: %v", err)
	}
	root := parseTree(raw)
	s, err := outline(root, left)
	if err != nil {
		return nil, err
	}
	if err := compiler.AddResource(url, root.decoded()); err != nil {
		return nil, invalid("", "%v", err)
	}
	return s, prepare(compiler, url, s, map[*schema]bool{})
}
