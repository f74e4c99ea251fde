package input

import (
	"iter"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// always yields, of everything that applies to a value, what applies whatever the value is: no branch of an "anyOf" or a
// "oneOf", and nothing in one.
func always(s *schema.Schema) iter.Seq[*schema.Schema] {
	return func(yield func(*schema.Schema) bool) {
		branches := map[*jsontree.Node]bool{}
		skip := 0
		for part := range s.Applying() {
			switch {
			case skip > 0:
				skip--
				continue
			case branches[part.Node()]: // what is in it follows it
				skip = count(part) - 1
				continue
			}
			for _, keyword := range [...]string{"anyOf", "oneOf"} {
				for _, branch := range elements(part.Node().Member(keyword)) {
					branches[branch] = true
				}
			}
			if !yield(part) {
				return
			}
		}
	}
}

func count(s *schema.Schema) int {
	n := 0
	for range s.Applying() {
		n++
	}
	return n
}

// elements returns the elements of an array, nothing of anything else.
func elements(n *jsontree.Node) []*jsontree.Node {
	if !n.IsArray() {
		return nil
	}
	return n.Items
}

// maxDescribing is how many schemas are searched for words about a value.
const maxDescribing = 100

// keyword returns the first value of a keyword in what always applies; nil when there is none.
func keyword(s *schema.Schema, name string) *jsontree.Node {
	looked := 0
	for part := range always(s) {
		if n := part.Node().Member(name); n != nil {
			return n
		}
		if looked++; looked == maxDescribing {
			break
		}
	}
	return nil
}
