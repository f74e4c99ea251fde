package openapi

import (
	"bytes"
	"iter"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

func pointerTo(pointer string, tokens ...string) string { return jsontree.Pointer(pointer, tokens...) }

// Part returns what a reference within the document, such as "#/components/schemas/Pet", leads to; nil for nothing.
func (d *Document) Part(ref string) (jsontext.Value, error) {
	pointer, err := LocalPointer(ref)
	if err != nil {
		return nil, nil //nolint:nilerr // it leads to nothing of this document
	}
	value := d.at(pointer)
	if value == nil {
		return nil, nil
	}
	return strictjson.Compact(value), nil
}

// Parts yields all that definitions refer to, also through other parts: the reference, such as "#/components/schemas/Pet",
// and the compact value, sorted by reference. What only answers refer to is not among them, nor is what goes beyond twice
// the size of the largest document: such parts hold one another.
func (d *Document) Parts() iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		reached := map[string]jsontext.Value{}
		var queue []jsontext.Value
		for _, op := range d.operations {
			queue = append(queue, op.shared, op.parameters, op.body)
		}
		const schemes = "/components/securitySchemes"
		for name, scheme := range strictjson.SharedMembers(d.at(schemes)) {
			reached[pointerTo(schemes, name)] = scheme
		}
		size := 0
		for len(queue) > 0 {
			value := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for ref := range references(value) {
				pointer, err := LocalPointer(ref)
				if _, known := reached[pointer]; known || err != nil {
					continue
				}
				if part := d.at(pointer); part != nil && size+len(part) <= maxParts {
					size += len(part)
					reached[pointer] = part
					queue = append(queue, part)
				}
			}
		}
		for _, pointer := range slices.Sorted(maps.Keys(reached)) {
			if !yield("#"+pointer, strictjson.Compact(reached[pointer])) {
				return
			}
		}
	}
}

// references yields every text that is the value of a member "$ref".
func references(value jsontext.Value) iter.Seq[string] {
	return func(yield func(string) bool) {
		key := []byte(`"$ref"`)
		if !bytes.Contains(value, key) {
			return
		}
		d := jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true))
		for wanted := false; ; {
			token, err := d.ReadToken()
			if err != nil {
				return
			}
			isText := token.Kind() == '"'
			if wanted && isText && !yield(token.String()) {
				return
			}
			kind, length := d.StackIndex(d.StackDepth())
			wanted = isText && kind == '{' && length%2 == 1 && token.String() == "$ref"
		}
	}
}
