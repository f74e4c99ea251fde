package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Kinds is a set of JSON types. JSON Schema's "number" is integer and fraction together, so that sets can be intersected.
type Kinds uint8

// The types, and sets of them.
const (
	StringKind Kinds = 1 << iota
	IntegerKind
	FractionKind // a number that is no integer
	BooleanKind
	ListKind
	ObjectKind
	NullKind

	NumberKind = IntegerKind | FractionKind
	AnyKind    = StringKind | NumberKind | BooleanKind | ListKind | ObjectKind | NullKind
)

// Has reports whether all of some types are in the set.
func (k Kinds) Has(all Kinds) bool { return k&all == all }

// Any reports whether one of some types is in the set.
func (k Kinds) Any(of Kinds) bool { return k&of != 0 }

// Takes reports whether a value, which must have passed strictjson, is of one of the types. As JSON Schema counts it, 1.0
// and 1e3 are integers.
func (k Kinds) Takes(value jsontext.Value) bool { return k.takes(value.Kind(), value) }

// takes computes with a number only where integers and fractions are told apart.
func (k Kinds) takes(kind jsontext.Kind, raw jsontext.Value) bool {
	if kind == '0' && k.Has(NumberKind) {
		return true
	}
	return k.Any(kindOf(kind, raw))
}

func kindOf(kind jsontext.Kind, raw jsontext.Value) Kinds {
	switch kind {
	case '"':
		return StringKind
	case '0':
		if isInteger(string(raw)) {
			return IntegerKind
		}
		return FractionKind
	case 't', 'f':
		return BooleanKind
	case '[':
		return ListKind
	case '{':
		return ObjectKind
	}
	return NullKind
}

// kindsOf returns the types of some values.
func kindsOf(values []*jsontree.Node) Kinds {
	var out Kinds
	for _, n := range values {
		out |= kindOf(n.Kind, n.Raw)
	}
	return out
}

// kindNamed tells what one word of the "type" keyword allows; an unknown word nothing.
func kindNamed(name string) Kinds {
	switch name {
	case "string":
		return StringKind
	case "integer":
		return IntegerKind
	case "number":
		return NumberKind
	case "boolean":
		return BooleanKind
	case "array":
		return ListKind
	case "object":
		return ObjectKind
	case "null":
		return NullKind
	}
	return 0
}
