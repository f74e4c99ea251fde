package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// assertion compiles the keywords that judge a value by themselves.
func (d *document) assertion(s *Schema, name string, n *jsontree.Node, at place) error {
	switch name {
	case "type":
		types, err := typesNamed(n, at)
		s.types = types
		return err
	case "enum":
		if err := require(n, at, '[', "a list"); err != nil {
			return err
		}
		s.enum = newConstants(n.Items...)
	case "const":
		s.constant = newConstants(n)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return d.number(s, name, n, at)
	case "minLength", "maxLength":
		return count(&s.texts.lengths, name, n, at)
	case "minItems", "maxItems":
		return count(&s.lists().counts, name, n, at)
	case "minContains", "maxContains":
		return count(&s.lists().matches, name, n, at)
	case "minProperties", "maxProperties":
		return count(&s.objects().counts, name, n, at)
	case "uniqueItems":
		unique, err := boolean(n, at)
		s.lists().unique = unique
		return err
	case "pattern":
		if err := require(n, at, '"', "a regular expression"); err != nil {
			return err
		}
		pattern, err := d.pattern(n.Text(), at)
		s.texts.pattern = pattern
		return err
	case "format":
		s.texts.format = n.Text()
		s.texts.valid = formatNamed(s.texts.format)
		return require(n, at, '"', "the name of a format")
	case "required":
		required, err := names(n, at)
		s.objects().required = required
		return err
	case "dependentRequired":
		return dependentRequired(s.objects(), n, at)
	}
	return nil
}

// lists returns the rules for lists, to be added to.
func (s *Schema) lists() *listRules {
	if s.list == nil {
		s.list = &listRules{}
	}
	return s.list
}

// objects returns the rules for objects, to be added to.
func (s *Schema) objects() *objectRules {
	if s.object == nil {
		s.object = &objectRules{}
	}
	return s.object
}

// finish adds that "contains" asks for one item where "minContains" says nothing else.
func (l *listRules) finish(n *jsontree.Node) {
	if l.contains == nil {
		l.matches = nil
	} else if n.Member("minContains") == nil || len(l.matches) == 0 {
		l.matches = append(l.matches, countRule{keyword: "contains", limit: 1})
	}
}

func (d *document) number(s *Schema, name string, n *jsontree.Node, at place) error {
	if d.draft == 4 && (name == "exclusiveMinimum" || name == "exclusiveMaximum") { // see [Schema.exclude]
		_, err := boolean(n, at)
		return err
	}
	if err := require(n, at, '0', "a number"); err != nil {
		return err
	}
	rule := numberRule{name, parseDecimal(string(n.Raw)), string(n.Raw)}
	if name == "multipleOf" && rule.limit.sign() <= 0 {
		return invalid(at.pointer, "must be more than 0")
	}
	s.numbers = append(s.numbers, rule)
	return nil
}

// exclude gives a limit the meaning that draft 4 gives it beside "exclusiveMinimum": true.
func (s *Schema) exclude(limit, exclusive string) {
	if n := s.node.Member(exclusive); n == nil || n.Kind != 't' {
		return
	}
	for i := range s.numbers {
		if s.numbers[i].keyword == limit {
			s.numbers[i].keyword = exclusive
		}
	}
}

// count adds the limit of a count.
func count(rules *[]countRule, name string, n *jsontree.Node, at place) error {
	if n.Kind == '0' {
		if limit := parseDecimal(string(n.Raw)); limit.isInteger() && limit.sign() >= 0 {
			*rules = append(*rules, countRule{name, limit.count(), name[:3] == "max"})
			return nil
		}
	}
	return invalid(at.pointer, "must be a whole number, at least 0")
}

// pattern compiles a regular expression, each only once. It is measured before.
func (d *document) pattern(text string, at place) (*pattern, error) {
	if p, ok := d.known[text]; ok {
		return p, nil
	}
	if len(text) > MaxPatternBytes {
		return nil, tooComplex(at.pointer, "a pattern is longer than %d bytes", MaxPatternBytes)
	}
	p := newPattern(text)
	if p == nil {
		return nil, invalid(at.pointer, "must be a regular expression; %q is none", cut(text))
	}
	if p.slow == nil {
		d.patterns -= p.size
	}
	if d.patterns < 0 {
		return nil, tooComplex(at.pointer, "the patterns of one action repeat more than %d elements", maxAllPatterns)
	}
	if d.known == nil {
		d.known = map[string]*pattern{}
	}
	d.known[text] = p
	return p, nil
}

func dependentRequired(o *objectRules, n *jsontree.Node, at place) error {
	for i, item := range n.Items {
		needs, err := names(item, at.to(n.Token(i)))
		if err != nil {
			return err
		}
		o.dependent = append(o.dependent, dependentNames{"dependentRequired", n.Token(i), needs})
	}
	return require(n, at, '{', "an object of lists of names")
}

// require refuses a value of another type.
func require(n *jsontree.Node, at place, kind jsontext.Kind, what string) error {
	if n.Kind != kind {
		return invalid(at.pointer, "must be %s", what)
	}
	return nil
}

func boolean(n *jsontree.Node, at place) (bool, error) {
	if n.Kind != 't' && n.Kind != 'f' {
		return false, invalid(at.pointer, "must be true or false")
	}
	return n.Kind == 't', nil
}

// names reads a list of strings that differ.
func names(n *jsontree.Node, at place) ([]string, error) {
	wrong := invalid(at.pointer, "must be a list of names, each once")
	if n.Kind != '[' {
		return nil, wrong
	}
	out := make([]string, len(n.Items))
	seen := make(map[string]bool, len(n.Items))
	for i, item := range n.Items {
		out[i] = item.Text()
		if item.Kind != '"' || seen[out[i]] {
			return nil, wrong
		}
		seen[out[i]] = true
	}
	return out, nil
}

func typesNamed(n *jsontree.Node, at place) (Kinds, error) {
	words := n.Items
	if n.Kind == '"' {
		words = []*jsontree.Node{n}
	}
	var out Kinds
	for i, word := range words {
		kind := kindNamed(word.Text())
		if kind == 0 || contains(words[:i], word.Text()) {
			return 0, invalid(at.pointer, "must be one of array, boolean, integer, null, number, object, string, or a list of them, each once")
		}
		out |= kind
	}
	if out == 0 {
		return 0, invalid(at.pointer, "must be the name of a type, or a list of such names")
	}
	return out, nil
}

func contains(nodes []*jsontree.Node, text string) bool {
	for _, n := range nodes {
		if n.Text() == text {
			return true
		}
	}
	return false
}
