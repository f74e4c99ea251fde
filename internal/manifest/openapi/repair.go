package openapi

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// maxRepairs is how many schemas of an action are given up one by one before all are.
const maxRepairs = 16

// compilable returns a schema that compiles. Nearly every one does; of any other as little as possible is replaced by what
// allows anything: real documents have faults, and what is not checked here is checked by the site.
func (r *actionReader) compilable(whole jsontext.Value) jsontext.Value {
	_, err := schema.Compile(whole)
	if err == nil {
		return whole
	}
	root := jsontree.Parse(whole)
	for range maxRepairs {
		wrong, ok := errors.AsType[*schema.Error](err)
		if !ok || !giveUp(root, wrong) {
			break
		}
		r.flaw(&Error{CodeIncomplete, r.pointer, "its schemas are not checked completely: " + wrong.Message})
		whole = root.Value()
		if _, err = schema.Compile(whole); err == nil {
			return whole
		}
	}
	r.flaw(&Error{CodeIncomplete, r.pointer, "its arguments are not checked: " + err.Error()})
	open := &jsontree.Node{Kind: '{'}
	open.Set("type", jsontree.String("object"))
	properties := &jsontree.Node{Kind: '{'}
	for name := range root.Member("properties").Members() {
		properties.Set(name, anything())
	}
	open.Set("properties", properties)
	return open.Value()
}

// giveUp replaces the schema that is at fault, or takes the keyword away that is. When there are too many schemas it gives up
// the later half of those that others refer to, which are the innermost ones. It reports whether it could do anything.
func giveUp(root *jsontree.Node, wrong *schema.Error) bool {
	if wrong.Code == schema.CodeTooComplex && giveUpHalf(root.Member("$defs")) {
		return true
	}
	if wrong.Pointer == "" {
		return false
	}
	var holder *jsontree.Node
	n, last, inSchema := root, "", true // whether n is a schema, not what a keyword holds
	for token := range jsontree.Tokens(wrong.Pointer) {
		if inSchema = !inSchema || applicator(token) == ofSchema; holder != nil && n.Kind != '{' && n.Kind != '[' {
			return false
		}
		holder, last = n, token
		if n = n.Child(token); n == nil {
			return false
		}
	}
	return replace(holder, last, inSchema)
}

// replace puts a schema that allows anything in the place of an item, or takes the item away.
func replace(holder *jsontree.Node, token string, withAnything bool) bool {
	for i := range holder.Items {
		if holder.Token(i) != token {
			continue
		}
		if withAnything {
			if holder.Items[i].Kind == 't' {
				return false
			}
			holder.Items[i] = anything()
			return true
		}
		holder.Items = slices.Delete(holder.Items, i, i+1)
		if holder.Kind == '{' {
			holder.Names = slices.Delete(holder.Names, i, i+1)
		}
		return true
	}
	return false
}

func giveUpHalf(defs *jsontree.Node) bool {
	if defs == nil {
		return false
	}
	var left []int
	for i, n := range defs.Items {
		if n.Kind == '{' {
			left = append(left, i)
		}
	}
	for _, i := range left[len(left)/2:] {
		defs.Items[i] = anything()
	}
	return len(left) > 0
}
