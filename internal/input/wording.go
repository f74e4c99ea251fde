package input

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

const (
	maxWord  = 80 // characters of one word from outside in a message
	maxWords = 12 // allowed values in a message
)

// wording says in one phrase what a value has to be. It never repeats the value, which may be a secret.
func wording(f schema.Failure) string {
	switch f.Keyword {
	case "type":
		return must(f.Kinds)
	case "enum", "const":
		return oneOf(f.Values, valueWord)
	case "format":
		return formatWording(f.Text)
	case "pattern":
		return "must match the pattern " + cut(f.Text)
	case "minimum":
		return "must be at least " + decimal(f.Text)
	case "maximum":
		return "must be at most " + decimal(f.Text)
	case "exclusiveMinimum":
		return "must be more than " + decimal(f.Text)
	case "exclusiveMaximum":
		return "must be less than " + decimal(f.Text)
	case "multipleOf":
		return "must be a multiple of " + decimal(f.Text)
	case "minLength":
		return "must be at least " + plural(f.Limit, "character")
	case "maxLength":
		return "must be at most " + plural(f.Limit, "character")
	case "false":
		return "is not allowed"
	case "not":
		return "must not have this form"
	case "oneOf":
		if f.Indices[1] > 0 {
			return fmt.Sprintf("matches more than one of the allowed forms: %d and %d", f.Indices[0]+1, f.Indices[1]+1)
		}
		return noForm(f)
	case "anyOf":
		return noForm(f)
	}
	return containerWording(f)
}

// noForm says that no branch of a combination matches: which members would do, where that is all that is wrong.
func noForm(f schema.Failure) string {
	var ways []string
	for _, branch := range f.Branches {
		var names []string
		for _, leaf := range leaves(branch) {
			if leaf.Keyword != "required" || leaf.Pointer != f.Pointer {
				return "matches none of the allowed forms"
			}
			for _, name := range leaf.Names {
				names = append(names, shown(name))
			}
		}
		ways = append(ways, strings.Join(names, " and "))
	}
	if len(ways) == 0 || len(ways) > maxWords {
		return "matches none of the allowed forms"
	}
	return "needs " + strings.Join(ways, ", or ")
}

// containerWording is wording for lists and objects.
func containerWording(f schema.Failure) string {
	switch f.Keyword {
	case "minItems":
		return "must have at least " + plural(f.Limit, "item")
	case "maxItems":
		return "must have at most " + plural(f.Limit, "item")
	case "additionalItems":
		return "has " + plural(f.Count, "item") + " too many"
	case "uniqueItems":
		return fmt.Sprintf("must not have equal items: %d and %d", f.Indices[0], f.Indices[1])
	case "contains":
		return "has no item of the form that one must have"
	case "minContains":
		return fmt.Sprintf("must have at least %s of the form asked for, has %d", plural(f.Limit, "item"), f.Count)
	case "maxContains":
		return fmt.Sprintf("must have at most %s of that form, has %d", plural(f.Limit, "item"), f.Count)
	case "minProperties":
		return "must have at least " + plural(f.Limit, "member")
	case "maxProperties":
		return "must have at most " + plural(f.Limit, "member")
	case "propertyNames":
		return fmt.Sprintf("the member name %q is not allowed", cut(f.Text))
	case "required":
		return "is required"
	case "dependencies", "dependentRequired":
		return fmt.Sprintf("is required when %q is given", cut(f.Text))
	case "additionalProperties":
		return unknownMembers(f.Names)
	}
	return "is not valid"
}

// formatWording names the formats that people meet; others are named as the schema does.
func formatWording(format string) string {
	switch format {
	case "date":
		return "must be a date such as 2026-01-31"
	case "time":
		return "must be a time with its zone, such as 15:04:05Z"
	case "date-time":
		return "must be a date and time such as 2026-01-31T15:04:05Z"
	case "duration":
		return "must be a duration such as P3D or PT15M"
	case "email", "idn-email":
		return "must be an e-mail address"
	case "uri", "iri":
		return "must be an absolute URI such as https://example.com/"
	case "uuid":
		return "must be a UUID"
	case "hostname", "idn-hostname":
		return "must be a host name"
	case "ipv4":
		return "must be an IPv4 address"
	case "ipv6":
		return "must be an IPv6 address"
	case "regex":
		return "must be a regular expression"
	}
	return fmt.Sprintf("must have the format %q", cut(format))
}

func oneOf[T any](values []T, word func(T) string) string {
	words := make([]string, 0, maxWords+1)
	for i, value := range values {
		if i == maxWords {
			words = append(words, fmt.Sprintf("… (%d in all)", len(values)))
			break
		}
		words = append(words, word(value))
	}
	switch len(words) {
	case 0:
		return "is not allowed: there is no allowed value"
	case 1:
		return "must be " + words[0]
	}
	return "must be one of " + strings.Join(words, ", ")
}

// valueWord shows an allowed value as one would type it.
func valueWord(value *jsontree.Node) string {
	if value.Kind == '"' {
		return shown(value.Text())
	}
	return cut(string(value.Value()))
}

// shown returns text as it is when it reads well among other words, else quoted.
func shown(s string) string {
	plain := s != "" && !strings.ContainsAny(s, " ,\"'`") && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
	if plain && utf8.ValidString(s) {
		return cut(s)
	}
	return strconv.Quote(cut(s))
}

// cut shortens text from outside that goes into a message.
func cut(s string) string {
	if len(s) <= maxWord {
		return s
	}
	if runes := []rune(s[:min(len(s), 4*maxWord+4)]); len(runes) > maxWord {
		return string(runes[:maxWord]) + "…"
	}
	return s
}

func unknownMembers(names []string) string {
	slices.Sort(names)
	quoted := make([]string, 0, maxWords+1)
	for i, name := range names {
		if i == maxWords {
			quoted = append(quoted, "…")
			break
		}
		quoted = append(quoted, strconv.Quote(cut(name)))
	}
	if len(names) == 1 {
		return "unknown member " + quoted[0]
	}
	return "unknown members " + strings.Join(quoted, ", ")
}

// decimal writes a number of a schema without an exponent, as exactly as a person wants to read it.
func decimal(text string) string {
	r, ok := new(big.Rat).SetString(text)
	if !ok { // cannot be after strictjson.Check
		return cut(text)
	}
	digits, exact := r.FloatPrec()
	if !exact || digits > maxWord {
		f, _ := r.Float64()
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return cut(r.FloatString(digits))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// typedAs shows a JSON value as one types it on the command line.
func typedAs(value *jsontree.Node) string {
	if value.Kind == '"' {
		return value.Text()
	}
	return string(value.Value())
}
