package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/fault"
)

// word is a positional argument and where it stood.
type word struct {
	text string
	at   int // index in the arguments
}

// line is a command line read against a real flag set.
type line struct {
	flags    []string // "--name=value" under the flags' exact names, in order
	words    []word   // positional arguments, those behind "--" included
	bound    int      // how many of words stand before the first unknown flag, behind which a word may be its value
	dashed   int      // how many of words stand before "--"
	problems []fault.Problem
	unknown  []string // flags that are not in the set, as typed
}

// negative tells whether a word reads as a negative number: a value, not a flag (contract, section 2).
func negative(word string) bool {
	digits, isSigned := strings.CutPrefix(word, "-")
	if !isSigned || strings.Trim(digits, "0123456789.eE+-") != "" {
		return false // what strconv takes besides: hexadecimal, infinity, underscores
	}
	_, err := strconv.ParseFloat(digits, 64)
	return err == nil && digits[0] != '+' && digits[0] != '-' || errors.Is(err, strconv.ErrRange)
}

// readLine reads args against set. Which flags take a value is asked of the set itself. extra may add a flag that the set
// does not have yet, such as a dotted one; it may be nil.
func readLine(args []string, set *pflag.FlagSet, extra func(name string) *pflag.Flag) line {
	r := lineReader{args: args, set: set, extra: extra, bySpelling: spellings(set)}
	r.bound, r.dashed = -1, -1
	for r.next < len(args) {
		at := r.next
		arg := args[at]
		r.next++
		switch {
		case arg == "--":
			r.dashed = len(r.words)
			for ; r.next < len(args); r.next++ {
				r.words = append(r.words, word{args[r.next], r.next})
			}
		case strings.HasPrefix(arg, "--"):
			r.long(arg)
		case len(arg) > 1 && arg[0] == '-' && !negative(arg):
			r.short(arg)
		default:
			r.words = append(r.words, word{arg, at})
		}
	}
	r.bind()
	if r.dashed < 0 {
		r.dashed = len(r.words)
	}
	return r.line
}

type lineReader struct {
	line
	args       []string
	next       int
	set        *pflag.FlagSet
	extra      func(name string) *pflag.Flag
	bySpelling map[string]*pflag.Flag
}

// bind fixes how many words so far certainly are words, when the first unknown flag comes.
func (r *lineReader) bind() {
	if r.bound < 0 {
		r.bound = len(r.words)
	}
}

func (r *lineReader) long(arg string) {
	name, value, given := strings.Cut(arg[2:], "=")
	flag := r.lookup(name)
	if flag == nil {
		r.miss("--" + name)
		return
	}
	r.take(flag, value, given)
}

func (r *lineReader) short(arg string) {
	for letters := arg[1:]; letters != ""; {
		letter := letters[:1]
		letters = letters[1:]
		flag := r.set.ShorthandLookup(letter)
		if flag == nil {
			r.miss("-" + letter)
			return
		}
		if flag.NoOptDefVal != "" && !strings.HasPrefix(letters, "=") {
			r.take(flag, "", false)
			continue
		}
		r.take(flag, strings.TrimPrefix(letters, "="), letters != "")
		return
	}
}

func (r *lineReader) lookup(name string) *pflag.Flag {
	if flag := r.set.Lookup(name); flag != nil {
		return flag
	}
	if flag := r.bySpelling[fold(name)]; flag != nil {
		return flag
	}
	if r.extra != nil {
		return r.extra(name)
	}
	return nil
}

func (r *lineReader) take(flag *pflag.Flag, value string, given bool) {
	switch {
	case given:
	case flag.NoOptDefVal != "":
		value = flag.NoOptDefVal
	case r.next < len(r.args):
		value = r.args[r.next]
		r.next++
	default:
		r.problems = append(r.problems, fault.Problem{Param: flag.Name, Keyword: "flag", Message: "needs a value"})
		return
	}
	r.flags = append(r.flags, "--"+flag.Name+"="+value)
}

func (r *lineReader) miss(typed string) {
	r.bind()
	r.unknown = append(r.unknown, typed)
}

// spellings are the flags by folded name, as far as one spelling means one flag.
func spellings(set *pflag.FlagSet) map[string]*pflag.Flag {
	by := make(map[string]*pflag.Flag)
	set.VisitAll(func(f *pflag.Flag) {
		key := fold(f.Name)
		if _, taken := by[key]; taken {
			by[key] = nil
			return
		}
		by[key] = f
	})
	return by
}

// fold brings camelCase, snake_case and kebab-case to one spelling.
func fold(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// without returns args less the words at those places.
func without(args []string, words []word) []string {
	drop := make(map[int]bool, len(words))
	for _, w := range words {
		drop[w.at] = true
	}
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if !drop[i] {
			out = append(out, arg)
		}
	}
	return out
}

func texts(words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.text
	}
	return out
}
