package challenge

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/agentctl/agentctl/internal/fault"
)

const (
	maxChallenges = 64
	maxParams     = 64 // of one challenge
)

// Challenge is one challenge of a WWW-Authenticate field (RFC 9110, section 11.6.1).
type Challenge struct {
	Scheme  string // as it came; compare it with [Challenge.Is]
	Token68 string // in place of parameters; "" for none
	Params  []Param
}

// Param is one parameter. Names come as they were sent, also more than once: each protocol says what that means.
type Param struct {
	Name  string
	Value string // without quotes and escapes
}

// Is reports whether the challenge is of a scheme.
func (c Challenge) Is(scheme string) bool { return strings.EqualFold(c.Scheme, scheme) }

// Get returns the first parameter of a name; "" for none.
func (c Challenge) Get(name string) string {
	for _, p := range c.Params {
		if strings.EqualFold(p.Name, name) {
			return p.Value
		}
	}
	return ""
}

// Repeated returns a name that stands for more than one parameter; "" for none.
func (c Challenge) Repeated() string {
	for i, p := range c.Params {
		for _, other := range c.Params[:i] {
			if strings.EqualFold(p.Name, other.Name) {
				return p.Name
			}
		}
	}
	return ""
}

// Parse reads the values of the WWW-Authenticate fields of an answer: several challenges in each, or one spread over
// commas (CH-1). What stands before something malformed in a field is kept, and the error tells of the rest.
func Parse(fields []string) ([]Challenge, error) {
	var all []Challenge
	var trouble error
	size := 0
	for _, field := range fields {
		if size += len(field); size > MaxHeader {
			return all, fmt.Errorf("the challenges are larger than %d KiB", MaxHeader>>10)
		}
		p := parser{rest: field}
		for p.next() && len(all) < maxChallenges {
			c, err := p.challenge()
			if err != nil {
				trouble = errors.Join(trouble, err)
				break // where the next one begins is anybody's guess
			}
			all = append(all, c)
		}
	}
	if len(all) == maxChallenges {
		trouble = errors.Join(trouble, fmt.Errorf("there are %d challenges or more", maxChallenges))
	}
	return all, trouble
}

// parser reads one field.
type parser struct{ rest string }

// next skips what may stand between the elements of a list: empty elements are allowed (RFC 9110, section 5.6.1). It
// reports whether there is anything behind it.
func (p *parser) next() bool {
	p.rest = strings.TrimLeft(p.rest, " \t,")
	return p.rest != ""
}

// challenge reads a scheme, and what belongs to it: one token68, or parameters up to the next scheme.
func (p *parser) challenge() (Challenge, error) {
	c := Challenge{Scheme: p.token()}
	if c.Scheme == "" {
		return c, fmt.Errorf("%q begins no challenge", fault.Word(p.rest))
	}
	if p.rest == "" || p.rest[0] == ',' {
		return c, nil
	}
	if p.rest[0] != ' ' && p.rest[0] != '\t' {
		return c, fmt.Errorf("%q follows the scheme %q", fault.Word(p.rest), fault.Word(c.Scheme))
	}
	p.space()
	if token, rest, ok := token68(p.rest); ok {
		c.Token68, p.rest = token, rest
		return c, nil
	}
	for p.next() {
		param, ok, err := p.param()
		if err != nil {
			return c, fmt.Errorf("in the challenge %q: %w", fault.Word(c.Scheme), err)
		}
		if !ok { // the scheme of the next challenge
			return c, nil
		}
		if c.Params = append(c.Params, param); len(c.Params) > maxParams {
			return c, fmt.Errorf("the challenge %q has more than %d parameters", fault.Word(c.Scheme), maxParams)
		}
	}
	return c, nil
}

// param reads NAME=VALUE. Without an equals sign nothing is read: ok is false.
func (p *parser) param() (param Param, ok bool, err error) {
	before := p.rest
	param.Name = p.token()
	p.space()
	if param.Name == "" {
		return param, false, fmt.Errorf("%q is no parameter", fault.Word(before))
	}
	if !strings.HasPrefix(p.rest, "=") {
		p.rest = before
		return param, false, nil
	}
	p.rest = p.rest[1:]
	p.space()
	if strings.HasPrefix(p.rest, `"`) {
		param.Value, err = p.quoted()
	} else if param.Value = p.token(); param.Value == "" {
		err = fmt.Errorf("the parameter %q has no value", fault.Word(param.Name))
	}
	if err != nil {
		return param, false, err
	}
	if p.space(); p.rest != "" && p.rest[0] != ',' {
		return param, false, fmt.Errorf("%q follows the parameter %q", fault.Word(p.rest), fault.Word(param.Name))
	}
	return param, true, nil
}

// quoted reads a quoted-string (RFC 9110, section 5.6.4).
func (p *parser) quoted() (string, error) {
	var value strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			p.rest = p.rest[i+1:]
			return value.String(), nil
		case c == '\\':
			if i++; i == len(p.rest) {
				return "", errors.New("a quoted value does not end")
			}
			if value.WriteByte(p.rest[i]); !quotable(p.rest[i]) {
				return "", errors.New("a quoted value holds control characters")
			}
		case !quotable(c):
			return "", errors.New("a quoted value holds control characters")
		default:
			value.WriteByte(c)
		}
	}
	return "", errors.New("a quoted value does not end")
}

func quotable(c byte) bool { return c == '\t' || c >= ' ' && c != 0x7f }

// token reads a token (RFC 9110, section 5.6.2); "" when there is none.
func (p *parser) token() string {
	end := 0
	for end < len(p.rest) && httpguts.IsTokenRune(rune(p.rest[end])) {
		end++
	}
	token := p.rest[:end]
	p.rest = p.rest[end:]
	return token
}

func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " \t") }

// token68 reads one, if it is all that stands before the next comma. "a=b" is none, but a parameter, and so is "a=" with a
// value behind a space.
func token68(text string) (token, rest string, ok bool) {
	end := strings.IndexFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._~+/", r)
	})
	if end < 0 {
		return text, "", text != ""
	}
	for end < len(text) && text[end] == '=' && end > 0 {
		end++
	}
	behind := strings.TrimLeft(text[end:], " \t")
	return text[:end], behind, end > 0 && (behind == "" || behind[0] == ',')
}
