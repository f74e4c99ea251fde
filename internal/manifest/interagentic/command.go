package interagentic

import (
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// command reads the words of a command (IA-6). One that is not usable becomes a fatal finding and is nil.
func (r *reader) command() []string {
	mark := len(r.found)
	words := make([]string, 0, 4)
	for range r.array(fatal) {
		if word, ok := r.text(fatal); ok {
			words = append(words, word)
		} else if len(r.found) == mark {
			r.add(fatal, "command_invalid", "a word of the command is null")
		}
	}
	bad := slices.IndexFunc(words, func(word string) bool { return !manifest.ValidSegment(word) })
	switch {
	case len(r.found) > mark:
		return nil
	case bad >= 0:
		r.add(fatal, "command_invalid", "%q cannot be a word of a command: 1 to 64 letters, digits, \".\", \"_\" or \"-\", not beginning with \"-\"", fault.Word(words[bad]))
		return nil
	case len(words) == 0 || len(words) > MaxSegments:
		r.add(fatal, "command_invalid", "a command has 1 to %d words, not %d", MaxSegments, len(words))
		return nil
	}
	return words
}

// joined is a command as one string; no word of it holds a space.
func joined(command []string) string { return strings.Join(command, " ") }
