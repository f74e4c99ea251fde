package input

import (
	"strings"

	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/schema"
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
	var at *schema.Schema
	if i, ok := s.index[name]; ok {
		at = s.params[i].schema.At(path)
	}
	return describe(at)
}

// Secret reports of a parameter, or a part of it as for [Set.DescribePath], whether the site declares it as secret. It is asked for
// every value of every call, so it describes nothing else.
func (s *Set) Secret(name string, path []string) bool {
	i, ok := s.index[name]
	switch {
	case !ok:
		return false
	case len(path) == 0:
		return s.params[i].secret
	}
	return secret(s.params[i].schema.At(path))
}

func describe(s *schema.Schema) Description {
	k := s.Kinds()
	d := Description{
		Type:       typeName(s),
		Boolean:    k&^schema.NullKind == schema.BooleanKind,
		Repeatable: repeatable(s),
		Enum:       enum(s),
		Limits:     limits(s),
		Secret:     secret(s),
		Members:    members(s),
	}
	d.Object = k.Any(schema.ObjectKind) && (k != schema.AnyKind || len(d.Members) > 0)
	if value := s.Keyword("default"); value != nil {
		d.Default = cut(typedAs(value))
	}
	return d
}

func typeName(s *schema.Schema) string {
	k := s.Kinds()
	if k == schema.AnyKind {
		return "any"
	}
	words := kindWords(k, false)
	for i, word := range words {
		if word != "list" {
			continue
		}
		if items := s.Item(0); items.Kinds() != schema.AnyKind && !items.Kinds().Any(schema.ListKind) {
			words[i] = "list of " + typeName(items)
		}
	}
	return strings.Join(words, " or ")
}

func enum(s *schema.Schema) []string {
	values := s.Allowed()
	if values == nil && repeatable(s) {
		values = s.Item(0).Allowed()
	}
	var out []string
	for _, value := range values {
		out = append(out, typedAs(value))
	}
	return out
}

// secret reports whether a value must not be shown.
func secret(s *schema.Schema) bool {
	for part := range s.Applying() {
		hidden := part.Node().Member("writeOnly")
		if hidden != nil && hidden.Kind == 't' || part.Node().Member("format").Text() == "password" {
			return true
		}
	}
	return false
}

// members returns the properties that a schema, and what applies with it, declares.
func members(s *schema.Schema) []manifest.Param {
	var out []manifest.Param
	known := map[string]int{}
	for part := range s.Applying() {
		for _, p := range part.Properties() {
			if _, twice := known[p.Name]; !twice {
				known[p.Name] = len(out)
				out = append(out, member(p))
			}
		}
	}
	for _, name := range required(s) {
		if i, declared := known[name]; declared {
			out[i].Required = true
		}
	}
	return out
}

func member(p schema.Property) manifest.Param {
	out := manifest.Param{
		Name:        p.Name,
		Label:       keyword(p.Schema, "title").Text(),
		Description: keyword(p.Schema, "description").Text(),
		Schema:      p.Schema.Node().Value(),
	}
	if examples := elements(keyword(p.Schema, "examples")); len(examples) > 0 {
		out.Example = examples[0].Value()
	}
	return out
}
