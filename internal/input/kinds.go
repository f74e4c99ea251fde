package input

import (
	"math/big"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// kinds is a set of JSON types. JSON Schema's "number" is integer and fraction together, so that sets can be intersected.
type kinds uint8

const (
	stringKind kinds = 1 << iota
	integerKind
	fractionKind // a number that is no integer
	booleanKind
	listKind
	objectKind
	nullKind
)

const (
	numberKind = integerKind | fractionKind
	anyKind    = stringKind | numberKind | booleanKind | listKind | objectKind | nullKind
)

func (k kinds) has(all kinds) bool { return k&all == all }
func (k kinds) any(of kinds) bool  { return k&of != 0 }

// kindOf tells the type of one value as JSON Schema counts it: 1.0 and 1e3 are integers.
func kindOf(value jsontext.Value) kinds {
	switch value.Kind() {
	case '"':
		return stringKind
	case '0':
		if isInteger(string(value)) {
			return integerKind
		}
		return fractionKind
	case 't', 'f':
		return booleanKind
	case '[':
		return listKind
	case '{':
		return objectKind
	}
	return nullKind
}

// kinds returns the type of a tree's value.
func (t *tree) kinds() kinds {
	switch t.kind {
	case '{':
		return objectKind
	case '[':
		return listKind
	}
	return kindOf(t.scalar)
}

// takes reports whether a value is of one of the types. It computes with a number only where integers and fractions are
// told apart.
func (k kinds) takes(value jsontext.Value) bool {
	if value.Kind() == '0' && k.has(numberKind) {
		return true
	}
	return k.any(kindOf(value))
}

// isInteger takes the text of a number that passed strictjson, which bounds its exponent.
func isInteger(digits string) bool {
	if !strings.ContainsAny(digits, ".eE") {
		return true
	}
	rat, ok := new(big.Rat).SetString(digits)
	return ok && rat.IsInt()
}

// kindNamed tells what one word of the "type" keyword allows; an unknown word nothing.
func kindNamed(name string) kinds {
	switch name {
	case "string":
		return stringKind
	case "integer":
		return integerKind
	case "number":
		return numberKind
	case "boolean":
		return booleanKind
	case "array":
		return listKind
	case "object":
		return objectKind
	case "null":
		return nullKind
	}
	return 0
}

// words returns one word or phrase per type, in the order in which help names them.
func (k kinds) words(phrases bool) []string {
	var out []string
	add := func(of kinds, word, phrase string) {
		if phrases {
			word = phrase
		}
		if k.any(of) {
			out = append(out, word)
		}
	}
	add(stringKind, "string", "a string")
	if k.any(fractionKind) {
		add(numberKind, "number", "a number")
	} else {
		add(integerKind, "integer", "an integer")
	}
	add(booleanKind, "boolean", "true or false")
	add(listKind, "list", "a list")
	add(objectKind, "object", "an object")
	add(nullKind, "null", "null")
	return out
}

// must says in one phrase what a value has to be: "must be an integer or null".
func (k kinds) must() string { return "must be " + strings.Join(k.words(true), " or ") }
