package schema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// constants are the values of "enum" or "const".
type constants struct {
	nodes     []*jsontree.Node
	canonical []string // beside nodes
}

func newConstants(nodes ...*jsontree.Node) *constants {
	c := &constants{nodes: nodes, canonical: make([]string, len(nodes))}
	for i, n := range nodes {
		c.canonical[i] = string(appendCanonical(nil, n))
	}
	return c
}

func (c *constants) contain(canonical []byte) bool {
	return slices.Contains(c.canonical, string(canonical))
}

// appendCanonical writes a value so that values which JSON Schema calls equal, and only those, are the same bytes.
func appendCanonical(out []byte, n *jsontree.Node) []byte {
	switch n.Kind {
	case '0':
		return parseDecimal(string(n.Raw)).append(out)
	case '"':
		if bytes.IndexByte(n.Raw, '\\') < 0 {
			return append(out, n.Raw...)
		}
		return appendQuoted(out, n.Text())
	case '[':
		out = append(out, '[')
		for _, item := range n.Items {
			out = append(appendCanonical(out, item), ',')
		}
		return append(out, ']')
	case '{':
		out = append(out, '{')
		for _, i := range byName(n) {
			out = append(appendQuoted(out, n.Names[i]), ':')
			out = append(appendCanonical(out, n.Items[i]), ',')
		}
		return append(out, '}')
	}
	return append(out, byte(n.Kind))
}

func appendQuoted(out []byte, text string) []byte {
	out, _ = jsontext.AppendQuote(out, text)
	return out
}

// byName returns the numbers of an object's members in the order of their names.
func byName(n *jsontree.Node) []int {
	order := make([]int, len(n.Names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(n.Names[a], n.Names[b]) })
	return order
}
