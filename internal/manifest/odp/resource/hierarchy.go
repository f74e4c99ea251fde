package resource

import (
	"fmt"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// Hierarchy is the graph of a Service's Collections. Its edges lead from a Collection to its parents (ODP-54). Edges that
// cannot be are left out, each with an issue; everything else stays usable (ODP-55).
type Hierarchy struct {
	order    []string // as given
	known    map[string]bool
	parents  map[string][]string
	children map[string][]string
	Issues   []odp.Issue
}

// Codes of the issues of a hierarchy and of membership.
const (
	CodeSelfParent        = "self_parent"
	CodeCycle             = "cycle"
	CodeDepthExceeded     = "depth_exceeded"
	CodeMissingParent     = "missing_parent"
	CodeMissingCollection = "missing_collection"
)

// NewHierarchy builds the graph of full Collections. Of an edge that closes a cycle, names its own Collection or one that
// is not there, or lies beyond 32 edges, nothing is kept but an issue. A Collection that comes twice counts once.
func NewHierarchy(collections []*Collection) *Hierarchy {
	b := builder{
		Hierarchy: &Hierarchy{known: map[string]bool{}, parents: map[string][]string{}, children: map[string][]string{}},
		wanted:    make(map[string][]string, len(collections)), depth: map[string]int{}, state: map[string]visit{},
	}
	for _, c := range collections {
		if !b.known[c.ID] {
			b.known[c.ID], b.wanted[c.ID] = true, c.ParentIDs
			b.order = append(b.order, c.ID)
		}
	}
	for _, id := range b.order {
		b.climb(id)
	}
	for _, id := range b.order {
		for _, parent := range b.parents[id] {
			b.children[parent] = append(b.children[parent], id)
		}
	}
	return b.Hierarchy
}

type visit byte

const (
	unseen visit = iota
	open         // on the way up from a descendant
	done
)

// builder looks through the graph depth first, so that work grows with its edges only. Its stack is its own: a stranger
// decides how deep the graph is.
type builder struct {
	*Hierarchy
	wanted map[string][]string // parents as published
	depth  map[string]int      // the longest way to a root, in edges that are kept
	state  map[string]visit
}

type step struct {
	id   string
	next int // of the parents as published
}

func (b *builder) climb(id string) {
	if b.state[id] != unseen {
		return
	}
	b.state[id] = open
	for stack := []step{{id: id}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next == len(b.wanted[top.id]) {
			b.state[top.id] = done
			stack = stack[:len(stack)-1]
			continue
		}
		parent := b.wanted[top.id][top.next]
		if b.known[parent] && b.state[parent] == unseen {
			b.state[parent] = open
			stack = append(stack, step{id: parent})
			continue
		}
		b.edge(top.id, top.next)
		top.next++
	}
}

// edge keeps or refuses one edge whose parent has been looked at, or is being looked at.
func (b *builder) edge(id string, i int) {
	parent := b.wanted[id][i]
	switch {
	case parent == id:
		b.refuse(CodeSelfParent, id, i, "names itself as its parent")
	case !b.known[parent]:
		b.refuse(CodeMissingParent, id, i, fmt.Sprintf("names the parent %q, which is not there", parent))
	case b.state[parent] == open:
		b.refuse(CodeCycle, id, i, fmt.Sprintf("names the parent %q, which is below it", parent))
	case b.depth[parent] >= odp.MaxHierarchyEdges:
		b.refuse(CodeDepthExceeded, id, i, fmt.Sprintf("lies more than %d edges below a root", odp.MaxHierarchyEdges))
	default:
		b.parents[id] = append(b.parents[id], parent)
		b.depth[id] = max(b.depth[id], b.depth[parent]+1)
	}
}

func (b *builder) refuse(code, id string, i int, message string) {
	b.Issues = append(b.Issues, odp.Issue{
		Code: code, Pointer: fmt.Sprintf("/parent_ids/%d", i), Message: fmt.Sprintf("Collection %q %s", id, message),
	})
}

// Has reports whether a Collection is there.
func (h *Hierarchy) Has(id string) bool { return h.known[id] }

// Parents returns the Collections directly above one, in published order.
func (h *Hierarchy) Parents(id string) []string { return h.parents[id] }

// Children returns the Collections directly below one, in the order in which they came.
func (h *Hierarchy) Children(id string) []string { return h.children[id] }

// Roots returns the Collections without a parent that counts, in the order in which they came.
func (h *Hierarchy) Roots() []string {
	var roots []string
	for _, id := range h.order {
		if len(h.parents[id]) == 0 {
			roots = append(roots, id)
		}
	}
	return roots
}

// Within returns a Collection and everything below it, each once, nearest first (ODP-61). It is nil for one that is not
// there.
func (h *Hierarchy) Within(id string) []string {
	if !h.Has(id) {
		return nil
	}
	found := []string{id}
	seen := map[string]bool{id: true}
	for i := 0; i < len(found); i++ {
		for _, child := range h.children[found[i]] {
			if !seen[child] {
				seen[child] = true
				found = append(found, child)
			}
		}
	}
	return found
}

// Members returns the ids of the Offerings that are direct members of a Collection, in the order in which they came. A
// child's members are not its parent's, and a membership that leads nowhere is left out with an issue (ODP-56).
func (h *Hierarchy) Members(id string, offerings []*Offering) (members []string, issues []odp.Issue) {
	for _, o := range offerings {
		for i, collection := range o.CollectionIDs {
			switch {
			case !h.Has(collection):
				issues = append(issues, odp.Issue{
					Code: CodeMissingCollection, Pointer: fmt.Sprintf("/collection_ids/%d", i),
					Message: fmt.Sprintf("Offering %q names the Collection %q, which is not there", o.ID, collection),
				})
			case collection == id:
				members = append(members, o.ID)
			}
		}
	}
	return members, issues
}
