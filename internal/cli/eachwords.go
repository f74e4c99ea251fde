package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// positionsByName gives values by position their names, so that a line can have another value for one of them.
func (b *eachRun) positionsByName() error {
	positions := b.params.Positions()
	for i, word := range b.common.Positional {
		at := min(i, len(positions)-1)
		if at < 0 || i > at && !b.params.Describe(positions[at]).Repeatable {
			return invalidArguments([]fault.Problem{{Keyword: "args", Message: "too many arguments by position"}}, b.path())
		}
		b.common.Flags = append(b.common.Flags, input.Flag{Name: positions[at], Text: word})
	}
	b.common.Positional = nil
	return nil
}

// columns finds the parameters that the columns of a CSV stand for: by their exact names, by another spelling where that is
// clear, or dotted, for a part of one.
func (b *eachRun) columns(header []string) error {
	var problems []fault.Problem
	for _, column := range header {
		flag, ok := b.column(column)
		if !ok {
			problems = append(problems, fault.Problem{Line: 1, Keyword: "unknown", Message: fmt.Sprintf("the column %q is no parameter", cutWord(column))})
			continue
		}
		b.cells = append(b.cells, flag)
	}
	if len(problems) > 0 {
		return invalidArguments(problems, b.path())
	}
	return nil
}

func (b *eachRun) column(name string) (input.Flag, bool) {
	words := strings.Split(name, ".")
	var alike []input.Flag
	for _, param := range b.action.Params {
		if param.Name == name {
			return input.Flag{Name: name}, true
		}
		if fold(param.Name) == fold(name) {
			alike = append(alike, input.Flag{Name: param.Name})
		} else if fold(param.Name) == fold(words[0]) && len(words) > 1 && !slices.Contains(words, "") {
			alike = append(alike, input.Flag{Name: param.Name, Path: b.memberPath(param.Name, words[1:])})
		}
	}
	if len(alike) == 1 {
		return alike[0], true
	}
	return input.Flag{}, false
}

// words are the arguments of one line: its own, and the common ones that it does not have.
func (b *eachRun) words(in *batch.Input) input.Words {
	words := b.common
	if in.Object != nil && len(words.Flags) == 0 && len(words.Pairs) == 0 && words.Object == nil {
		words.Object, words.Checked = in.Object, true
		return words
	}
	if in.Object == nil {
		own := make([]input.Flag, 0, len(b.cells))
		taken := map[string]bool{}
		for i, cell := range in.Cells {
			if cell == "" { // not given: JSON Lines can give an empty text
				continue
			}
			flag := b.cells[i]
			flag.Text, flag.Literal = cell, true
			own = append(own, flag)
			taken[flag.Name] = true
		}
		words = b.without(words, taken)
		words.Flags = append(words.Flags, own...)
		return words
	}
	taken := map[string]bool{}
	for name := range strictjson.SharedMembers(in.Object) {
		taken[name] = true
	}
	words = b.without(words, taken)
	words.Object = merged(words.Object, in.Object, taken)
	return words
}

// without leaves the common values of the parameters that a line has itself.
func (b *eachRun) without(words input.Words, taken map[string]bool) input.Words {
	words.Flags = slices.DeleteFunc(slices.Clone(words.Flags), func(f input.Flag) bool { return taken[f.Name] })
	if len(words.Pairs) > 0 {
		words.Pairs = slices.DeleteFunc(slices.Clone(words.Pairs), func(pair string) bool {
			name, _, _ := strings.Cut(pair, "=")
			first, _, _ := strings.Cut(name, ".")
			return taken[name] || taken[first]
		})
	}
	if words.Object != nil && len(taken) > 0 {
		words.Object = merged(words.Object, jsontext.Value("{}"), taken)
	}
	return words
}

// merged puts the members of two objects together; those of the first that are taken are left out. Where one is no object it
// is left to the check of the arguments, which names what is wrong with it.
func merged(common, own jsontext.Value, taken map[string]bool) jsontext.Value {
	if common == nil || strictjson.Check(common) != nil || common.Kind() != '{' {
		if common != nil {
			return common
		}
		return own
	}
	var members []member
	for name, value := range strictjson.SharedMembers(common) {
		if !taken[name] {
			members = append(members, member{name, value})
		}
	}
	for name, value := range strictjson.SharedMembers(own) {
		members = append(members, member{name, value})
	}
	return object(members)
}
