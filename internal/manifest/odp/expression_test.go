package odp

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
)

// every is a catalogue with a filter of each type that offers all that it may, named after the type.
func every() *Catalogue {
	var d Definitions
	for _, kind := range filterTypes() {
		f := Filter{ID: kind, Type: FilterType(kind), Operators: []Operator{Equal, In, Exists}, Refinable: true}
		if f.Type.ordered() {
			f.Operators = append(f.Operators, Less, LessEqual, Greater, GreaterEqual)
		}
		d.Filters = append(d.Filters, f)
	}
	d.Filters = append(d.Filters, Filter{ID: "only-in", Type: StringFilter, Operators: []Operator{In}})
	d.Sorts = []Sort{{ID: "by-date", Keys: []SortKey{{Filter: "date", Missing: "last"}}}}
	return Merge(d)
}

func TestValuesOfExpressions(t *testing.T) {
	cat := every()
	for _, c := range []struct {
		id       string
		operator Operator
		good     []string
		bad      []string
	}{
		{"string", Equal, []string{`""`, `"x"`, `"\u00e9"`}, []string{`1`, `true`, `null`, `["x"]`, `{}`}},
		{"boolean", Equal, []string{`true`, `false`}, []string{`"true"`, `1`, `null`, `[true]`}},
		{"integer", Equal, []string{`0`, `-7`, `5.0`, `1e2`, `12345678901234567890`}, []string{`1.5`, `"1"`, `true`, `1e-1`}},
		{"number", Less, []string{`0.1`, `-1e-7`, `1`}, []string{`"0.1"`, `null`}},
		{"decimal", GreaterEqual, []string{`"0"`, `"-0"`, `"1.50"`, `"-12.001"`}, []string{`1.5`, `"01"`, `"1."`, `".5"`, `"+1"`, `"1e2"`, `""`, `" 1"`, `"NaN"`, `"1/2"`, `"0x1"`, `"1_0"`, `"--1"`, `"１"`, `"` + strings.Repeat("1", 1101) + `"`}},
		{"date", Greater, []string{`"2024-02-29"`, `"0000-01-01"`, `"9999-12-31"`}, []string{`"2026-02-30"`, `"2023-02-29"`, `"2026-2-3"`, `"2026-13-01"`, `"2026-00-10"`, `"20260203"`, `"2026-02-03T00:00:00Z"`, `"+2026-02-03"`, `20260203`, `"2026-02-03 "`}},
		{
			"date-time", LessEqual,
			[]string{`"2026-02-03T04:05:06Z"`, `"2026-02-03t04:05:06.789z"`, `"2026-02-03T04:05:06+23:59"`, `"2016-12-31T23:59:60Z"`, `"2017-01-01T05:29:60+05:30"`, `"2026-02-03T04:05:06-00:00"`},
			[]string{`"2026-02-03"`, `"2026-02-30T04:05:06Z"`, `"2026-02-03T24:00:00Z"`, `"2026-02-03T04:60:06Z"`, `"2026-02-03T04:05:61Z"`, `"2016-12-31T22:59:60Z"`, `"2026-02-03T04:05:06"`, `"2026-02-03 04:05:06Z"`, `"2026-02-03T04:05Z"`, `"2026-02-03T04:05:06.Z"`, `"2026-02-03T04:05:06+24:00"`, `"2026-02-03T04:05:06+0100"`, `"2026-02-03T04:05:06,5Z"`, `"2026-02-03T4:05:06Z"`},
		},
		{"string", In, []string{`["a"]`, `["a","A"]`, `["1.0","1.00"]`}, []string{`"a"`, `[]`, `["a","a"]`, `["a","\u0061"]`, `[1]`, `[["a"]]`, `[null]`, `[` + strings.Repeat(`"x",`, 100) + `"y"]`}},
		{"decimal", In, []string{`["1.0","1.1"]`}, []string{`["1.0","1.00"]`, `["0","-0"]`}},
		{"number", In, []string{`[1,2]`}, []string{`[1,1.0]`, `[100,1e2]`}},
		{"date-time", In, []string{`["2026-01-01T00:00:00Z","2026-01-01T00:00:00.001Z"]`}, []string{`["2026-01-01T00:00:00Z","2026-01-01T01:00:00.000+01:00"]`}},
		{"date", Exists, []string{`true`, `false`}, []string{`"true"`, `1`, `[true]`, `null`}},
		{"string", Less, nil, []string{`"x"`}},
		{"boolean", Greater, nil, []string{`true`}},
		{"only-in", Equal, nil, []string{`"x"`}},
		{"string", "like", nil, []string{`"x"`}},
	} {
		f, err := cat.Filter(c.id)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range c.good {
			if _, err := (Expression{c.id, c.operator, jsontext.Value(value)}).Check(f); err != nil {
				t.Errorf("%s %s %s: %v", c.id, c.operator, value, err)
			}
		}
		for _, value := range c.bad {
			if _, err := (Expression{c.id, c.operator, jsontext.Value(value)}).Check(f); err == nil {
				t.Errorf("%s %s %s is accepted", c.id, c.operator, value)
			}
		}
	}
}

func TestExpressionsAreEvaluatedOnSets(t *testing.T) {
	cat := every()
	for _, c := range []struct {
		id       string
		operator Operator
		value    string
		values   string
		want     bool
	}{
		{"string", Equal, `"a"`, `["b","a"]`, true},
		{"string", Equal, `"a"`, `["A"]`, false},
		{"string", Equal, `"é"`, `["e\u0301"]`, false}, // exact code points
		{"string", Equal, `"é"`, `["\u00e9"]`, true},
		{"string", Equal, `"a"`, `[]`, false},
		{"string", In, `["x","y"]`, `["z","y"]`, true},
		{"string", In, `["x","y"]`, `["z"]`, false},
		{"boolean", Equal, `false`, `[false]`, true},
		{"decimal", Equal, `"1.0"`, `["1.00"]`, true},
		{"decimal", Equal, `"-0"`, `["0.0"]`, true},
		{"decimal", Less, `"0.3"`, `["0.29999999999999999999999999999"]`, true},
		{"decimal", Less, `"10"`, `["9"]`, true}, // as numbers, not as text
		{"decimal", Greater, `"10"`, `["9","11"]`, true},
		{"decimal", GreaterEqual, `"-1.5"`, `["-1.50"]`, true},
		{"decimal", Greater, `"-1.5"`, `["-1.50","-2"]`, false},
		{"integer", Equal, `9007199254740993`, `[9007199254740992]`, false}, // no floats
		{"number", Equal, `0.1`, `[1e-1]`, true},
		{"date", Less, `"2026-03-01"`, `["2026-02-28"]`, true},
		{"date", GreaterEqual, `"2026-03-01"`, `["2026-02-28"]`, false},
		{"date-time", Equal, `"2026-01-01T00:00:00Z"`, `["2025-12-31T19:00:00.000-05:00"]`, true},
		{"date-time", Greater, `"2026-01-01T00:00:00Z"`, `["2026-01-01T00:00:00.0001Z"]`, true},
		{"date-time", Less, `"1970-01-01T00:00:00Z"`, `["1969-12-31T23:59:59Z"]`, true},
		{"date-time", Greater, `"1970-01-01T00:00:00Z"`, `["1970-01-01T00:00:10Z"]`, true},
		{"date-time", Less, `"2017-01-01T00:00:00Z"`, `["2016-12-31T23:59:60Z"]`, true}, // a leap second is no midnight
		{"date-time", Greater, `"2016-12-31T23:59:59.9Z"`, `["2016-12-31T23:59:60Z"]`, true},
		{"date", Exists, `true`, `["2026-03-01"]`, true},
		{"date", Exists, `true`, `[]`, false},
		{"date", Exists, `false`, `[]`, true},
		{"date", Exists, `false`, `["2026-03-01"]`, false},
	} {
		f, err := cat.Filter(c.id)
		if err != nil {
			t.Fatal(err)
		}
		var values []jsontext.Value
		for _, item := range cursor(t, c.values).Elements(0, 9) {
			values = append(values, item.Raw())
		}
		if got, err := (Expression{c.id, c.operator, jsontext.Value(c.value)}).Matches(f, values); err != nil || got != c.want {
			t.Errorf("%s %s %s of %s: got %v %v", c.id, c.operator, c.value, c.values, got, err)
		}
	}
	f, _ := cat.Filter("integer")
	if _, err := (Expression{"integer", Equal, jsontext.Value(`1`)}).Matches(f, []jsontext.Value{jsontext.Value(`"x"`)}); err == nil {
		t.Error("a value of another type is not told")
	}
}

func TestFiltersAsText(t *testing.T) {
	cat := every()
	for text, want := range map[string]string{
		"string=Acme":                     `string eq "Acme"`,
		"string=":                         `string eq ""`,
		"string = Acme & Co ":             `string eq "Acme & Co"`,
		"string==x":                       `string eq "=x"`,
		`string="x"`:                      `string eq "\"x\""`,
		"string eq a b":                   `string eq "a b"`,
		"string=true":                     `string eq "true"`,
		`string=["Acme","B,rg"]`:          `string in ["Acme","B,rg"]`,
		"string in Acme, Borg":            `string in ["Acme","Borg"]`,
		`string in [ "a", "b" ]`:          `string in ["a","b"]`,
		"only-in=Acme":                    `only-in in ["Acme"]`,
		"string?":                         `string exists true`,
		"string exists":                   `string exists true`,
		"string exists false":             `string exists false`,
		"decimal>=1.5":                    `decimal gte "1.5"`,
		"decimal <= 1.50":                 `decimal lte "1.50"`,
		"decimal gt 2":                    `decimal gt "2"`,
		"integer<12345678901234567890":    `integer lt 12345678901234567890`,
		"number>1e-3":                     `number gt 1e-3`,
		"number in 1,2.50":                `number in [1,2.50]`,
		"boolean=true":                    `boolean eq true`,
		"date>2026-02-28":                 `date gt "2026-02-28"`,
		"date-time<=2026-02-28T00:00:00Z": `date-time lte "2026-02-28T00:00:00Z"`,
	} {
		e, err := cat.ParseFilterText(text)
		if got := e.ID + " " + string(e.Operator) + " " + string(e.Value); err != nil || got != want {
			t.Errorf("%q: got %s, want %s: %v", text, got, want, err)
		}
	}
	for _, text := range []string{
		"", "=", "string", "string ", "string Acme", "=Acme", "unknown=1", "string>a", "boolean=yes", "boolean=TRUE", "integer=1.5", "integer=", "integer=[1", "number=1 2", "decimal=1e3",
		"decimal=1,5", "date=2026-02-30", "string in ", "string in a,a", `string=[]`, "string exists maybe", "string!=a", "string?x", "string like a", "str ing=a", "integer in 1,x", "only-in exists", "ünknown=1",
	} {
		e, err := cat.ParseFilterText(text)
		if err == nil {
			t.Errorf("%q is accepted as %+v", text, e)
			continue
		}
		requireFault(t, err, fault.Usage, "invalid_filter", "-")
	}
}

// Whatever is typed, what comes out is an expression that its definition allows and that reads the same when sent.
func FuzzFilterText(f *testing.F) {
	for _, seed := range []string{"string=Acme", "decimal>=1.5", "date-time<=2016-12-31T23:59:60Z", `number in [1,2]`, "only-in=x", "integer?", "boolean exists false"} {
		f.Add(seed)
	}
	cat := every()
	f.Fuzz(func(t *testing.T, text string) {
		e, err := cat.ParseFilterText(text)
		if err != nil {
			requireFault(t, err, fault.Usage, "invalid_filter", "-")
			return
		}
		again, c := parseWhole(t, string(e.tree().Value()), ParseExpression)
		requireIssue(t, c, "-")
		if again.ID != e.ID || again.Operator != e.Operator || string(again.Value) != string(e.Value) {
			t.Errorf("%q: %+v reads as %+v", text, e, again)
		}
		if _, err := (OfferingSearch{Filters: []Expression{again}}).Body(cat); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func BenchmarkParseFilterText(b *testing.B) {
	cat := every()
	for b.Loop() {
		if _, err := cat.ParseFilterText("decimal>=1.5"); err != nil {
			b.Fatal(err)
		}
	}
}
