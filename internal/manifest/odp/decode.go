package odp

import (
	"errors"
	"fmt"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Reasons of [Decode], for errors.Is.
var (
	ErrTooLarge = errors.New("the document is too large")
	ErrTooDeep  = errors.New("the document is nested too deeply")
)

// Decode reads a document within its limits (ODP-1 to ODP-4): valid UTF-8, no unpaired surrogates, no duplicate names,
// nothing behind the value. The tree shares the bytes of doc, which must not change any more.
func Decode(doc []byte, l Limits) (*jsontree.Node, error) {
	if len(doc) > l.Bytes {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, l.Bytes)
	}
	if err := strictjson.Check(doc); err != nil {
		return nil, err
	}
	tree := jsontree.Parse(doc)
	if Depth(tree) > l.Depth {
		return nil, fmt.Errorf("%w: more than %d levels", ErrTooDeep, l.Depth)
	}
	return tree, nil
}

// Depth counts levels of values, scalars included: 5 and {} have one, {"a":5} has two (ODP-2). [strictjson.Check] bounds
// the recursion.
func Depth(n *jsontree.Node) int {
	deepest := 0
	for _, item := range n.Items {
		deepest = max(deepest, Depth(item))
	}
	return deepest + 1
}
