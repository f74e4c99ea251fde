package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// name gives every operation its command. It depends on what operations say, never on their order: of those that would
// share a name, all get a longer one.
func (d *Document) name() {
	longer := make([]int, len(d.operations)) // how much of what tells an operation apart is in its name
	for range distinctions {
		byName := map[string][]int{}
		for i, op := range d.operations {
			op.command = op.words(longer[i])
			name := strings.Join(op.command, " ")
			byName[name] = append(byName[name], i)
		}
		clash := false
		for _, same := range byName {
			for _, i := range same {
				if len(same) > 1 && longer[i] < distinctions-1 {
					longer[i]++
					clash = true
				}
			}
		}
		if !clash {
			break
		}
	}
	d.alias()
}

// distinctions is how many names an operation can have, each longer than the one before.
const distinctions = 4

// words returns the command of an operation: its group, if it has one, and its name. more tells which of its names: its own,
// with the method, with the path too, with what only this operation has.
func (op *operation) words(more int) []string {
	group := cutWord(kebab(op.tag), maxWord)
	if op.cliGroup != "" {
		group = cutWord(kebab(op.cliGroup), maxWord)
	}
	method, path := strings.ToLower(op.method), pathWords(op.path)
	name := kebab(op.id)
	if short := without(name, group); short != name {
		name = short
	} else {
		name = without(name, singular(group)) // "show-pet" is "show" below "pets"
	}
	switch {
	case kebab(op.cliName) != "":
		name = kebab(op.cliName)
	case name == "":
		name = method
		if rest := strings.TrimPrefix(strings.TrimPrefix(path, group), "-"); rest != "" {
			name += "-" + rest
		}
	}
	switch more {
	case 1:
		name = without(name, method)
		name = cutWord(name, maxWord-len(method)-1) + "-" + method
	case 2:
		name = cutWord(method+"-"+path, maxWord)
	case 3:
		sum := sha256.Sum256([]byte(op.method + " " + op.path))
		name = cutWord(name, maxWord-9) + "-" + hex.EncodeToString(sum[:4])
	}
	name = cutWord(name, maxWord)
	if group == "" {
		return []string{name}
	}
	return []string{group, name}
}

// alias gives operations the further names that they ask for, as far as they are free.
func (d *Document) alias() {
	taken := map[string]int{}
	wanted := make([][]string, len(d.operations))
	for i, op := range d.operations {
		taken[strings.Join(op.command, " ")]++
		for _, value := range strictjson.SharedElements(op.cliAliases) {
			text, _ := strictjson.String(value)
			word := cutWord(kebab(text), maxWord)
			if word == "" || slices.Contains(wanted[i], word) {
				continue
			}
			wanted[i] = append(wanted[i], word)
			taken[strings.Join(op.sibling(word), " ")]++
		}
	}
	for i, op := range d.operations {
		for _, word := range wanted[i] {
			alias := op.sibling(word)
			if taken[strings.Join(alias, " ")] > 1 {
				d.flaw(op.command, invalid(pointerTo(op.pointer, "x-cli-aliases"), "the alias %q is taken", fault.Word(word)))
				continue
			}
			op.aliases = append(op.aliases, alias)
		}
	}
}

// sibling returns the command of that name in an operation's group.
func (op *operation) sibling(name string) []string {
	return append(slices.Clone(op.command[:len(op.command)-1]), name)
}

// groups lists the groups of the commands, with what the document says about their tags.
func (d *Document) groups() []manifest.Group {
	seen := map[string]bool{}
	var out []manifest.Group
	for _, op := range d.operations {
		if len(op.command) < 2 || op.hidden || seen[op.command[0]] {
			continue
		}
		seen[op.command[0]] = true
		out = append(out, manifest.Group{Command: op.command[:1:1], Description: line(d.tags[op.tag])})
	}
	return out
}
