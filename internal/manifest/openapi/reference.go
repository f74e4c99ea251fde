package openapi

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// MaxReferences is how many references may follow one on another.
const MaxReferences = 8

// Lookup returns what a JSON Pointer into the document leads to, nil for nothing, and [Unread] for what is too large.
type Lookup func(pointer string) *jsontree.Node

// Unread stands for a value that is there and is beyond what may be read: it is of no kind.
func Unread() *jsontree.Node { return &jsontree.Node{} }

// LocalPointer returns the JSON Pointer of a reference within the document.
func LocalPointer(ref string) (string, error) {
	fragment, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return "", fmt.Errorf("the reference %q leads out of the document", fault.Word(ref))
	}
	pointer := fragment
	if strings.Contains(fragment, "%") {
		var err error
		if pointer, err = url.PathUnescape(fragment); err != nil {
			return "", fmt.Errorf("the reference %q is malformed", fault.Word(ref))
		}
	}
	return "/" + pointer, nil
}

// Resolve follows the references from n, which stands at pointer, to what is none, and tells where that stands. Only those
// within the document are followed. Its error is an [*Error].
func (find Lookup) Resolve(n *jsontree.Node, pointer string) (*jsontree.Node, string, error) {
	for range MaxReferences {
		ref := n.Member("$ref")
		if ref == nil {
			return n, pointer, nil
		}
		target, err := LocalPointer(ref.Text())
		if err != nil {
			return nil, "", &Error{CodeRemoteRef, pointer, err.Error()}
		}
		switch n = find(target); {
		case n == nil:
			return nil, "", &Error{CodeMissingRef, pointer, fmt.Sprintf("the reference %q leads nowhere", fault.Word(ref.Text()))}
		case n.Kind == 0:
			return nil, "", &Error{CodeTooLarge, pointer, fmt.Sprintf("all that it refers to is more than %d bytes", maxReached)}
		}
		pointer = target
	}
	return nil, "", &Error{CodeCircular, pointer, "too many references follow one on another"}
}
