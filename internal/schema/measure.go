package schema

// Limits of one schema, and of all that one [Compiler] compiles. They are far beyond honest use; what is beyond them costs
// the reader more than it cost the writer.
const (
	MaxBytes        = 256 << 10
	MaxSchemas      = 1000    // schemas within one schema
	MaxPatternBytes = 4 << 10 // of one regular expression
	maxPointer      = 8 << 10 // bytes of the JSON Pointer to a schema: it is put together for each keyword below
	maxAllSchemas   = 4000    // of one compiler
	maxAllPatterns  = 20_000  // elements of all patterns of one compiler, repetitions written out: see [patternSize]
	maxEvaluations  = 10_000  // schemas evaluated on one and the same value; references multiply them
)

// measure returns how many schemas are evaluated on one value, at most: what applies in place, followed through references.
// It narrows kinds on its way back. A schema that comes back to itself without a step into the value has no meaning.
func (s *Schema) measure() (int, error) {
	if s.cost > 0 {
		return s.cost, nil
	}
	if s.cost < 0 {
		return 0, invalid(s.pointer, "the schema refers to itself without end")
	}
	s.cost = -1
	total := 1
	for part := range s.inPlace() {
		cost, err := part.measure()
		if err != nil {
			return 0, err
		}
		total += cost
		if total > maxEvaluations {
			return 0, tooComplex(s.pointer, "more than %d schemas apply to one value", maxEvaluations)
		}
	}
	s.narrow()
	s.cost = total
	return total, nil
}

// narrow sets kinds from what is said here and in everything that applies in place. Those must be narrowed already.
func (s *Schema) narrow() {
	s.kinds = s.types
	if s.never {
		s.kinds = 0
	}
	for _, values := range []*constants{s.enum, s.constant} {
		if values != nil {
			s.kinds &= kindsOf(values.nodes)
		}
	}
	for _, group := range [][]*Schema{s.refs, s.all} {
		for _, part := range group {
			s.kinds &= part.kinds
		}
	}
	for _, group := range [][]*Schema{s.any, s.one} {
		if len(group) == 0 {
			continue
		}
		var union Kinds
		for _, part := range group {
			union |= part.kinds
		}
		s.kinds &= union
	}
}
