package site

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// Limits of what a header says of a format; the rest is cut off.
const (
	maxHeaderName        = 1 << 10
	maxHeaderDescription = 4 << 10
	maxHeaderLinks       = 32
	maxHeaderURL         = 1 << 10
)

// compileTree lays the commands of a site out for lookup. sites are what the sources publish, nil for those that are of no
// use; on a clash of commands the earlier one wins. The sources are completed by what their formats say.
func compileTree(sources []Source, sites []*manifest.Site) ([]byte, error) {
	c := &treeCompiler{}
	views := []view{{sites: sites}}
	usable := 0
	for i, m := range sites {
		if m != nil {
			usable++
			c.describe(&sources[i], m)
			c.parts(m)
			views = append(views, view{name: m.Format, sites: []*manifest.Site{m}})
		}
	}
	if usable < 2 { // the only format is the whole site
		views = views[:1]
	}
	for i := range views {
		c.nodes(&views[i])
	}
	header := treeHeader{Sources: sources, Slots: slotCount(len(c.entries)), Folds: c.folds}
	slots := make([]byte, int(header.Slots)*slotBytes)
	for _, e := range c.entries {
		putSlot(slots, header.Slots, e.hash, e.at)
	}
	header.SlotsSum = crc32.ChecksumIEEE(slots)
	if c.err != nil {
		return nil, c.err
	}
	return encodeTree(header, append([][]byte{slots}, c.blocks...)...)
}

// encodeTree puts the parts of a file together.
func encodeTree(header treeHeader, parts ...[]byte) ([]byte, error) {
	head, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	begin := []byte(treeMagic)
	begin = binary.LittleEndian.AppendUint32(begin, size(head))
	begin = binary.LittleEndian.AppendUint32(begin, crc32.ChecksumIEEE(head))
	return slices.Concat(append([][]byte{begin, head}, parts...)...), nil
}

// size is a length as the file has it. What an index of the largest size compiles to is far from four gigabytes.
func size(block []byte) uint32 { return uint32(len(block)) } //nolint:gosec // see above

type treeCompiler struct {
	blocks  [][]byte // in pieces
	length  uint32   // of all of them
	entries []entry
	folds   bool
	err     error
}

// entry is a slot to be.
type entry struct {
	hash uint64
	at   place
}

// add lays out the block of a value. raw is its last member "raw", unless it is empty: JSON that was checked before, and is not
// looked at again.
func (c *treeCompiler) add(value any, raw jsontext.Value) place {
	block, err := json.Marshal(value)
	if err != nil && c.err == nil {
		c.err = err
	}
	if len(raw) == 0 {
		return c.put(block)
	}
	return c.put(block[:len(block)-1], []byte(`,"raw":`), raw, []byte("}"))
}

// put lays out a block that comes in pieces.
func (c *treeCompiler) put(pieces ...[]byte) place {
	at := place{Offset: c.length}
	for _, piece := range pieces {
		at.Length += size(piece)
		at.Sum = crc32.Update(at.Sum, crc32.IEEETable, piece)
	}
	c.blocks = append(c.blocks, pieces...)
	c.length += at.Length
	return at
}

// describe notes what a format says of the site as a whole.
func (c *treeCompiler) describe(s *Source, m *manifest.Site) {
	s.Name, s.Description, s.Version = fault.Cut(m.Name, maxHeaderName), fault.Cut(m.Description, maxHeaderDescription), fault.Cut(m.Version, maxHeaderName)
	s.BaseURL, s.Actions = m.BaseURL, len(m.Actions)
	s.Links = nil
	for _, link := range m.Links[:min(len(m.Links), maxHeaderLinks)] {
		s.Links = append(s.Links, manifest.Link{Name: fault.Cut(link.Name, maxHeaderName), URL: fault.Cut(link.URL, maxHeaderURL)})
	}
	s.Unusable = 0
	for _, action := range m.Actions {
		if action.Issue != nil {
			s.Unusable++
		}
	}
	s.Issues, s.Flows = c.add(m.Issues, nil), place{}
	if len(m.Flows) > 0 {
		s.Flows = c.add(m.Flows, nil)
	}
}

// parts lays out what the definitions of a format's actions refer to.
func (c *treeCompiler) parts(m *manifest.Site) {
	if m.Parts == nil {
		return
	}
	for key, value := range m.Parts {
		c.entries = append(c.entries, entry{hashPath(partsView(m.Format), []string{key}), c.add(stored[string]{Of: key}, value)})
	}
}

// view is one tree in the file: the site as a whole, or one format of it.
type view struct {
	name  string // "" for the whole
	sites []*manifest.Site
}

// nodes lays out the tree of a view.
func (c *treeCompiler) nodes(v *view) {
	b := buildNodes(v)
	for _, n := range b.all {
		if len(n.children) > 0 {
			n.Children = c.add(n.entries(), nil)
		}
		var definition jsontext.Value
		if n.Action != nil {
			definition, n.Action.Definition = n.Action.Definition, nil
		}
		at := c.add(stored[Node]{Of: n.Node}, definition)
		c.entries = append(c.entries, entry{hashPath(v.name, n.Command), at})
		if n.folds {
			c.folds = true
			c.entries = append(c.entries, entry{hashPath(foldedView(v.name), foldCommand(n.Command)), at})
		}
	}
}

type building struct {
	Node
	children map[string]*building
	folds    bool // '_' and '-' mean the same in its name
}

// builder gathers the nodes of one view.
type builder struct {
	root   *building
	all    []*building
	folded map[string]bool // actions by their folded commands
}

// buildNodes returns the root and every node below it, groups that are only implied by their actions included.
func buildNodes(v *view) *builder {
	b := &builder{root: &building{Node: Node{View: v.name, Group: true}}, folded: map[string]bool{}}
	b.all = []*building{b.root}
	folding := slices.ContainsFunc(v.sites, func(m *manifest.Site) bool { return m != nil && m.FoldNames })
	for _, m := range v.sites {
		if m == nil {
			continue
		}
		b.root.Description = cmp.Or(b.root.Description, m.Description)
		for _, g := range m.Groups {
			n := b.reach(g.Command)
			n.Group, n.Description = true, cmp.Or(n.Description, g.Description)
		}
		for _, a := range m.Actions {
			b.action(m, a, folding)
		}
	}
	return b
}

// action puts an action into its place, unless that is taken: by a duplicate, which is an issue already (IA-6), or by a
// format that goes before.
func (b *builder) action(m *manifest.Site, a manifest.Summary, folding bool) {
	if folding {
		key := strings.Join(foldCommand(a.Command), " ")
		if m.FoldNames && b.folded[key] {
			return
		}
		b.folded[key] = true
	}
	n := b.reach(a.Command)
	if n.Action == nil {
		a.Format = m.Format
		n.Action = &a
		n.folds = m.FoldNames && strings.ContainsAny(strings.Join(a.Command, ""), "-_")
	}
}

func (b *builder) reach(command []string) *building {
	at := b.root
	for i, word := range command {
		next := at.children[word]
		if next == nil {
			next = &building{Node: Node{View: b.root.View, Command: command[:i+1]}}
			if at.children == nil {
				at.children = make(map[string]*building)
			}
			at.children[word], at.Group = next, true
			b.all = append(b.all, next)
		}
		at = next
	}
	return at
}

func (b *building) entries() []Entry {
	list := make([]Entry, 0, len(b.children))
	for word, n := range b.children {
		e := Entry{Word: word, Description: n.Description, Group: n.Group}
		if a := n.Action; a != nil {
			e.Action, e.Effect, e.Role, e.Payment = true, a.Effect, a.Role, a.Payment
			if a.Description != "" {
				e.Description = a.Description
			}
			if a.Issue != nil {
				e.Issue = a.Issue.Message
			}
		}
		e.Description = fault.Cut(e.Description, 1<<10)
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Word, b.Word) })
	return list
}

// slotCount is the smallest power of two that leaves the table at most half full.
func slotCount(entries int) uint32 {
	n := uint32(slotRun)
	for int(n) < 2*entries {
		n *= 2
	}
	return n
}

func putSlot(slots []byte, count uint32, hash uint64, at place) {
	for i := uint32(hash>>32) & (count - 1); ; i = (i + 1) & (count - 1) {
		slot := slots[i*slotBytes : (i+1)*slotBytes]
		if binary.LittleEndian.Uint64(slot) != 0 {
			continue
		}
		binary.LittleEndian.PutUint64(slot, hash)
		binary.LittleEndian.PutUint32(slot[8:], at.Offset)
		binary.LittleEndian.PutUint32(slot[12:], at.Length)
		binary.LittleEndian.PutUint32(slot[16:], at.Sum)
		return
	}
}
