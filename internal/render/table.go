package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxTableColumns keeps a table readable, and the memory for rows of ever new names within bounds.
const maxTableColumns = 100

// comfortable is the width, in display columns, below which a column of longer text is not worth showing unasked.
const comfortable = 12

// TableOptions say how [Table] shows a document.
type TableOptions struct {
	ColumnOptions
	Columns []ColumnPath // what to show, in this order; nil leaves the choice to Table
	Person  *Person      // how values are put for a person; nil shows them as they are
	Note    func(string) // is told, in a line, which columns are not shown or do not exist; may be nil
}

// Table prints a JSON value as a table:
//
//   - an array of objects with a header, a column for each name in the order of first appearance;
//   - an object as two columns, name and value, unless it wraps a list: an object with one array of objects among its
//     members, and without an "id" of its own, is that array, and its other members (totals, cursors) are left out;
//   - another array as one column, and a scalar as itself;
//   - with o.Columns always rows with a header, one row for an object.
//
// Strings are shown as text, nested values as compact JSON, absent members as nothing. For a person numbers stand to the
// right, and where columns are not chosen those of single values come first and as many as fit; see [Person]. When raw is not
// acceptable to [strictjson.Check] its error is returned and nothing printed. More than 100 different names are the fault
// "not_tabular".
func Table(w io.Writer, raw []byte, o TableOptions) error {
	document, err := checked(raw)
	if err != nil {
		return err
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	list, isList := listed(document)
	if o.Columns == nil && (!isList || !isListOfObjects(list)) {
		o.Header = false
		return layOut(w, o.Person.pairs(document, list, isList), nil, o.ColumnOptions)
	}
	set, err := rowsOf(document, o.Columns)
	if err != nil {
		return err
	}
	if o.Columns != nil {
		set.tellVain(o.Note)
	}
	if len(set.head) == 0 { // only empty objects
		return nil
	}
	var amounts amountColumns
	if o.Columns == nil {
		amounts = o.Person.amounts(set)
	}
	t := newTable(set, o.Person, amounts)
	var hidden []string
	if o.Columns == nil && o.Person != nil {
		t.arrange()
		hidden = t.fit(o.ColumnOptions)
	}
	if err := layOut(w, t.cells(), t.right(), o.ColumnOptions); err != nil {
		return err
	}
	if len(hidden) > 0 {
		o.Note(fmt.Sprintf("not shown: %s; --columns chooses, -o json has everything", strings.Join(hidden, ", ")))
	}
	return nil
}

// pairs are the rows of what is no list of objects.
func (p *Person) pairs(document, list jsontext.Value, isList bool) (rows [][]cell) {
	switch {
	case isList:
		for _, element := range strictjson.SharedElements(list) {
			rows = append(rows, []cell{p.cell("", element)})
		}
	case document.Kind() == '{':
		for name, member := range strictjson.SharedMembers(document) {
			rows = append(rows, []cell{newCell(name), p.cell(name, member)})
		}
	default:
		rows = [][]cell{{p.cell("", document)}}
	}
	return rows
}

// column is a column on its way to a terminal.
type column struct {
	head   cell
	cells  []cell
	nested bool // some cell is an object or a list
	right  bool // all cells are numbers
}

type grownTable struct {
	columns []column
	rows    int
}

// newTable makes the cells of a table. Amounts and their currencies become one column.
func newTable(set *rowSet, person *Person, amounts amountColumns) *grownTable {
	t := &grownTable{rows: len(set.rows)}
	for i, name := range set.head {
		if amounts.swallowed(i) {
			continue
		}
		c := column{head: newCell(name), cells: make([]cell, 0, len(set.rows))}
		numbers, others := 0, 0
		for row := range set.rows {
			value := set.cell(row, i)
			shown := person.cell(name, value)
			if unit := amounts.unit(set, row, i); unit != "" && shown.text != "" {
				shown = newCell(shown.text + " " + unit)
			}
			c.cells = append(c.cells, shown)
			switch kind := value.Kind(); {
			case value == nil || kind == 'n':
			case kind == '0' || amounts.unit(set, row, i) != "" || isMoney(value):
				numbers++
			default:
				c.nested = c.nested || kind == '{' || kind == '['
				others++
			}
		}
		c.right = person != nil && numbers > 0 && others == 0
		t.columns = append(t.columns, c)
	}
	return t
}

// arrange puts columns of single values before those of nested ones.
func (t *grownTable) arrange() {
	single, nested := make([]column, 0, len(t.columns)), []column(nil)
	for _, c := range t.columns {
		if c.nested {
			nested = append(nested, c)
		} else {
			single = append(single, c)
		}
	}
	t.columns = append(single, nested...)
}

// fit takes columns away from the end until those that are left can be read, and names them.
func (t *grownTable) fit(o ColumnOptions) (hidden []string) {
	if o.Width <= 0 {
		return nil
	}
	gap := cmp.Or(o.Gap, defaultGap)
	used, shown := o.Indent, 0
	for _, c := range t.columns {
		width := c.head.width
		for _, each := range c.cells {
			width = max(width, each.width)
		}
		need := min(width, comfortable)
		if shown > 0 {
			need += gap
		}
		if shown > 0 && used+need > o.Width {
			break
		}
		used += need
		shown++
	}
	for _, c := range t.columns[shown:] {
		hidden = append(hidden, c.head.text)
	}
	t.columns = t.columns[:shown]
	return hidden
}

func (t *grownTable) cells() [][]cell {
	rows := make([][]cell, t.rows+1)
	for i := range rows {
		rows[i] = make([]cell, len(t.columns))
		for j, c := range t.columns {
			if i == 0 {
				rows[i][j] = c.head
			} else {
				rows[i][j] = c.cells[i-1]
			}
		}
	}
	return rows
}

func (t *grownTable) right() []bool {
	right := make([]bool, len(t.columns))
	for i, c := range t.columns {
		right[i] = c.right
	}
	return right
}

// IsList tells whether a JSON document is a list, or wraps one, so that [Table] has rows to show.
func IsList(raw []byte) bool {
	document, err := checked(raw)
	if err != nil {
		return false
	}
	list, ok := listed(document)
	return ok && isListOfObjects(list)
}
