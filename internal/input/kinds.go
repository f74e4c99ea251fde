package input

import (
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
)

// kindWords returns one word or phrase per type, in the order in which help names them.
func kindWords(k schema.Kinds, phrases bool) []string {
	var out []string
	add := func(of schema.Kinds, word, phrase string) {
		if phrases {
			word = phrase
		}
		if k.Any(of) {
			out = append(out, word)
		}
	}
	add(schema.StringKind, "string", "a string")
	if k.Any(schema.FractionKind) {
		add(schema.NumberKind, "number", "a number")
	} else {
		add(schema.IntegerKind, "integer", "an integer")
	}
	add(schema.BooleanKind, "boolean", "true or false")
	add(schema.ListKind, "list", "a list")
	add(schema.ObjectKind, "object", "an object")
	add(schema.NullKind, "null", "null")
	return out
}

// must says in one phrase what a value has to be: "must be an integer or null".
func must(k schema.Kinds) string { return "must be " + strings.Join(kindWords(k, true), " or ") }

// structured reports whether a value is a list or an object and cannot be a string.
func structured(s *schema.Schema) bool {
	k := s.Kinds()
	return k.Any(schema.ListKind|schema.ObjectKind) && !k.Any(schema.StringKind)
}

// repeatable reports whether a parameter is a list, or may be one among other things that it names.
func repeatable(s *schema.Schema) bool {
	k := s.Kinds()
	return k.Any(schema.ListKind) && k != schema.AnyKind
}
