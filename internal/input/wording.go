package input

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/agentctl/agentctl/internal/strictjson"
)

const (
	maxWord  = 80 // characters of one word from outside in a message
	maxWords = 12 // allowed values in a message
)

// wording says in one phrase what a value has to be. It never repeats the value, which may be a secret.
func wording(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return typeKinds(k).must()
	case *kind.Enum:
		return oneOf(k.Want)
	case *kind.Const:
		return oneOf([]any{k.Want})
	case *kind.Format:
		return formatWording(k.Want)
	case *kind.Pattern:
		return "must match the pattern " + cut(k.Want)
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	case *kind.MinLength:
		return "must be at least " + plural(k.Want, "character")
	case *kind.MaxLength:
		return "must be at most " + plural(k.Want, "character")
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Not:
		return "must not have this form"
	case *kind.AnyOf:
		return "matches none of the allowed forms"
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return fmt.Sprintf("matches more than one of the allowed forms: %d and %d", k.Subschemas[0]+1, k.Subschemas[1]+1)
		}
		return "matches none of the allowed forms"
	case *kind.RefCycle:
		return "cannot be checked: the schema refers to itself without end"
	}
	return containerWording(k)
}

// containerWording is wording for lists and objects.
func containerWording(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinItems:
		return "must have at least " + plural(k.Want, "item")
	case *kind.MaxItems:
		return "must have at most " + plural(k.Want, "item")
	case *kind.AdditionalItems:
		return "has " + plural(k.Count, "item") + " too many"
	case *kind.UniqueItems:
		return fmt.Sprintf("must not have equal items: %d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "has no item of the form that one must have"
	case *kind.MinContains:
		return fmt.Sprintf("must have at least %s of the form asked for, has %d", plural(k.Want, "item"), len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("must have at most %s of that form, has %d", plural(k.Want, "item"), len(k.Got))
	case *kind.MinProperties:
		return "must have at least " + plural(k.Want, "member")
	case *kind.MaxProperties:
		return "must have at most " + plural(k.Want, "member")
	case *kind.PropertyNames:
		return fmt.Sprintf("the member name %q is not allowed", cut(k.Property))
	case *kind.Required:
		return "is required"
	case *kind.Dependency:
		return fmt.Sprintf("is required when %q is given", cut(k.Prop))
	case *kind.DependentRequired:
		return fmt.Sprintf("is required when %q is given", cut(k.Prop))
	case *kind.AdditionalProperties:
		return unknownMembers(k.Properties)
	}
	return "is not valid"
}

func typeKinds(k *kind.Type) kinds {
	var out kinds
	for _, name := range k.Want {
		out |= kindNamed(name)
	}
	return out
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

func oneOf(values []any) string {
	words := make([]string, 0, maxWords+1)
	for i, value := range values {
		if i == maxWords {
			words = append(words, fmt.Sprintf("… (%d in all)", len(values)))
			break
		}
		words = append(words, valueWord(value))
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
func valueWord(value any) string {
	if s, ok := value.(string); ok {
		return shown(s)
	}
	out, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	return cut(string(out))
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
func decimal(r *big.Rat) string {
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
func typedAs(value jsontext.Value) string {
	if s, ok := strictjson.String(value); ok {
		return s
	}
	return string(value)
}
