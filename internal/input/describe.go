package input

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest"
)

// Description tells how a parameter, or a part of one, reads on the command line: for help, flags and completion.
// Its texts come from the site: clean them before they reach a terminal.
type Description struct {
	Type       string   // "integer", "string or integer", "list of string", "object", …; "any" when nothing is said
	Boolean    bool     // the flag alone means true
	Repeatable bool     // a list: repeat the flag or give JSON
	Object     bool     // takes JSON or dotted flags
	Enum       []string // the allowed values as one types them; of a list, those of its items
	Default    string   // for help only; it is never sent
	Limits     string   // "1 to 10", "at most 64 characters", "format date, pattern ^ord_"
	Secret     bool     // "format": "password" or writeOnly: not to be echoed

	// Members are the properties of an object, for dotted flags. Their schemas may hold references that only the whole
	// resolves: describe them with DescribePath, and do not compile them on their own.
	Members []manifest.Param
}

// Describe describes a parameter. A name that is not declared is described like one about which nothing is said.
func (s *Set) Describe(name string) Description { return s.DescribePath(name, nil) }

// DescribePath describes a part of a parameter: DescribePath("address", []string{"city"}) is for --address.city.
func (s *Set) DescribePath(name string, path []string) Description {
	var at *schema
	if i, ok := s.index[name]; ok {
		at = s.params[i].outline.at(path)
	}
	return at.describe()
}

func (s *schema) describe() Description {
	k := s.typed()
	d := Description{
		Type:       s.typeName(),
		Boolean:    k&^nullKind == booleanKind,
		Repeatable: s.repeatable(),
		Enum:       s.enum(),
		Limits:     s.limits(),
		Secret:     secret(s),
		Members:    s.members(),
	}
	d.Object = k.any(objectKind) && (k != anyKind || len(d.Members) > 0)
	if value := find(s, func(s *schema) *tree { return s.tree.member("default") }); value != nil {
		d.Default = cut(typedAs(value.value()))
	}
	return d
}

func (s *schema) typeName() string {
	k := s.typed()
	if k == anyKind {
		return "any"
	}
	words := k.words(false)
	for i, word := range words {
		if word != "list" {
			continue
		}
		if items := s.item(0); items.typed() != anyKind && !items.typed().any(listKind) {
			words[i] = "list of " + items.typeName()
		}
	}
	return strings.Join(words, " or ")
}

// allowed returns the values of "enum", "const", or of branches that each have one; nil when there is no such limit.
func (s *schema) allowed() []*tree {
	if s == nil {
		return nil
	}
	if s.values != nil {
		return s.values
	}
	for _, part := range s.all {
		if values := part.allowed(); values != nil {
			return values
		}
	}
	for _, group := range s.either {
		if values := allowedByEach(group); values != nil {
			return values
		}
	}
	return nil
}

func allowedByEach(group []*schema) []*tree {
	var out []*tree
	for _, part := range group {
		values := part.allowed()
		switch {
		case values != nil:
			out = append(out, values...)
		case part.kinds == nullKind:
			out = append(out, &tree{kind: 'n', scalar: jsontext.Value("null")})
		default:
			return nil
		}
	}
	return out
}

func (s *schema) enum() []string {
	values := s.allowed()
	if values == nil && s.repeatable() {
		values = s.item(0).allowed()
	}
	var out []string
	for _, value := range values {
		out = append(out, typedAs(value.value()))
	}
	return out
}

// secret reports whether a value must not be shown.
func secret(s *schema) bool {
	return find(s, func(s *schema) *bool {
		if hidden := s.tree.member("writeOnly"); hidden != nil && hidden.kind == 't' || s.tree.member("format").text() == "password" {
			return new(true)
		}
		return nil
	}) != nil
}

func (s *schema) members() []manifest.Param {
	var out []manifest.Param
	known := map[string]int{}
	find(s, func(s *schema) *struct{} { // visits everything that applies: it never has its answer
		required := s.tree.member("required")
		for _, p := range s.properties {
			i, twice := known[p.name]
			if !twice {
				i = len(out)
				known[p.name] = i
				out = append(out, p.param())
			}
			out[i].Required = out[i].Required || required.lists(p.name)
		}
		return nil
	})
	return out
}

func (p property) param() manifest.Param {
	out := manifest.Param{
		Name:        p.name,
		Label:       p.schema.tree.member("title").text(),
		Description: p.schema.tree.member("description").text(),
		Schema:      p.schema.tree.value(),
	}
	if example := p.schema.tree.member("examples"); example != nil && example.kind == '[' && len(example.items) > 0 {
		out.Example = example.items[0].value()
	}
	return out
}

// lists reports whether an array holds a string.
func (t *tree) lists(text string) bool {
	if t == nil {
		return false
	}
	for _, item := range t.items {
		if item.text() == text {
			return true
		}
	}
	return false
}
