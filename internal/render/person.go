package render

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// Person is how values are put for somebody at a terminal. It changes only what is certain: the rest is shown as it came. Its
// methods work on nil, for programs: there everything is shown as it came.
//
//   - A time in RFC 3339 is told from now: "3 days ago".
//   - A whole number under a name whose last word is "bytes" is a size: "4.2 MiB".
//   - {"amount","currency"} with nothing beside them, and two columns of those names (or "total_amount" and
//     "total_currency"), are one value, "9.50 EUR"; but not where amounts are whole numbers, which may be cents.
//   - A list of texts and numbers is those, with commas.
//   - An address that begins with https:// can be followed, with Links.
type Person struct {
	Now   time.Time
	Links bool // whether the terminal takes hyperlinks
}

func (p *Person) cell(name string, value jsontext.Value) cell {
	if p == nil || value == nil {
		return newCell(cellText(value))
	}
	switch value.Kind() {
	case '"':
		text := cellText(value)
		if at, ok := momentOf(text); ok {
			return newCell(Ago(at, p.Now))
		}
		c := newCell(text)
		if p.Links {
			c.link = linkTarget(text)
		}
		return c
	case '0':
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && n >= 0 && saysBytes(name) {
			return newCell(ByteSize(n))
		}
	case '[':
		if text, ok := words(value); ok {
			return newCell(text)
		}
	case '{':
		if text, ok := money(value); ok {
			return newCell(text)
		}
	}
	return newCell(cellText(value))
}

// words are the elements of a list that has neither objects nor lists in it.
func words(list jsontext.Value) (string, bool) {
	var texts []string
	for _, element := range strictjson.Elements(list) {
		if kind := element.Kind(); kind == '{' || kind == '[' {
			return "", false
		}
		texts = append(texts, cellText(element))
	}
	return strings.Join(texts, ", "), true
}

// momentOf reads a time as RFC 3339 has it, with a zone.
func momentOf(text string) (time.Time, bool) {
	if len(text) < len("2006-01-02T15:04:05Z") || len(text) > len("2006-01-02T15:04:05.000000000+00:00") {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	return at, err == nil
}

// Ago tells a time from now, to a whole unit that has passed: "3 days ago", "in 2 hours", "just now". Months have 30 days and
// years 365.
func Ago(at, now time.Time) string {
	d := now.Sub(at)
	ahead := d < 0
	d = d.Abs()
	const day = 24 * time.Hour
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"year", 365 * day}, {"month", 30 * day}, {"day", day}, {"hour", time.Hour}, {"minute", time.Minute}} {
		n := int64(d / unit.size)
		if n == 0 {
			continue
		}
		text := strconv.FormatInt(n, 10) + " " + unit.name
		if n > 1 {
			text += "s"
		}
		if ahead {
			return "in " + text
		}
		return text + " ago"
	}
	if ahead {
		return "in a moment"
	}
	return "just now"
}

// saysBytes tells whether a name says that its number counts bytes: its last word is "bytes", and the one before is no
// multiple of them.
func saysBytes(name string) bool {
	words := wordsOf(name)
	last := len(words) - 1
	if last < 0 || words[last] != "bytes" {
		return false
	}
	if last == 0 {
		return true
	}
	switch words[last-1] {
	case "k", "m", "g", "t", "p", "ki", "mi", "gi", "ti", "kilo", "mega", "giga", "tera", "peta", "kibi", "mebi", "gibi", "tebi", "per":
		return false
	}
	return true
}

// wordsOf splits camelCase, snake_case, kebab-case and dotted names into words in small letters.
func wordsOf(name string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	small := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && small:
			end()
			fallthrough
		default:
			word.WriteRune(unicode.ToLower(r))
		}
		small = unicode.IsLower(r)
	}
	end()
	return words
}

// money is an object that is an amount and its currency, and nothing else.
func money(value jsontext.Value) (text string, ok bool) {
	if value.Kind() != '{' {
		return "", false
	}
	var amount, unit jsontext.Value
	for name, member := range strictjson.SharedMembers(value) {
		switch name {
		case "amount":
			amount = member
		case "currency":
			unit = member
		default:
			return "", false
		}
	}
	if !isAmount(amount) || !isCurrency(unit) {
		return "", false
	}
	return cellText(amount) + " " + cellText(unit), true
}

func isMoney(value jsontext.Value) bool {
	_, ok := money(value)
	return ok
}

// isAmount tells whether a value is an amount in whole units of a currency: plain digits with a point. Without one it may be
// in cents.
func isAmount(value jsontext.Value) bool {
	if kind := value.Kind(); kind != '0' && kind != '"' {
		return false
	}
	whole, fraction, point := strings.Cut(strings.TrimPrefix(cellText(value), "-"), ".")
	return point && whole != "" && fraction != "" && strings.Trim(whole+fraction, "0123456789") == ""
}

// isCurrency tells whether a value is a code such as "EUR" (ISO 4217).
func isCurrency(value jsontext.Value) bool {
	text, ok := strictjson.String(value)
	return ok && len(text) == 3 && strings.IndexFunc(text, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }) < 0
}

// amountColumns leads from the column of an amount to that of its currency.
type amountColumns map[int]int

// amounts finds the pairs of columns that are one value each, in every row.
func (p *Person) amounts(set *rowSet) amountColumns {
	if p == nil {
		return nil
	}
	pairs := amountColumns{}
	for i, name := range set.head {
		for j, other := range set.head {
			if pairedNames(name, other) && set.paired(i, j) {
				pairs[i] = j
			}
		}
	}
	return pairs
}

func pairedNames(amount, unit string) bool {
	for _, suffix := range [][2]string{{"amount", "currency"}, {"Amount", "Currency"}} {
		before, isAmount := strings.CutSuffix(amount, suffix[0])
		same, isUnit := strings.CutSuffix(unit, suffix[1])
		if isAmount && isUnit && before == same {
			return true
		}
	}
	return false
}

// paired tells whether each row has an amount with its currency, or neither, and some row has both.
func (s *rowSet) paired(amount, unit int) bool {
	some := false
	for row := range s.rows {
		a, u := s.cell(row, amount), s.cell(row, unit)
		switch {
		case a == nil && u == nil:
		case a == nil || u == nil || !isAmount(a) || !isCurrency(u):
			return false
		default:
			some = true
		}
	}
	return some
}

// swallowed tells whether a column is shown as a part of another one.
func (a amountColumns) swallowed(column int) bool {
	for _, unit := range a {
		if unit == column {
			return true
		}
	}
	return false
}

// unit is what stands behind the number of a cell; "" for nothing.
func (a amountColumns) unit(set *rowSet, row, column int) string {
	unit, ok := a[column]
	if !ok {
		return ""
	}
	return cellText(set.cell(row, unit))
}
