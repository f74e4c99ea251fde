package screen

import (
	"fmt"
	"testing"
)

// manyRows are the actions of a large site.
func manyRows() []row {
	rows := make([]row, 5000)
	for i := range rows {
		rows[i] = row{name: fmt.Sprintf("group%d create-thing-%d", i/50, i), what: fmt.Sprintf("Create thing number %d of the group", i)}
	}
	return rows
}

// A search finds names first, by a few letters of each word, then texts by their words; each row once.
func TestSearch(t *testing.T) {
	l := &list{}
	l.set([]row{{name: "orders create", what: "Buy things"}, {name: "orders list", what: "What was created"}, {name: "refunds create", what: "Give money back"}, {name: "orders list", what: "Another"}})
	for query, want := range map[string][]string{
		"":        {"orders create", "orders list", "refunds create", "orders list"},
		"orcr":    {"orders create"},
		"create":  {"orders create", "refunds create", "orders list"},
		"MONEY":   {"refunds create"},
		"ord lis": {"orders list", "orders list"},
		"nothing": nil,
	} {
		l.query = query
		l.search()
		var got []string
		for _, f := range l.found {
			got = append(got, f.name)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// Each letter that is typed is a search, and a frame.
func BenchmarkSearch(b *testing.B) {
	for _, query := range []string{"thing", "create thing 4999", "number"} {
		b.Run(query, func(b *testing.B) {
			m := &Model{theme: newTheme(true), width: 120, height: 32}
			l := &list{query: query, searching: true}
			l.rows = manyRows()
			for b.Loop() {
				l.search()
				l.body(m, 120, 28)
			}
		})
	}
}
