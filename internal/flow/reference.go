package flow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agentctl/agentctl/internal/strictjson"
)

const (
	maxNameBytes   = 64 // of an input
	maxIndexDigits = 9  // of a step or an item
	fromInput      = -1 // the step of a reference to an input
)

// reference is a string of a flow that stands for a value: "$input.x" or "$steps.0.items.0.id" (AA-12).
type reference struct {
	text  string // as published
	step  int    // whose output is read, or fromInput
	input string // the input's name
	path  []string
}

// parseString reads a string inside "with". It is a reference when all of it is one. Any other string is literal, less
// one dollar sign of "$$" at its start; a string that seems to be meant as a reference and is none is an error.
func parseString(text string) (ref *reference, literal string, err error) {
	rest, dollar := strings.CutPrefix(text, "$")
	if !dollar {
		return nil, text, nil
	}
	if strings.HasPrefix(rest, "$") {
		return nil, rest, nil
	}
	word, path, dotted := strings.Cut(rest, ".")
	switch {
	case word == "input" && dotted:
		ref, err = inputReference(text, strings.Split(path, "."))
	case word == "steps" && dotted:
		ref, err = stepReference(text, strings.Split(path, "."))
	case meant(word):
		err = fmt.Errorf("%q is no reference: $input.NAME and $steps.NUMBER.PATH are, and $$ begins a text with a dollar sign", cut(text))
	default:
		return nil, text, nil
	}
	return ref, "", err
}

// meant reports whether a word behind a dollar sign was meant to begin a reference.
func meant(word string) bool {
	word, _, _ = strings.Cut(strings.ToLower(word), "[")
	return slices.Contains([]string{"input", "inputs", "step", "steps"}, word)
}

func inputReference(text string, tokens []string) (*reference, error) {
	name := tokens[0]
	odd := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) || r == '=' }
	if name == "" || len(name) > maxNameBytes || strings.IndexFunc(name, odd) >= 0 {
		return nil, fmt.Errorf("%q names no input", cut(text))
	}
	return &reference{text: text, step: fromInput, input: name, path: tokens[1:]}, checkPath(text, tokens[1:])
}

func stepReference(text string, tokens []string) (*reference, error) {
	step, ok := index(tokens[0])
	if !ok {
		return nil, fmt.Errorf("%q names no step: steps are numbered from 0", cut(text))
	}
	return &reference{text: text, step: step, path: tokens[1:]}, checkPath(text, tokens[1:])
}

func checkPath(text string, path []string) error {
	if slices.Contains(path, "") {
		return fmt.Errorf("%q has an empty part", cut(text))
	}
	if len(path) > strictjson.MaxDepth {
		return fmt.Errorf("%q goes deeper than %d levels", cut(text), strictjson.MaxDepth)
	}
	return nil
}

// index reads the number of a step or an item in its one spelling: no sign, no leading zero, no exponent.
func index(token string) (int, bool) {
	if token == "" || len(token) > maxIndexDigits || strings.Trim(token, "0123456789") != "" || token[0] == '0' && token != "0" {
		return 0, false
	}
	n, err := strconv.Atoi(token)
	return n, err == nil
}

// cut shortens a site's text for a message.
func cut(text string) string {
	const limit = 80
	for i := range text {
		if i >= limit {
			return text[:i] + "…"
		}
	}
	return text
}
