package input

import (
	"regexp"
	"sync"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternTimeout bounds one match of a pattern that only the backtracking engine understands.
const patternTimeout = 100 * time.Millisecond

// patterns compiles the regular expressions of schemas, each once: the validator's compiler asks several times.
// It is also asked while values are checked (format "regex"), hence the lock.
type patterns struct {
	lock  sync.Mutex
	known map[string]jsonschema.Regexp
}

func newPatterns() *patterns { return &patterns{known: map[string]jsonschema.Regexp{}} }

// compile prefers Go's engine, whose time is linear. What that refuses (look-ahead and \u escapes are common: schemas
// are meant for ECMAScript) goes to a backtracking one with a time limit.
func (p *patterns) compile(pattern string) (jsonschema.Regexp, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if re, ok := p.known[pattern]; ok {
		return re, nil
	}
	re, err := compilePattern(pattern)
	if err == nil {
		p.known[pattern] = re
	}
	return re, err
}

// backtrack reports whether one of the patterns needs the backtracking engine.
func (p *patterns) backtrack() bool {
	for _, re := range p.known {
		if _, slow := re.(backtracking); slow {
			return true
		}
	}
	return false
}

func compilePattern(pattern string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(pattern); err == nil {
		return re, nil
	}
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = patternTimeout
	return backtracking{re}, nil
}

type backtracking struct{ *regexp2.Regexp }

// slowPattern is what a match that ran out of time panics with: the validator's interface has no way to fail, and
// "does not match" would be accepted under "not". The check of the whole value recovers it (see guard.go).
type slowPattern struct{ pattern string }

func (b backtracking) MatchString(s string) bool {
	matched, err := b.Regexp.MatchString(s)
	if err != nil {
		panic(slowPattern{b.String()})
	}
	return matched
}
