package odp

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Expression is a Filter Expression: what a search asks of one filter (ODP-67).
type Expression struct {
	ID       string
	Operator Operator
	Value    jsontext.Value // compact; an array for "in", true or false for "exists", else one scalar
}

const (
	maxInValues    = 100
	maxExpressions = 32 // of one search
	maxRefinements = 16
)

// Check judges an expression by the definition of its filter: an advertised operator, and values of the type. The error
// says what must be otherwise; place is "/id", "/operator" or "/value".
func (e Expression) Check(f Filter) (place string, err error) {
	if e.ID != f.ID {
		return "/id", fmt.Errorf("%q is not the filter %q", fault.Word(e.ID), f.ID)
	}
	if !f.Has(e.Operator) {
		return "/operator", fmt.Errorf("%q does not offer the operator %q", f.ID, fault.Word(string(e.Operator)))
	}
	_, err = e.operands(f.Type)
	return "/value", err
}

// operands reads the value of an expression: the scalars that it compares with. For "exists" there are none.
func (e Expression) operands(kind FilterType) ([]scalar, error) {
	switch {
	case e.Operator == Exists:
		_, err := newScalar(BooleanFilter, e.Value)
		return nil, err
	case e.Operator != In:
		s, err := newScalar(kind, e.Value)
		return []scalar{s}, err
	case e.Value.Kind() != '[':
		return nil, fmt.Errorf("must be an array of 1 to %d values", maxInValues)
	}
	var list []scalar
	seen := make(map[string]bool)
	for i, value := range strictjson.Elements(e.Value) {
		s, err := newScalar(kind, value)
		switch {
		case err != nil:
			return nil, fmt.Errorf("value %d %w", i+1, err)
		case seen[s.key]:
			return nil, fmt.Errorf("must not hold a value twice: %s", fault.Word(string(value)))
		}
		seen[s.key] = true
		list = append(list, s)
	}
	if len(list) < 1 || len(list) > maxInValues {
		return nil, fmt.Errorf("must have 1 to %d values, not %d", maxInValues, len(list))
	}
	return list, nil
}

// Matches reports whether an Offering whose filter has these values is one that the expression asks for (ODP-68): the
// values are a set, and one that fits is enough. The expression must have passed [Expression.Check]; a value of another
// type is an error.
func (e Expression) Matches(f Filter, values []jsontext.Value) (bool, error) {
	if e.Operator == Exists {
		return (string(e.Value) == "true") == (len(values) > 0), nil
	}
	operands, err := e.operands(f.Type)
	if err != nil {
		return false, err
	}
	for _, value := range values {
		s, err := newScalar(f.Type, value)
		if err != nil {
			return false, fmt.Errorf("a value of %q %w", f.ID, err)
		}
		for _, operand := range operands {
			if e.Operator.holds(s, operand) {
				return true, nil
			}
		}
	}
	return false, nil
}

// holds reports whether a value compares with an operand as the operator says.
func (o Operator) holds(value, operand scalar) bool {
	switch o {
	case Equal, In:
		return value.key == operand.key
	case Less:
		return value.compare(operand) < 0
	case LessEqual:
		return value.compare(operand) <= 0
	case Greater:
		return value.compare(operand) > 0
	case GreaterEqual:
		return value.compare(operand) >= 0
	default:
		return false
	}
}

// ParseExpression reads the shape of a Filter Expression, which [Expression.Check] judges by its definition. Faults are left
// with the cursor.
func ParseExpression(c *Cursor) Expression {
	e := Expression{
		ID:       c.Member("id").CapabilityID(),
		Operator: Operator(c.Member("operator").OneOf(operators()...)),
	}
	value := c.Member("value")
	switch e.Operator {
	case In:
		seen := make(map[string]bool)
		for _, item := range value.Elements(1, maxInValues) {
			item.scalar()
			if key := jsonKey(item.Raw()); seen[key] {
				item.Fail("is there twice")
			} else {
				seen[key] = true
			}
		}
	case Exists:
		value.Bool()
	default:
		value.scalar()
	}
	e.Value = value.Raw()
	return e
}

// scalar allows no null, no object and no array.
func (c *Cursor) scalar() {
	if c.Is('n') || c.Is('{') || c.Is('[') {
		c.Fail("must be a string, a number, true or false")
	}
}

// repeated finds an expression that is there twice, else it returns -1. Two are the same if identifier, operator and value
// are, whatever the spelling of the value (ODP-67). Types come from the catalogue; with nil, values are compared as JSON.
func repeated(list []Expression, cat *Catalogue) int {
	seen := make(map[string]bool, len(list))
	for i, e := range list {
		key := e.ID + " " + string(e.Operator) + " " + e.key(cat)
		if seen[key] {
			return i
		}
		seen[key] = true
	}
	return -1
}

// key is the same text for equal values.
func (e Expression) key(cat *Catalogue) string {
	if cat != nil && e.Operator != In {
		if f, err := cat.Filter(e.ID); err == nil {
			if s, err := newScalar(f.Type, e.Value); err == nil {
				return s.key
			}
		}
	}
	return jsonKey(e.Value)
}

// jsonKey is the same text for values that are equal as JSON; arrays hold scalars only.
func jsonKey(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		text, _ := strictjson.String(value)
		return strconv.Quote(text)
	case '0':
		return exact(string(value)).RatString()
	case '[':
		var key strings.Builder
		for _, item := range strictjson.Elements(value) {
			key.WriteString(jsonKey(item) + ",")
		}
		return key.String()
	}
	return string(value)
}

// tree returns the expression as it is sent.
func (e Expression) tree() *jsontree.Node {
	n := &jsontree.Node{Kind: '{'}
	n.Set("id", jsontree.String(e.ID))
	n.Set("operator", jsontree.String(string(e.Operator)))
	n.Set("value", jsontree.Parse(e.Value))
	return n
}
