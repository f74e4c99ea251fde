package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/manifest"
)

// The command tree of a site, compiled for lookup by command. The file is
//
//	magic (16 bytes) · header length and checksum (2 × uint32) · header (JSON) · slots · blocks
//
// A slot is a hash of a command path and the place of its node's block; slots form an open-addressing hash table. A
// block is JSON: one node, one node's list of children, or the issues. Each carries its checksum where it is pointed
// at, so a damaged file is noticed wherever it is read and nothing but what is needed is read. All numbers are little
// endian, and offsets count from the start of the blocks.

const (
	treeMagic = "agentctl tree 1\n"
	slotBytes = 8 + 4 + 4 + 4
	// slotRun is how many slots are read at a time; with a table at most half full a run almost always holds the answer.
	slotRun = 8
	// maxHeaderBytes bounds what is read of a header; names and descriptions in it are cut long before.
	maxHeaderBytes = 64 << 10
	// maxSlots bounds what a damaged header can make us read; it is enough for more actions than an index may have.
	maxSlots = 1 << 23
	// maxBlockBytes is for the longest list of children that an index can make.
	maxBlockBytes = 128 << 20
)

var errDamaged = errors.New("the compiled command tree is damaged")

// place points at a block.
type place struct {
	Offset uint32 `json:"o"`
	Length uint32 `json:"l"`
	Sum    uint32 `json:"s"`
}

type treeHeader struct {
	Source      string `json:"source"` // sum of the index that the tree was compiled from
	Format      string `json:"format"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Version     string `json:"version"`
	BaseURL     string `json:"base_url"`
	Actions     int    `json:"actions"`
	Unusable    int    `json:"unusable"`
	Slots       uint32 `json:"slots"`     // a power of two
	SlotsSum    uint32 `json:"slots_sum"` // their checksum, held against them before a command is called unknown
	Issues      place  `json:"issues"`
}

// Node is one command word sequence of a site: a group, an action, or both (IA-7).
type Node struct {
	Command     []string          `json:"command"`
	Description string            `json:"description,omitempty"` // of the group
	Action      *manifest.Summary `json:"action,omitempty"`      // nil when the node is only a group
	Group       bool              `json:"group,omitempty"`       // whether it may have children
	Children    place             `json:"children"`
}

// Entry is one line of a listing: a direct child of a node.
type Entry struct {
	Word        string          `json:"word"`
	Description string          `json:"description,omitempty"`
	Group       bool            `json:"group,omitempty"`
	Action      bool            `json:"action,omitempty"`
	Effect      manifest.Effect `json:"effect,omitempty"`
	Role        string          `json:"role,omitempty"`
	Payment     string          `json:"payment,omitempty"`
	Issue       string          `json:"issue,omitempty"` // why the action cannot be used
}

// compileTree lays the commands of a site out for lookup. source identifies the document it came from.
func compileTree(m *manifest.Site, source string) ([]byte, error) {
	nodes := buildNodes(m)
	c := &treeCompiler{}
	header := treeHeader{
		Source: source, Format: m.Format, Name: m.Name, Description: m.Description, Version: m.Version, BaseURL: m.BaseURL,
		Actions: len(m.Actions), Slots: slotCount(len(nodes)),
	}
	for _, action := range m.Actions {
		if action.Issue != nil {
			header.Unusable++
		}
	}
	header.Name, header.Description = cut(header.Name, 1<<10), cut(header.Description, 8<<10)
	slots := make([]byte, int(header.Slots)*slotBytes)
	for _, n := range nodes {
		if len(n.children) > 0 {
			n.Children = c.add(n.entries())
		}
		putSlot(slots, header.Slots, n.Command, c.add(n.Node))
	}
	header.Issues, header.SlotsSum = c.add(m.Issues), crc32.ChecksumIEEE(slots)
	if c.err != nil {
		return nil, c.err
	}
	head, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(treeMagic)+8+len(head)+len(slots)+c.blocks.Len())
	out = append(out, treeMagic...)
	out = binary.LittleEndian.AppendUint32(out, size(head))
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(head))
	out = append(out, head...)
	out = append(out, slots...)
	return append(out, c.blocks.Bytes()...), nil
}

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// size is a length as the file has it. What an index of the largest size compiles to is far from four gigabytes.
func size(block []byte) uint32 { return uint32(len(block)) } //nolint:gosec // see above

type treeCompiler struct {
	blocks bytes.Buffer
	err    error
}

func (c *treeCompiler) add(value any) place {
	block, err := json.Marshal(value)
	if err != nil && c.err == nil {
		c.err = err
	}
	at := place{Offset: size(c.blocks.Bytes()), Length: size(block), Sum: crc32.ChecksumIEEE(block)}
	c.blocks.Write(block)
	return at
}

type building struct {
	Node
	children map[string]*building
}

// buildNodes returns the root and every node below it, groups that are only implied by their actions included.
func buildNodes(m *manifest.Site) []*building {
	root := &building{Node: Node{Description: m.Description, Group: true}}
	all := []*building{root}
	reach := func(command []string) *building {
		at := root
		for i, word := range command {
			next := at.children[word]
			if next == nil {
				next = &building{Node: Node{Command: command[:i+1]}}
				if at.children == nil {
					at.children = make(map[string]*building)
				}
				at.children[word], at.Group = next, true
				all = append(all, next)
			}
			at = next
		}
		return at
	}
	for _, g := range m.Groups {
		n := reach(g.Command)
		n.Group, n.Description = true, g.Description
	}
	for _, a := range m.Actions {
		if n := reach(a.Command); n.Action == nil { // a duplicate is already an issue; the first one stands (IA-6)
			n.Action = &a
		}
	}
	return all
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
		e.Description = cut(e.Description, 1<<10)
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Word, b.Word) })
	return list
}

// slotCount is the smallest power of two that leaves the table at most half full.
func slotCount(nodes int) uint32 {
	n := uint32(slotRun)
	for int(n) < 2*nodes {
		n *= 2
	}
	return n
}

// hashPath is cryptographic, so that a site cannot choose commands that all fall into one slot.
func hashPath(command []string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(command, "\x00")))
	return binary.LittleEndian.Uint64(sum[:]) | 1 // never the zero of an empty slot
}

func putSlot(slots []byte, count uint32, command []string, at place) {
	hash := hashPath(command)
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

// tree reads a compiled tree, a few small reads a lookup.
type tree struct {
	header treeHeader
	r      io.ReaderAt
	slots  int64 // where the slots begin
	blocks int64 // where the blocks begin
}

func openTree(r io.ReaderAt) (*tree, error) {
	fixed := make([]byte, len(treeMagic)+8)
	if _, err := r.ReadAt(fixed, 0); err != nil || string(fixed[:len(treeMagic)]) != treeMagic {
		return nil, errDamaged
	}
	length := binary.LittleEndian.Uint32(fixed[len(treeMagic):])
	if length > maxHeaderBytes {
		return nil, errDamaged
	}
	head := make([]byte, length)
	if _, err := r.ReadAt(head, int64(len(fixed))); err != nil && !errors.Is(err, io.EOF) {
		return nil, errDamaged
	}
	t := &tree{r: r, slots: int64(len(fixed)) + int64(length)}
	if crc32.ChecksumIEEE(head) != binary.LittleEndian.Uint32(fixed[len(treeMagic)+4:]) || json.Unmarshal(head, &t.header) != nil {
		return nil, errDamaged
	}
	if n := t.header.Slots; n < slotRun || n > maxSlots || n&(n-1) != 0 {
		return nil, errDamaged
	}
	t.blocks = t.slots + int64(t.header.Slots)*slotBytes
	return t, nil
}

// find returns the node of a command, or nil when there is none.
func (t *tree) find(command []string) (*Node, error) {
	hash := hashPath(command)
	run := make([]byte, slotRun*slotBytes)
	slots := t.header.Slots
	first := uint32(hash>>32) & (slots - 1)
	for read := uint32(0); read < slots; {
		at := (first + read) & (slots - 1)
		count := min(slotRun, slots-at)
		if _, err := t.r.ReadAt(run[:count*slotBytes], t.slots+int64(at)*slotBytes); err != nil && !errors.Is(err, io.EOF) {
			return nil, errDamaged
		}
		for i := range count {
			slot := run[i*slotBytes:]
			switch binary.LittleEndian.Uint64(slot) {
			case 0:
				return nil, t.checkSlots()
			case hash:
				n, err := t.node(slot)
				if err != nil || slices.Equal(n.Command, command) {
					return n, err
				}
			}
		}
		read += count
	}
	return nil, t.checkSlots()
}

// checkSlots tells whether what was not found is really not there.
func (t *tree) checkSlots() error {
	slots := make([]byte, t.blocks-t.slots)
	if _, err := t.r.ReadAt(slots, t.slots); err != nil && !errors.Is(err, io.EOF) || crc32.ChecksumIEEE(slots) != t.header.SlotsSum {
		return errDamaged
	}
	return nil
}

func (t *tree) node(slot []byte) (*Node, error) {
	n := &Node{}
	err := t.block(place{
		Offset: binary.LittleEndian.Uint32(slot[8:]),
		Length: binary.LittleEndian.Uint32(slot[12:]),
		Sum:    binary.LittleEndian.Uint32(slot[16:]),
	}, n)
	return n, err
}

func (t *tree) block(at place, into any) error {
	if at.Length > maxBlockBytes {
		return errDamaged
	}
	block := make([]byte, at.Length)
	if _, err := t.r.ReadAt(block, t.blocks+int64(at.Offset)); err != nil && !errors.Is(err, io.EOF) {
		return errDamaged
	}
	if crc32.ChecksumIEEE(block) != at.Sum || json.Unmarshal(block, into) != nil {
		return errDamaged
	}
	return nil
}

func (t *tree) children(n *Node) ([]Entry, error) {
	if n.Children.Length == 0 {
		return nil, nil
	}
	var list []Entry
	err := t.block(n.Children, &list)
	return list, err
}

func (t *tree) issues() ([]manifest.Issue, error) {
	var list []manifest.Issue
	err := t.block(t.header.Issues, &list)
	return list, err
}
