package odp

import "slices"

// Filter is a Filter Definition: a property of Offerings that a search can ask about (ODP-64).
type Filter struct {
	ID          string
	Title       string
	Description string
	Type        FilterType
	Operators   []Operator // as advertised; no other may be sent
	Unit        *Unit      // of numbers; nil when there is none
	Refinable   bool       // counts for each value can be asked for
}

// FilterType is the type of a filter's values.
type FilterType string

// The types of filters.
const (
	StringFilter   FilterType = "string"
	BooleanFilter  FilterType = "boolean"
	IntegerFilter  FilterType = "integer"
	NumberFilter   FilterType = "number"
	DecimalFilter  FilterType = "decimal" // a number as text, exact
	DateFilter     FilterType = "date"
	DateTimeFilter FilterType = "date-time"
)

// Operator is how a filter compares.
type Operator string

// The operators.
const (
	Equal        Operator = "eq"
	In           Operator = "in"
	Less         Operator = "lt"
	LessEqual    Operator = "lte"
	Greater      Operator = "gt"
	GreaterEqual Operator = "gte"
	Exists       Operator = "exists"
)

// Unit is what the numbers of a filter count. Values are sent in this unit and do not repeat it (ODP-66).
type Unit struct {
	System string // "ucum", or "service" for a unit of the Service's own, which cannot be converted
	Code   string
	Title  string // of a Service's own unit
}

func (f Filter) identifier() string { return f.ID }

// Has reports whether an operator is advertised.
func (f Filter) Has(o Operator) bool { return slices.Contains(f.Operators, o) }

// ordered reports whether values of the type have an order.
func (t FilterType) ordered() bool { return t != StringFilter && t != BooleanFilter }

func (t FilterType) numeric() bool {
	return t == IntegerFilter || t == NumberFilter || t == DecimalFilter
}

// compares reports whether an operator asks for the order of values.
func (o Operator) compares() bool {
	return o == Less || o == LessEqual || o == Greater || o == GreaterEqual
}

// ParseFilter reads one Filter Definition of version 1.0. Faults are left with the cursor.
func ParseFilter(c *Cursor) Filter {
	f, _ := (&later{}).filter(c)
	return f
}

// filter reads a definition, or ok=false when it uses words of a later version.
func (l *later) filter(c *Cursor) (f Filter, ok bool) {
	kind := c.Member("type")
	if l.skips(kind, filterTypes()...) {
		return f, false
	}
	f = Filter{
		ID:          c.Member("id").CapabilityID(),
		Title:       c.Member("title").Text(1, 128),
		Description: c.Member("description").Text(1, 1024),
		Type:        FilterType(kind.OneOf(filterTypes()...)),
	}
	if f.Operators, ok = l.operators(c.Member("operators"), f.Type); !ok {
		return f, false
	}
	if unit := c.Optional("unit"); unit != nil {
		if !f.Type.numeric() {
			unit.Fail("is for integer, number and decimal only")
		}
		if f.Unit, ok = l.unit(unit); !ok {
			return f, false
		}
	}
	refinable := c.Optional("refinable")
	f.Refinable = refinable.True()
	if f.Refinable && !f.Has(Equal) && !f.Has(In) {
		refinable.Fail("needs the operator eq or in")
	}
	return f, true
}

func (l *later) operators(c *Cursor, kind FilterType) (list []Operator, ok bool) {
	known := operators()
	for _, item := range c.Elements(1, l.upTo(len(known))) {
		if l.skips(item, known...) {
			return nil, false
		}
		o := Operator(item.OneOf(known...))
		switch {
		case o.compares() && !kind.ordered():
			item.Fail("%q does not fit the type %q", string(o), string(kind))
		case slices.Contains(list, o):
			item.Fail("is there twice: %q", string(o))
		}
		list = append(list, o)
	}
	return list, true
}

func (l *later) unit(c *Cursor) (unit *Unit, ok bool) {
	system := c.Member("system")
	if l.skips(system, "ucum", "service") {
		return nil, false
	}
	unit = &Unit{System: system.OneOf("ucum", "service")}
	if unit.System == "ucum" {
		unit.Code = c.Member("code").Text(1, 64)
		return unit, true
	}
	unit.Code = c.Member("code").CapabilityID()
	unit.Title = c.Member("title").Text(1, 128)
	return unit, true
}

func filterTypes() []string {
	return []string{
		string(StringFilter), string(BooleanFilter), string(IntegerFilter), string(NumberFilter), string(DecimalFilter),
		string(DateFilter), string(DateTimeFilter),
	}
}

func operators() []string {
	return []string{
		string(Equal), string(In), string(Less), string(LessEqual), string(Greater), string(GreaterEqual), string(Exists),
	}
}
