package input

import "strings"

// limits says in a few words what a value has to keep to, besides its type and its allowed values.
func (s *schema) limits() string {
	var out []string
	add := func(text string) {
		if text != "" {
			out = append(out, text)
		}
	}
	add(between(s.number("minimum"), s.number("maximum"), ""))
	if more := s.number("exclusiveMinimum"); more != "" {
		add("more than " + more)
	}
	if less := s.number("exclusiveMaximum"); less != "" {
		add("less than " + less)
	}
	if of := s.number("multipleOf"); of != "" {
		add("a multiple of " + of)
	}
	add(between(s.number("minLength"), s.number("maxLength"), "character"))
	add(between(s.number("minItems"), s.number("maxItems"), "item"))
	if format := s.keyword("format").text(); format != "" {
		add("format " + shown(format))
	}
	if pattern := s.keyword("pattern").text(); pattern != "" {
		add("pattern " + cut(pattern))
	}
	return strings.Join(out, ", ")
}

// keyword returns the first value of a keyword in everything that applies; nil when there is none.
func (s *schema) keyword(name string) *tree {
	return find(s, func(s *schema) *tree { return s.tree.member(name) })
}

// number returns a keyword's number as the schema writes it; "" for anything else.
func (s *schema) number(name string) string {
	if value := s.keyword(name); value != nil && value.kind == '0' {
		return cut(string(value.scalar))
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
