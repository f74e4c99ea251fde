package schema

import (
	"regexp"
	"regexp/syntax"
	"sync"
	"time"

	"github.com/dlclark/regexp2"
)

// patternTimeout bounds one match of a pattern that only the backtracking engine understands.
const patternTimeout = 100 * time.Millisecond

// pattern is a regular expression of a schema. Go's engine is preferred: its time is linear. What that refuses (look-ahead
// and \u escapes are common: schemas are meant for ECMAScript) goes to a backtracking one with a time limit.
type pattern struct {
	text   string
	size   int                   // elements that are looked at for every byte of a text, at most
	linear func() *regexp.Regexp // compiles at its first use; nil when backtracking is set
	slow   *regexp2.Regexp
}

// newPattern parses a pattern; nil when neither engine understands it.
func newPattern(text string) *pattern {
	if parsed, err := syntax.Parse(text, syntax.Perl); err == nil {
		linear := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) }) // what can be parsed compiles
		return &pattern{text: text, size: patternSize(parsed), linear: linear}
	}
	re, err := regexp2.Compile(text, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil
	}
	re.MatchTimeout = patternTimeout
	return &pattern{text: text, size: len(text), slow: re}
}

// isRegex reports whether text is a regular expression, for the format of that name. What is too long to be looked at is
// left to the site.
func isRegex(text string) bool { return len(text) > MaxPatternBytes || newPattern(text) != nil }

// patternSize counts the elements of a pattern as Go's engine compiles it: x{1000} is x a thousand times.
func patternSize(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/2
	for _, sub := range re.Sub {
		n += patternSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxAllPatterns+1)
}

// ValidPattern reports whether a text can be the value of "pattern".
func ValidPattern(text string) bool { return len(text) <= MaxPatternBytes && newPattern(text) != nil }
