package odp

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// FilterSyntax tells in short how [Catalogue.ParseFilterText] reads text.
const FilterSyntax = `ID=VALUE, ID>=VALUE (also > <= <), "ID in A,B", ID? or "ID exists false"`

// ParseFilterText reads a filter as it is written on a command line, by the definitions of the catalogue:
//
//	maker=Acme              eq; where only "in" is offered, in with the one value
//	weight>=1.5             gte; likewise <=, > and <
//	maker=["Acme","Borg"]   in, as a JSON array
//	maker in Acme,Borg      in; values that hold a comma need the JSON array
//	maker?                  exists, true
//	maker exists false      exists, false
//
// The wire names work as words too: "weight gte 1.5". White space around the operator means nothing. The value is text and
// becomes what the filter's type needs. Errors are of kind [fault.Usage].
func (cat *Catalogue) ParseFilterText(text string) (Expression, error) {
	id := text[:len(text)-len(strings.TrimLeft(text, capabilityCharacters))]
	word, value := cutOperator(strings.TrimSpace(text[len(id):]))
	if id == "" || word == "" {
		return Expression{}, filterFault("%q is no filter: write %s", fault.Word(text), FilterSyntax)
	}
	f, err := cat.Filter(id)
	if err != nil {
		return Expression{}, err
	}
	e := f.expression(Operator(word), value)
	if _, err := e.Check(f); err != nil {
		return Expression{}, filterFault("%q: %w", fault.Word(text), err)
	}
	return e, nil
}

const capabilityCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-"

func filterFault(format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, "invalid_filter", format, args...)
}

// cutOperator splits what follows an identifier into the wire name of the operator and the text of the value.
func cutOperator(text string) (operator, value string) {
	if text == "?" {
		return string(Exists), "true"
	}
	symbols := []struct{ symbol, operator string }{ // the longer ones first
		{">=", string(GreaterEqual)}, {"<=", string(LessEqual)}, {"=", string(Equal)}, {">", string(Greater)}, {"<", string(Less)},
	}
	for _, s := range symbols {
		if value, ok := strings.CutPrefix(text, s.symbol); ok {
			return s.operator, strings.TrimSpace(value)
		}
	}
	word, value, _ := strings.Cut(text, " ")
	if !slices.Contains(operators(), word) {
		return "", ""
	}
	if value = strings.TrimSpace(value); word == string(Exists) && value == "" {
		value = "true"
	}
	return word, value
}

// expression gives text the type that operator and filter need.
func (f Filter) expression(o Operator, text string) Expression {
	list, isList := jsonArray(text)
	switch {
	case o == Exists:
		return Expression{f.ID, o, BooleanFilter.literal(text)}
	case isList && f.Has(In) && (o == In || o == Equal):
		return Expression{f.ID, In, list}
	case o == In:
		return Expression{f.ID, In, f.Type.list(splitList(text)...)}
	case o == Equal && !f.Has(Equal) && f.Has(In):
		return Expression{f.ID, In, f.Type.list(text)}
	}
	return Expression{f.ID, o, f.Type.literal(text)}
}

// list returns texts as an array of values of the type; white space around each means nothing.
func (t FilterType) list(texts ...string) jsontext.Value {
	out := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, t.literal(strings.TrimSpace(text))...)
	}
	return append(out, ']')
}

// splitList splits at commas; nothing at all is no value.
func splitList(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// jsonArray returns text as compact JSON if it is an array.
func jsonArray(text string) (list jsontext.Value, ok bool) {
	if !strings.HasPrefix(text, "[") || strictjson.Check([]byte(text)) != nil {
		return nil, false
	}
	return strictjson.Compact(jsontext.Value(text)), true
}
