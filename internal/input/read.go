package input

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// mismatch says that text cannot be read as any type that a schema allows.
type mismatch struct {
	pointer string // below the value that was to be read
	keyword string
	message string
}

// read turns what was given for one value into JSON. More than one text makes a list.
func read(s *schema, texts []given) (jsontext.Value, *mismatch) {
	for _, g := range texts {
		if g.positional != texts[0].positional {
			return nil, &mismatch{keyword: "twice", message: "is given twice, by position and by name"}
		}
	}
	if s.repeatable() {
		return readList(s, texts)
	}
	if len(texts) > 1 {
		return nil, &mismatch{keyword: "twice", message: "is given twice"}
	}
	return readOne(s, texts[0])
}

// readOne reads one text as one value. Text is never more than two things: the JSON it spells, unless that is a string,
// and itself as a string. Where the schema names both types the JSON wins if it is valid (contract section 2); where it
// names no type at all the JSON wins always, so that {"minimum": 1} does not take "0" for a fine string.
func readOne(s *schema, g given) (jsontext.Value, *mismatch) {
	k := s.typed()
	if g.file != "" {
		return readFile(s, g)
	}
	if k == stringKind {
		return strictjson.Quote(g.text), nil
	}
	value, err := spelled(g.text)
	if value != nil && k.takes(value) && (!k.any(stringKind) || k == anyKind || s.accepts(value)) {
		return value, nil
	}
	if k.any(stringKind) {
		return strictjson.Quote(g.text), nil
	}
	return nil, explain(s, g, err)
}

// readFile takes the JSON of a file as it is: in there, unlike on a command line, strings have quotes.
func readFile(s *schema, g given) (jsontext.Value, *mismatch) {
	value := strictjson.Compact(jsontext.Value(g.text))
	if s.typed().takes(value) {
		return value, nil
	}
	return nil, explain(s, g, nil)
}

// readList reads one text per element, or one text that is the whole list. A text that spells a list is the whole, even a
// wrong one, unless the elements are lists themselves.
func readList(s *schema, texts []given) (jsontext.Value, *mismatch) {
	if len(texts) == 1 {
		value, err := spelled(texts[0].text)
		k := s.typed()
		switch {
		case value == nil && texts[0].file == "" && strings.HasPrefix(texts[0].text, "[") && !s.item(0).strings():
			return nil, explain(s, texts[0], err)
		case value != nil && value.Kind() == '[' && (!s.item(0).lists() || s.accepts(value)):
			return value, nil
		case value != nil && value.Kind() != '[' && k.takes(value) && s.accepts(value):
			return value, nil
		case k.any(stringKind):
			return strictjson.Quote(texts[0].text), nil
		}
	}
	out := &tree{kind: '['}
	for i, g := range texts {
		value, wrong := readOne(s.item(i), g)
		switch {
		case wrong != nil && g.file != "" && len(texts) == 1: // it should have been the whole list
			return nil, explain(s, g, nil)
		case wrong != nil:
			wrong.pointer = pointerTo("", strconv.Itoa(i)) + wrong.pointer
			return nil, wrong
		}
		out.items = append(out.items, parseTree(value))
	}
	return out.value(), nil
}

// lists reports whether a value may be a list where something is said about its type.
func (s *schema) lists() bool { return s != nil && s.typed().any(listKind) }

// strings reports whether a value may be a string where something is said about its type.
func (s *schema) strings() bool { k := s.typed(); return k.any(stringKind) && k != anyKind }

// spelled returns the JSON value that text spells, compact and with its digits, or nil and, when it looked like JSON, why
// not. A JSON string in text is no reading: text needs no quotes to be a string. White space belongs to no scalar.
func spelled(text string) (jsontext.Value, error) {
	start := strings.TrimLeft(text, " \t\r\n")
	if start == "" || !strings.ContainsRune("{[-0123456789tfn", rune(start[0])) {
		return nil, nil
	}
	doc := jsontext.Value(text)
	scalar := start[0] != '{' && start[0] != '['
	if scalar && strings.TrimRight(text, " \t\r\n") != start {
		return nil, nil
	}
	// The limits of strictjson do not concern a short scalar without an exponent. That is nearly every one, so save the
	// time of its decoder.
	if scalar && len(text) <= 20 && (doc.Kind() != '0' || !strings.ContainsAny(text, "eE")) && doc.IsValid() {
		return doc, nil
	}
	if err := strictjson.Check(doc); err != nil {
		return nil, err
	}
	if scalar {
		return doc, nil
	}
	return doc, doc.Compact()
}

// explain says what text should have been. Details of the text are only told where it is structured and no secret.
func explain(s *schema, g given, err error) *mismatch {
	k := s.typed()
	m := &mismatch{keyword: "type", message: k.must()}
	if values := s.allowed(); len(values) > 0 && !k.any(listKind|objectKind) {
		m.keyword, m.message = "enum", oneOf(decodedAll(values))
		return m
	}
	structure := k.any(listKind|objectKind) && (g.file != "" || strings.HasPrefix(g.text, "{") || strings.HasPrefix(g.text, "["))
	switch {
	case structure && err != nil && !g.secret:
		m.message += ": " + err.Error()
	case k.any(numberKind) && looksNumeric(g.text):
		m.message += ` as JSON writes it: without leading "+" or zeros, of at most 1100 characters and an exponent up to 1000`
	}
	if g.file != "" {
		m.message = g.file + " " + m.message
	}
	return m
}

// looksNumeric reports whether somebody meant a number that JSON has no such spelling for.
func looksNumeric(text string) bool {
	if value, _ := spelled(text); value != nil {
		return false // a fine number, only not the right one
	}
	return strings.ContainsAny(text, "0123456789") && strings.Trim(text, "+-.0123456789eExX_") == ""
}

func decodedAll(values []*tree) []any {
	out := make([]any, len(values))
	for i, value := range values {
		out[i] = value.decoded()
	}
	return out
}
