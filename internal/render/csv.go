package render

import (
	"cmp"
	"encoding/csv"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// CSV prints a JSON value as RFC 4180 has it: a line of names, a line for each element of a list (or of the list that an
// object wraps) or for the one value, lines ended by CR LF. Without columns there is one for each name, as in [Table], or
// "value". Strings are shown as text, nested values as compact JSON, absent members and null as nothing.
//
// A string that a spreadsheet would take for a formula gets an apostrophe in front, as OWASP has it: the text is a stranger's,
// and a formula can send away what stands beside it. Numbers keep their sign.
//
// note is told, in a line, which columns do not exist; it may be nil. When raw is not acceptable to [strictjson.Check] its
// error is returned and nothing printed.
func CSV(w io.Writer, raw []byte, columns []ColumnPath, note func(string)) error {
	document, err := checked(raw)
	if err != nil {
		return err
	}
	set, err := rowsOf(document, columns)
	if err != nil {
		return err
	}
	if columns != nil && note != nil {
		set.tellVain(note)
	}
	if len(set.head) == 0 {
		return nil
	}
	out := csvWriter{csv.NewWriter(w), w}
	out.UseCRLF = true
	record := make([]string, len(set.head))
	for i, name := range set.head {
		record[i] = harmlessCell(name)
	}
	err = out.Write(record)
	for row := 0; row < len(set.rows) && err == nil; row++ {
		for i := range record {
			record[i] = csvCell(set.cell(row, i))
		}
		err = out.Write(record)
	}
	if err == nil {
		out.Flush()
		err = out.Error()
	}
	return err
}

// csvWriter quotes the empty cell of a record that has no other: readers leave out an empty line.
type csvWriter struct {
	*csv.Writer
	w io.Writer
}

func (c csvWriter) Write(record []string) error {
	if len(record) != 1 || record[0] != "" {
		return c.Writer.Write(record)
	}
	c.Flush()
	_, err := io.WriteString(c.w, "\"\"\r\n")
	return cmp.Or(c.Error(), err)
}

func csvCell(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		return harmlessCell(cellText(value))
	case 'n':
		return ""
	}
	return cellText(value)
}

// harmlessCell keeps text from being a formula. A number that a string spells is none.
func harmlessCell(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	digits := strings.TrimLeft(text[:1], "+-") + text[1:]
	if digits != "" && strings.Trim(digits, "0123456789.") == "" && strings.Count(digits, ".") <= 1 {
		return text
	}
	return "'" + text
}
