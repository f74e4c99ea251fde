package odpclient

import (
	"fmt"
	"slices"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

const parents = "parent_ids"

// dropSelf takes a Collection out of its own parents, which is noted: such an edge is none (ODP-55). tree is the Collection as
// it came, which whoever reads it takes for valid. It reports whether there was anything to take out.
func (c *Client) dropSelf(collection *resource.Collection, tree func() *jsontree.Node) bool {
	i := slices.Index(collection.ParentIDs, collection.ID)
	if i < 0 {
		return false
	}
	c.note(odp.Issue{
		Code: resource.CodeSelfParent, Message: fmt.Sprintf("the Collection %q names itself as its parent, which is ignored", collection.ID),
	})
	collection.ParentIDs = slices.Delete(collection.ParentIDs, i, i+1)
	node := tree()
	if len(collection.ParentIDs) == 0 {
		dropMember(node, parents)
		return true
	}
	list := node.Member(parents)
	list.Items = slices.Delete(list.Items, i, i+1)
	return true
}

// withoutSelf puts [Client.dropSelf] before use.
func (c *Client) withoutSelf(use func(resource.Item[*resource.Collection]) error) func(resource.Item[*resource.Collection]) error {
	return func(item resource.Item[*resource.Collection]) error {
		c.dropSelf(item.Value, func() *jsontree.Node { return item.Node })
		return use(item)
	}
}

// dropMember takes a member out of an object.
func dropMember(object *jsontree.Node, name string) {
	if i := slices.Index(object.Names, name); i >= 0 {
		object.Names = slices.Delete(object.Names, i, i+1)
		object.Items = slices.Delete(object.Items, i, i+1)
	}
}
