package auth

import (
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// Split takes a command line apart into a program and its arguments, with the quotes of a POSIX shell: '…', "…" and \. No
// shell will run it, so what only a shell can do (variables, pipes, redirections, wildcards of commands) is a usage fault
// rather than a surprise.
func Split(text string) (argv []string, err error) {
	s := splitter{}
	for _, r := range text {
		if err := s.take(r); err != nil {
			return nil, err
		}
	}
	switch {
	case s.quote != 0:
		return nil, badCommand("a %c is not closed", s.quote)
	case s.escaped:
		return nil, badCommand("nothing follows the last backslash")
	}
	s.end()
	if len(s.argv) == 0 || s.argv[0] == "" {
		return nil, badCommand("it names no program")
	}
	return s.argv, nil
}

func badCommand(format string, args ...any) *fault.Error {
	e := fault.New(fault.Usage, "invalid_command", format, args...)
	e.Message = "--command: " + e.Message
	return e
}

type splitter struct {
	argv    []string
	word    strings.Builder
	started bool // a word that may be empty: ''
	quote   rune // the one that is open
	escaped bool
}

func (s *splitter) take(r rune) error {
	switch {
	case r == 0:
		return badCommand("it holds a NUL character")
	case s.escaped:
		if s.quote == '"' && !strings.ContainsRune("\"\\$`", r) {
			s.word.WriteRune('\\') // there the backslash stands for itself before all others
		}
		s.escaped = false
		s.word.WriteRune(r)
	case r == '\\' && s.quote != '\'':
		s.escaped, s.started = true, true
	case s.quote != '\'' && (r == '$' || r == '`'):
		return needsShell(r)
	case s.quote != 0 && r == s.quote:
		s.quote = 0
	case s.quote != 0:
		s.word.WriteRune(r)
	case r == '\'' || r == '"':
		s.quote, s.started = r, true
	case r == ' ' || r == '\t' || r == '\n':
		s.end()
	case strings.ContainsRune("|&;<>()", r):
		return needsShell(r)
	default:
		s.started = true
		s.word.WriteRune(r)
	}
	return nil
}

func needsShell(r rune) *fault.Error {
	return badCommand("no shell runs it, so %q has no meaning there", r).WithHint(`quote it, or ask for a shell: --command "sh -c '…'"`)
}

func (s *splitter) end() {
	if s.started {
		s.argv = append(s.argv, s.word.String())
	}
	s.word.Reset()
	s.started = false
}
