package render

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// ColumnPath names a column of a table: the members, or the places in lists, that lead from a row to its cell.
type ColumnPath struct {
	Text  string // as written, without the marks of quoting; the head of the column
	steps []string
}

// Limits of what --columns may say.
const (
	maxColumnSteps = 32
	maxColumnBytes = 16 << 10
)

// ParseColumns reads a list such as "id,buyer.name,lines.0.sku": columns behind commas, steps behind dots. A backslash takes
// the next character as it is, for names with a comma, a dot or a backslash. White space around a column is left out. Its
// error is the usage fault "invalid_columns".
func ParseColumns(list string) ([]ColumnPath, error) {
	refuse := func(err error) ([]ColumnPath, error) {
		return nil, fault.New(fault.Usage, "invalid_columns", "--columns %q: %w", fault.Cut(list, 200), err)
	}
	if len(list) > maxColumnBytes {
		return refuse(fmt.Errorf("it is longer than %d bytes", maxColumnBytes))
	}
	var all []ColumnPath
	for rest, more := list, true; more; {
		var one string
		one, rest, more = cutQuoted(rest, ',')
		path, err := parseColumn(strings.TrimSpace(one))
		if err != nil {
			return refuse(err)
		}
		if all = append(all, path); len(all) > maxTableColumns {
			return refuse(fmt.Errorf("there are more than %d columns", maxTableColumns))
		}
	}
	return all, nil
}

func parseColumn(text string) (p ColumnPath, err error) {
	for rest, more := text, true; more; {
		var step string
		step, rest, more = cutQuoted(rest, '.')
		if step, err = unquoteStep(step); err != nil {
			return p, err
		}
		if p.steps = append(p.steps, step); len(p.steps) > maxColumnSteps {
			return p, fmt.Errorf("a column has more than %d steps", maxColumnSteps)
		}
	}
	p.Text = strings.Join(p.steps, ".")
	return p, nil
}

// cutQuoted cuts text at the first mark that no backslash stands before.
func cutQuoted(text string, mark byte) (before, after string, found bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case mark:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

func unquoteStep(step string) (string, error) {
	if step == "" {
		return "", errors.New("a name is empty")
	}
	var b strings.Builder
	for i := 0; i < len(step); i++ {
		if step[i] == '\\' {
			if i++; i == len(step) {
				return "", errors.New("a backslash stands at the end of a name")
			}
		}
		b.WriteByte(step[i])
	}
	return b.String(), nil
}

// in follows the path from a row, and returns nil where it leads nowhere. A member whose name has the dots in it wins over
// the way through its parts.
func (p ColumnPath) in(row jsontext.Value) jsontext.Value { return follow(row, p.steps) }

func follow(value jsontext.Value, steps []string) jsontext.Value {
	if len(steps) == 0 {
		return value
	}
	switch value.Kind() {
	case '{':
		var next jsontext.Value
		whole := strings.Join(steps, ".")
		for name, member := range strictjson.SharedMembers(value) {
			switch name {
			case whole:
				return member
			case steps[0]:
				next = member
			}
		}
		if next != nil {
			return follow(next, steps[1:])
		}
	case '[':
		at, err := strconv.Atoi(steps[0])
		if err != nil || at < 0 || strconv.Itoa(at) != steps[0] {
			return nil
		}
		for i, element := range strictjson.SharedElements(value) {
			if i == at {
				return follow(element, steps[1:])
			}
		}
	}
	return nil
}
