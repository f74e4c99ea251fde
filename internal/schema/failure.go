package schema

import (
	"strconv"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Failure is one way in which a value is not what a schema asks for. Which of the members below Keyword are set depends
// on it.
type Failure struct {
	Pointer string // JSON Pointer to the value, or the part of it, that fails
	Keyword string // the keyword that asks; "false" is the schema of that name

	Kinds    Kinds            // what "type" allows
	Values   []*jsontree.Node // what "enum" or "const" allow
	Names    []string         // the first 100 members that "required", "dependentRequired" or "dependencies" miss, or "additionalProperties" does not allow
	Text     string           // of "pattern", "format" and limits of numbers; the name that "propertyNames" refuses, or on which Names depend
	Limit    int              // of a count
	Count    int              // what was counted; of "additionalItems", the surplus
	Indices  [2]int           // two equal items, or the two branches of "oneOf" that both match
	Branches [][]Failure      // why no branch of "anyOf" or "oneOf" matches; nil when it is too much to tell, or when Indices tell
}

const (
	maxFailures = 1000 // that one check tells, those in branches included
	maxNames    = 100  // in one failure
)

// step is one on the way from the whole value to a part.
type step struct {
	name  string
	index int // of an array's element; -1: name counts
}

func pointerOf(path []step) string {
	pointer := ""
	for _, s := range path {
		if s.index >= 0 {
			s.name = strconv.Itoa(s.index)
		}
		pointer = jsontree.Pointer(pointer, s.name)
	}
	return pointer
}
