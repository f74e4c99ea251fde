package input

import (
	"errors"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// newCompiler returns a validator's compiler that fetches nothing. Formats are asserted: a date that is none is found
// here and not by the site. Contents ("contentEncoding" …) are not.
func newCompiler(p *patterns) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(p.compile)
	return c
}

var errRemote = errors.New("nothing is fetched")

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errRemote }

// prepare compiles the validators that are needed: of the whole, and wherever text can be read in two ways.
func prepare(c *jsonschema.Compiler, location string, s *schema, seen map[*schema]bool) error {
	if seen[s] {
		return nil
	}
	seen[s] = true
	if s.pointer == "" || s.kinds.any(stringKind) && s.kinds != stringKind || s.kinds.has(listKind) {
		compiled, err := c.Compile(location + "#" + escapeFragment(s.pointer))
		if err != nil {
			return compileError(err)
		}
		s.validator = compiled
	}
	for part := range s.parts() {
		if err := prepare(c, location, part, seen); err != nil {
			return err
		}
	}
	return nil
}

func escapeFragment(pointer string) string {
	return strings.ReplaceAll(url.PathEscape(pointer), "%2F", "/")
}

// compileError says in our words why the validator's compiler refused a schema.
func compileError(err error) error {
	if errors.Is(err, errRemote) {
		return &schemaError{"schema_remote_ref", "", "the schema needs a document that is not part of it"}
	}
	if e, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return &schemaError{"schema_remote_ref", "", "the schema needs " + cut(e.URL) + ", which is not part of it"}
	}
	if e, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
		return invalid("", "the pattern %q is no regular expression", cut(e.Regex))
	}
	if e, ok := errors.AsType[*jsonschema.ValidationError](invalidity(err)); ok {
		for _, leaf := range leaves(e) {
			return invalid(pointerOf(leaf.InstanceLocation), "%s", wording(leaf.ErrorKind))
		}
	}
	return invalid("", "%v", err)
}

// invalidity returns what the meta-schema found wrong; the library's error does not unwrap to it.
func invalidity(err error) error {
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		return e.Err
	}
	return err
}
