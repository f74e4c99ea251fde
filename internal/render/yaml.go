package render

import (
	"bytes"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// YAML prints a JSON value as YAML in block style: digits and member order as they were, every string in a form that
// YAML 1.1 and 1.2 read back as that string, nothing that must not reach a terminal. When raw is not acceptable to
// [strictjson.Check] its error is returned and nothing printed.
//
// It is written here because the encoders of the YAML libraries quote numbers that keep their digits, or write strings
// (".inf", "\n", "a\tb") that another reader takes for something else.
func YAML(w io.Writer, raw []byte) error {
	if err := strictjson.Check(raw); err != nil {
		return err
	}
	y := yamlPrinter{newSink(w)}
	value := jsontext.Value(bytes.TrimSpace(raw))
	if isBlock(value) {
		y.block(value, "")
	} else {
		y.inline(value, "  ")
		y.out.byte('\n')
	}
	return y.out.flush()
}

type yamlPrinter struct{ out sink }

// block prints a container that has members. Its first line goes where the output stands, the others start with indent.
func (y yamlPrinter) block(value jsontext.Value, indent string) {
	first := true
	startLine := func() {
		if !first {
			y.out.text(indent)
		}
		first = false
	}
	for name, member := range strictjson.Members(value) {
		startLine()
		y.text(name, "", false)
		y.out.byte(':')
		switch {
		case !isBlock(member):
			y.out.byte(' ')
			y.inline(member, indent+"  ")
			y.out.byte('\n')
		case member.Kind() == '[': // a list stands at the level of its name
			y.out.text("\n" + indent)
			y.block(member, indent)
		default:
			y.out.text("\n" + indent + "  ")
			y.block(member, indent+"  ")
		}
	}
	for _, element := range strictjson.Elements(value) {
		startLine()
		y.out.text("- ")
		if isBlock(element) {
			y.block(element, indent+"  ")
			continue
		}
		y.inline(element, indent+"  ")
		y.out.byte('\n')
	}
}

// inline prints what fits behind a name or a dash; further lines of a text start with indent.
func (y yamlPrinter) inline(value jsontext.Value, indent string) {
	switch value.Kind() {
	case '"':
		text, _ := strictjson.String(value)
		y.text(text, indent, true)
	case '{':
		y.out.text("{}")
	case '[':
		y.out.text("[]")
	default:
		y.out.bytes(strictjson.Compact(value))
	}
}

// isBlock reports whether value is a container with members.
func isBlock(value jsontext.Value) bool {
	for range strictjson.Members(value) {
		return true
	}
	for range strictjson.Elements(value) {
		return true
	}
	return false
}

// text prints a string: plain when nobody can take it for something else, as a literal block when it has lines and may,
// else in double quotes.
func (y yamlPrinter) text(s, indent string, mayBlock bool) {
	switch {
	case isPlain(s):
		y.out.text(s)
	case mayBlock && isLiteral(s):
		y.literal(s, indent)
	default:
		y.quoted(s)
	}
}

// isPlain is stricter than YAML: a letter first, so that no number or date is meant, and no word of its own meaning.
func isPlain(s string) bool {
	if s == "" || strings.HasSuffix(s, " ") || strings.HasSuffix(s, ":") || isYAMLWord(s) {
		return false
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) && r != utf8.RuneError:
		case i == 0:
			return false
		case '0' <= r && r <= '9', strings.ContainsRune("_-./@+()$€£%&=?!;*~'", r):
		case r == ' ' && s[i+1] != '#', r == ':' && s[i+1] != ' ':
		default:
			return false
		}
	}
	return true
}

// isYAMLWord reports whether YAML 1.1 or 1.2 gives the word a meaning besides its text.
func isYAMLWord(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return false
}

// isLiteral reports whether s can be a literal block: several lines, the first of which shows the indentation, no space
// at the end of one, which nobody sees and some readers drop, at most one line feed at the end, and no character that
// needs an escape.
func isLiteral(s string) bool {
	body := strings.TrimSuffix(s, "\n")
	if !strings.Contains(s, "\n") || body == "" || strings.ContainsAny(body[:1], " \t\n") || !isPrintable(s) {
		return false
	}
	for line := range strings.SplitSeq(body, "\n") {
		if strings.TrimRight(line, " \t") != line {
			return false
		}
	}
	return !strings.HasSuffix(body, "\n")
}

func isPrintable(s string) bool {
	return strings.IndexFunc(s, needsEscape) < 0
}

// needsEscape reports whether a character may not stand in YAML as it is, or not on a terminal.
func needsEscape(r rune) bool {
	return classify(r) != harmless || r == '\u2028' || r == '\u2029' || r&0xfffe == 0xfffe
}

func (y yamlPrinter) literal(s, indent string) {
	y.out.byte('|')
	body, hasEnd := strings.CutSuffix(s, "\n")
	if !hasEnd {
		y.out.byte('-')
	}
	for line := range strings.SplitSeq(body, "\n") {
		y.out.byte('\n')
		if line != "" {
			y.out.text(indent)
			y.out.text(line)
		}
	}
}

// quoted prints s in double quotes, which are those of JSON but for the eight-digit escape.
func (y yamlPrinter) quoted(s string) {
	y.out.byte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			y.out.byte('\\')
			y.out.rune(r)
		case r == '\n':
			y.out.text(`\n`)
		case r == '\t':
			y.out.text(`\t`)
		case r > 0xffff && needsEscape(r):
			y.out.text(`\U`)
			y.out.bytes(appendEscape(nil, r>>16)[2:])
			y.out.bytes(appendEscape(nil, r&0xffff)[2:])
		case needsEscape(r):
			y.out.bytes(appendEscape(nil, r))
		default:
			y.out.rune(r)
		}
	}
	y.out.byte('"')
}
