package site

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest"
)

// The command tree of a site, compiled for lookup by command. The file is
//
//	magic (16 bytes) · header length and checksum (2 × uint32) · header (JSON) · slots · blocks
//
// A slot is a hash of a view and a command path in it, and the place of its node's block; slots form an open-addressing
// hash table. A view is the whole site, or one format of several. A block is JSON: one node, one node's list of children,
// or the issues or flows of a format. Each carries its checksum where it is pointed
// at, so a damaged file is noticed wherever it is read and nothing but what is needed is read. All numbers are little
// endian, and offsets count from the start of the blocks.

const (
	treeMagic = "agentctl tree 4\n"
	slotBytes = 8 + 4 + 4 + 4
	// slotRun is how many slots are read at a time; with a table at most half full a run almost always holds the answer.
	slotRun = 8
	// maxHeaderBytes bounds what is read of a header; what is in it is cut long before.
	maxHeaderBytes = 2 << 20
	// maxSlots bounds what a damaged header can make us read; it is enough for more actions than an index may have.
	maxSlots = 1 << 23
	// maxTreeBytes is more than the largest tree has.
	maxTreeBytes = 1 << 30
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
	Sources  []Source `json:"sources"`   // every format that was looked for, in order
	Slots    uint32   `json:"slots"`     // a power of two
	SlotsSum uint32   `json:"slots_sum"` // their checksum, held against them before a command is called unknown
	Folds    bool     `json:"folds"`     // some commands are found by other spellings as well
}

// Node is one command word sequence of a site: a group, an action, or both (IA-7).
type Node struct {
	View        string            `json:"view,omitempty"`
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

// hashPath is cryptographic, so that a site cannot choose commands that all fall into one slot.
func hashPath(view string, command []string) uint64 {
	sum := sha256.Sum256([]byte(view + "\x00" + strings.Join(command, "\x00")))
	return binary.LittleEndian.Uint64(sum[:]) | 1 // never the zero of an empty slot
}

// foldedView is the view that leads to the nodes of another one by the folded spelling of their commands.
func foldedView(view string) string { return "~" + view }

// partsView is the view of the parts of a format's document. No format's name begins so.
func partsView(format string) string { return "#" + format }

// stored is a block that is looked up, with JSON of a site: a node with the definition of its action, or the name of a part of
// a document with the part.
type stored[T any] struct {
	Of  T              `json:"of"`
	Raw jsontext.Value `json:"raw,omitempty"`
}

// foldCommand makes spellings that mean the same one (AA-3).
func foldCommand(command []string) []string {
	folded := make([]string, len(command))
	for i, word := range command {
		folded[i] = strings.ReplaceAll(word, "_", "-")
	}
	return folded
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

// find returns the node of a command in a view, or nil when there is none.
func (t *tree) find(view string, command []string) (*Node, error) {
	found, err := lookup(t, hashPath(view, command), func(n *Node) bool {
		return n.View == view && slices.Equal(n.Command, command)
	})
	if found == nil && err == nil && t.header.Folds {
		folded := foldCommand(command)
		found, err = lookup(t, hashPath(foldedView(view), folded), func(n *Node) bool {
			return n.View == view && slices.Equal(foldCommand(n.Command), folded)
		})
	}
	if found == nil {
		return nil, cmp.Or(err, t.checkSlots())
	}
	n := &found.Of
	if n.Action != nil {
		n.Action.Definition = found.Raw
	}
	return n, nil
}

// part returns a part of a format's document, or nil when there is none of that name.
func (t *tree) part(format, name string) (jsontext.Value, error) {
	p, err := lookup(t, hashPath(partsView(format), []string{name}), func(p *string) bool { return *p == name })
	if p == nil {
		return nil, cmp.Or(err, t.checkSlots())
	}
	return p.Raw, err
}

// lookup returns the block with a hash that is the right one, or nil when no slot leads to it.
func lookup[T any](t *tree, hash uint64, right func(*T) bool) (*stored[T], error) {
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
				return nil, nil
			case hash:
				into := new(stored[T])
				if err := t.block(slotPlace(slot), into); err != nil {
					return nil, err
				}
				if right(&into.Of) {
					return into, nil
				}
			}
		}
		read += count
	}
	return nil, nil
}

// slotPlace is where the block of a slot is.
func slotPlace(slot []byte) place {
	return place{
		Offset: binary.LittleEndian.Uint32(slot[8:]),
		Length: binary.LittleEndian.Uint32(slot[12:]),
		Sum:    binary.LittleEndian.Uint32(slot[16:]),
	}
}

// checkSlots tells whether what was not found is really not there.
func (t *tree) checkSlots() error {
	slots := make([]byte, t.blocks-t.slots)
	if _, err := t.r.ReadAt(slots, t.slots); err != nil && !errors.Is(err, io.EOF) || crc32.ChecksumIEEE(slots) != t.header.SlotsSum {
		return errDamaged
	}
	return nil
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

func (t *tree) issues(s *Source) (list []manifest.Issue, err error) {
	if s.Issues.Length > 0 {
		err = t.block(s.Issues, &list)
	}
	return list, err
}

func (t *tree) flows(s *Source) (list []manifest.Flow, err error) {
	if s.Flows.Length > 0 {
		err = t.block(s.Flows, &list)
	}
	return list, err
}

// withSources is the same file with another list of sources.
func (t *tree) withSources(sources []Source) ([]byte, error) {
	rest, err := io.ReadAll(io.NewSectionReader(t.r, t.slots, maxTreeBytes))
	if err != nil {
		return nil, err
	}
	header := t.header
	header.Sources = sources
	return encodeTree(header, rest)
}
