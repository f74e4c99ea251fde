package input

import (
	"strings"

	"github.com/agentctl/agentctl/internal/schema"
)

// limits says in a few words what a value has to keep to, besides its type and its allowed values.
func limits(s *schema.Schema) string {
	var out []string
	add := func(text string) {
		if text != "" {
			out = append(out, text)
		}
	}
	add(between(number(s, "minimum"), number(s, "maximum"), ""))
	if more := number(s, "exclusiveMinimum"); more != "" {
		add("more than " + more)
	}
	if less := number(s, "exclusiveMaximum"); less != "" {
		add("less than " + less)
	}
	if of := number(s, "multipleOf"); of != "" {
		add("a multiple of " + of)
	}
	add(between(number(s, "minLength"), number(s, "maxLength"), "character"))
	add(between(number(s, "minItems"), number(s, "maxItems"), "item"))
	if format := s.Keyword("format").Text(); format != "" {
		add("format " + shown(format))
	}
	if pattern := s.Keyword("pattern").Text(); pattern != "" {
		add("pattern " + cut(pattern))
	}
	return strings.Join(out, ", ")
}

// number returns a keyword's number as the schema writes it; "" for anything else.
func number(s *schema.Schema, name string) string {
	if value := s.Keyword(name); value != nil && value.Kind == '0' {
		return cut(string(value.Raw))
	}
	return ""
}

// between says "at least 1", "at most 64 characters", "1 to 10" or "exactly 3 items".
func between(low, high, noun string) string {
	last, text := high, ""
	switch {
	case low == "" && high == "":
		return ""
	case high == "":
		last, text = low, "at least "+low
	case low == "":
		text = "at most " + high
	case low == high:
		text = "exactly " + low
	default:
		text = low + " to " + high
	}
	if noun == "" {
		return text
	}
	if last != "1" {
		noun += "s"
	}
	return text + " " + noun
}
