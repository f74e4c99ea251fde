package input

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// mismatch says that text cannot be read as any type that a schema allows.
type mismatch struct {
	pointer string // below the value that was to be read
	keyword string
	message string
}

// reader reads texts as values. Where one has several readings it tries them, which may take long.
type reader struct {
	budget *schema.Budget
	err    error // of a try: nothing that is read counts any more
}

// accepts reports whether a value is valid.
func (r *reader) accepts(s *schema.Schema, value jsontext.Value) bool {
	if r.err != nil {
		return false
	}
	valid, err := s.Accepts(jsontree.Parse(value), r.budget)
	r.err = err
	return valid
}

// read turns what was given for one value into JSON. More than one text makes a list.
func (r *reader) read(s *schema.Schema, texts []given) (jsontext.Value, *mismatch) {
	for _, g := range texts {
		if g.positional != texts[0].positional {
			return nil, &mismatch{keyword: "twice", message: "is given twice, by position and by name"}
		}
	}
	if repeatable(s) {
		return r.readList(s, texts)
	}
	if len(texts) > 1 {
		return nil, &mismatch{keyword: "twice", message: "is given twice"}
	}
	return r.readOne(s, texts[0])
}

// readOne reads one text as one value. Text is never more than two things: the JSON it spells, unless that is a string,
// and itself as a string. Where the schema names both types the JSON wins if it is valid (contract section 2); where it
// names no type at all the JSON wins always, so that {"minimum": 1} does not take "0" for a fine string.
func (r *reader) readOne(s *schema.Schema, g given) (jsontext.Value, *mismatch) {
	k := s.Kinds()
	if g.file != "" {
		return readFile(s, g)
	}
	if k == schema.StringKind {
		return strictjson.Quote(g.text), nil
	}
	value, err := spelled(g.text)
	if value != nil && k.Takes(value) && (!k.Any(schema.StringKind) || k == schema.AnyKind || r.accepts(s, value)) {
		return value, nil
	}
	if k.Any(schema.StringKind) {
		return strictjson.Quote(g.text), nil
	}
	return nil, explain(s, g, err)
}

// readFile takes the JSON of a file as it is: in there, unlike on a command line, strings have quotes.
func readFile(s *schema.Schema, g given) (jsontext.Value, *mismatch) {
	value := strictjson.Compact(jsontext.Value(g.text))
	if s.Kinds().Takes(value) {
		return value, nil
	}
	return nil, explain(s, g, nil)
}

// readList reads one text per element, or one text that is the whole list. A text that spells a list is the whole, even a
// wrong one, unless the elements are lists themselves.
func (r *reader) readList(s *schema.Schema, texts []given) (jsontext.Value, *mismatch) {
	if len(texts) == 1 {
		value, err := spelled(texts[0].text)
		k := s.Kinds()
		switch {
		case value == nil && texts[0].file == "" && strings.HasPrefix(texts[0].text, "[") && !textual(s.Item(0)):
			return nil, explain(s, texts[0], err)
		case value != nil && value.Kind() == '[' && (!lists(s.Item(0)) || r.accepts(s, value)):
			return value, nil
		case value != nil && value.Kind() != '[' && k.Takes(value) && r.accepts(s, value):
			return value, nil
		case k.Any(schema.StringKind):
			return strictjson.Quote(texts[0].text), nil
		}
	}
	out := &jsontree.Node{Kind: '['}
	for i, g := range texts {
		value, wrong := r.readOne(s.Item(i), g)
		switch {
		case wrong != nil && g.file != "" && len(texts) == 1: // it should have been the whole list
			return nil, explain(s, g, nil)
		case wrong != nil:
			wrong.pointer = jsontree.Pointer("", strconv.Itoa(i)) + wrong.pointer
			return nil, wrong
		}
		out.Items = append(out.Items, jsontree.Parse(value))
	}
	return out.Value(), nil
}

// lists reports whether a value may be a list where something is said about it.
func lists(s *schema.Schema) bool { return s != nil && s.Kinds().Any(schema.ListKind) }

// textual reports whether a value may be a string where something is said about its type.
func textual(s *schema.Schema) bool {
	k := s.Kinds()
	return k.Any(schema.StringKind) && k != schema.AnyKind
}

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
func explain(s *schema.Schema, g given, err error) *mismatch {
	k := s.Kinds()
	m := &mismatch{keyword: "type", message: must(k)}
	if values := s.Allowed(); len(values) > 0 && !k.Any(schema.ListKind|schema.ObjectKind) {
		m.keyword, m.message = "enum", oneOf(values, valueWord)
		return m
	}
	structure := k.Any(schema.ListKind|schema.ObjectKind) && (g.file != "" || strings.HasPrefix(g.text, "{") || strings.HasPrefix(g.text, "["))
	switch {
	case structure && err != nil && !g.secret:
		m.message += ": " + err.Error()
	case k.Any(schema.NumberKind) && looksNumeric(g.text):
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
