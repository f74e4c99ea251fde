package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/shopspring/decimal"
)

// functions are those that a template has besides Go's own. They go by the names that gh has for them.
func (r *templateRun) functions() template.FuncMap {
	return template.FuncMap{
		"autocolor":   r.autoColor,
		"color":       paint,
		"contains":    func(part string, text any) (bool, error) { return withText(text, part, strings.Contains) },
		"hasPrefix":   func(part string, text any) (bool, error) { return withText(text, part, strings.HasPrefix) },
		"hasSuffix":   func(part string, text any) (bool, error) { return withText(text, part, strings.HasSuffix) },
		"hyperlink":   r.hyperlink,
		"join":        joinTexts,
		"json":        templateJSON,
		"pluck":       pluck,
		"printf":      printf,
		"tablerow":    r.tableRow,
		"tablerender": r.tableRender,
		"timeago":     r.timeAgo,
		"timefmt":     formatTime,
		"truncate":    truncateText,

		// Go's own compare a number that kept its digits as text.
		"eq": equalAny,
		"ne": func(a, b any) bool { return !equal(a, b) },
		"lt": func(a, b any) (bool, error) { c, err := compare(a, b); return c < 0, err },
		"le": func(a, b any) (bool, error) { c, err := compare(a, b); return c <= 0, err },
		"gt": func(a, b any) (bool, error) { c, err := compare(a, b); return c > 0, err },
		"ge": func(a, b any) (bool, error) { c, err := compare(a, b); return c >= 0, err },
	}
}

func withText(value any, part string, test func(text, part string) bool) (bool, error) {
	text, err := templateText(value)
	return test(text, part), err
}

// paint makes text of a colour: "red", "green+b" (bold), "blue+u" (underlined), "+d" (dim).
func paint(style string, value any) (string, error) {
	text, err := templateText(value)
	if err != nil {
		return "", err
	}
	name, marks, _ := strings.Cut(style, "+")
	var codes []string
	for i, known := range []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"} {
		if name == known {
			codes = append(codes, fmt.Sprint(30+i))
		}
	}
	if name == "gray" || name == "grey" {
		codes = append(codes, "90")
	}
	if len(codes) == 0 && name != "" && name != "default" {
		return "", fmt.Errorf("%q is not a colour", name)
	}
	for _, mark := range marks {
		at := strings.IndexRune("bdiu", mark)
		if at < 0 {
			return "", fmt.Errorf("%q is not a style: +b is bold, +d dim, +i italic, +u underlined", "+"+string(mark))
		}
		codes = append(codes, []string{"1", "2", "3", "4"}[at])
	}
	if len(codes) == 0 {
		return text, nil
	}
	return "\x1b[" + strings.Join(codes, ";") + "m" + text + colorReset, nil
}

func (r *templateRun) autoColor(style string, value any) (string, error) {
	colored, err := paint(style, value)
	if err == nil && !r.Color {
		return templateText(value)
	}
	return colored, err
}

// hyperlink makes text that leads to an address, where a terminal shows it.
func (r *templateRun) hyperlink(address, text any) (string, error) {
	target, err := templateText(address)
	if err != nil {
		return "", err
	}
	shown, err := templateText(text)
	if err != nil || !r.Terminal || !r.Color {
		return shown, err
	}
	return Hyperlink(linkTarget(target), shown), nil
}

func joinTexts(separator string, list any) (string, error) {
	items, err := itemsOf(list)
	if err != nil {
		return "", err
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i], err = templateText(item); err != nil {
			return "", err
		}
	}
	return strings.Join(texts, separator), nil
}

func itemsOf(list any) ([]any, error) {
	switch list := list.(type) {
	case nil:
		return nil, nil
	case []any:
		return list, nil
	}
	return nil, fmt.Errorf("%T is not a list", list)
}

// pluck takes the member of that name of each object in a list.
func pluck(name string, list any) ([]any, error) {
	items, err := itemsOf(list)
	if err != nil {
		return nil, err
	}
	out := make([]any, 0, len(items))
	for _, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, errors.New("pluck: an element is not an object")
		}
		out = append(out, object[name])
	}
	return out, nil
}

func templateJSON(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// bytesOfRow is what a row takes beside its text, about.
const bytesOfRow = 64

// tableRow adds a row to the table that tablerender, or the end of the template, prints.
func (r *templateRun) tableRow(cells ...any) (string, error) {
	row := make([]string, len(cells))
	for i, c := range cells {
		var err error
		if row[i], err = templateText(c); err != nil {
			return "", err
		}
		r.held += len(row[i])
	}
	if r.held += bytesOfRow; r.out.Len()+r.held > maxTemplateOutput {
		return "", errTooMuchOutput
	}
	r.rows = append(r.rows, row)
	return "", r.ctx.Err()
}

func (r *templateRun) tableRender() (string, error) {
	var out bytes.Buffer
	rows := make([][]cell, len(r.rows))
	for i, row := range r.rows {
		for _, text := range row {
			rows[i] = append(rows[i], coloredCell(text))
		}
	}
	r.rows, r.held = nil, 0
	err := layOut(&out, rows, nil, ColumnOptions{Width: r.Width})
	return out.String(), err
}

// coloredCell is a cell whose text may have been painted: it is measured without its colours, and loses them where it is cut.
func coloredCell(text string) cell {
	plain := CleanLine(string(OnlyColors([]byte(text), false)))
	return cell{text: plain, width: displayWidth(plain), painted: string(OnlyColors([]byte(text), true))}
}

func (r *templateRun) timeAgo(value any) (string, error) {
	at, err := templateTime(value)
	if err != nil {
		return "", err
	}
	return Ago(at, r.Now), nil
}

// formatTime writes a time as Go's layout has it.
func formatTime(layout string, value any) (string, error) {
	at, err := templateTime(value)
	return at.Format(layout), err
}

func templateTime(value any) (time.Time, error) {
	text, err := templateText(value)
	if err != nil {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is not a time as RFC 3339 has it", text)
	}
	return at, nil
}

// truncateText cuts text to a width in columns, an ellipsis included.
func truncateText(width int, value any) (string, error) {
	text, err := templateText(value)
	if err != nil || width < 1 {
		return "", err
	}
	if displayWidth(text) > width {
		text, _ = truncate(text, width)
	}
	return text, nil
}

// equalAny is Go's eq, whose first argument is to equal one of the others.
func equalAny(a, b any, more ...any) bool {
	return slices.ContainsFunc(append(more, b), func(other any) bool { return equal(a, other) })
}

// equal compares as Go's eq does, except that numbers are equal whatever their digits.
func equal(a, b any) bool {
	x, isNumber := number(a)
	y, alsoNumber := number(b)
	if isNumber && alsoNumber {
		return x.Equal(y)
	}
	return isNumber == alsoNumber && reflect.DeepEqual(a, b)
}

func compare(a, b any) (int, error) {
	x, isNumber := number(a)
	y, alsoNumber := number(b)
	if isNumber && alsoNumber {
		return x.Cmp(y), nil
	}
	s, isText := a.(string)
	t, alsoText := b.(string)
	if isText && alsoText {
		return strings.Compare(s, t), nil
	}
	return 0, fmt.Errorf("%T and %T cannot be compared", a, b)
}

// number reads a number of the document, whose size [strictjson.Check] has bounded, or one of the template.
func number(value any) (decimal.Decimal, bool) {
	switch value := value.(type) {
	case json.Number:
		d, err := decimal.NewFromString(value.String())
		return d, err == nil
	case int:
		return decimal.NewFromInt(int64(value)), true
	case float64:
		return decimal.NewFromFloat(value), true
	}
	return decimal.Decimal{}, false
}

// printf is Go's, to which a number that kept its digits would be a text.
func printf(format string, args ...any) string {
	for i, arg := range args {
		if n, ok := arg.(json.Number); ok {
			args[i] = formatted(n)
		}
	}
	return fmt.Sprintf(format, args...)
}

// formatted is a number of the document that every verb for numbers formats, and that is its digits to the others.
type formatted json.Number

// Format implements [fmt.Formatter].
func (n formatted) Format(out fmt.State, verb rune) {
	var value any = string(n)
	if d, ok := number(json.Number(n)); ok {
		switch verb {
		case 'd', 'b', 'o', 'O', 'x', 'X':
			if d.IsInteger() {
				value = d.BigInt()
			}
		case 'e', 'E', 'f', 'F', 'g', 'G':
			value, _ = new(big.Float).SetPrec(floatBits).SetString(string(n))
		}
	}
	fmt.Fprintf(out, fmt.FormatString(out, verb), value)
}

// floatBits is enough for the digits of an amount, however large.
const floatBits = 512
