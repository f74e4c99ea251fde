package agentactions

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
	"github.com/agentctl/agentctl/internal/template"
)

// piece is a part of a path: text as it is, or the name of the property that goes there (AA-5).
type piece struct {
	text     string
	property bool
}

// parsePath reads an absolute path in which {name} stands for a property (AA-3). It refuses what browsers, proxies and
// servers are known to read in different ways, and what leads to another host or out of the path.
func parsePath(path string) ([]piece, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, errors.New(`must be an absolute path such as "/orders"`)
	}
	var (
		pieces []piece
		shape  strings.Builder // with a stand-in for each property
	)
	for rest := path; rest != ""; {
		text, after, open := strings.Cut(rest, "{")
		if strings.Contains(text, "}") {
			return nil, errors.New(`has a "}" without a "{"`)
		}
		if text != "" {
			pieces = append(pieces, piece{text: text})
			shape.WriteString(text)
		}
		if !open {
			break
		}
		name, after, closed := strings.Cut(after, "}")
		if !closed || name == "" {
			return nil, errors.New(`has a "{" without a name and a "}" behind it`)
		}
		pieces = append(pieces, piece{text: name, property: true})
		shape.WriteByte('x')
		rest = after
	}
	return pieces, checkShape(shape.String())
}

func checkShape(path string) error {
	if strings.Contains(path, "//") {
		return errors.New(`must not hold "//"`)
	}
	if i := strings.IndexFunc(path, isForbidden); i >= 0 {
		return fmt.Errorf("must not hold %q", path[i:i+1])
	}
	if _, err := url.PathUnescape(path); err != nil {
		return errors.New(`has a "%" without two hexadecimal digits behind it`)
	}
	for segment := range strings.SplitSeq(path, "/") {
		if template.IsDotSegment(segment) {
			return errors.New(`must not hold the segments "." or ".."`)
		}
	}
	return nil
}

func isForbidden(r rune) bool {
	return r == ' ' || unicode.IsControl(r) || strings.ContainsRune(`\#?`, r)
}

// appendText appends the text of a path, with what no URL may hold percent-encoded.
func appendText(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c >= 0x80 || strings.IndexByte("\"<>^`|", c) >= 0 {
			out = fmt.Appendf(out, "%%%02X", c)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// appendProperty appends a value, percent-encoded but for the unreserved characters of RFC 3986. It refuses what has no
// text and what would change the path, also on servers that decode a "%2F" before they look at the segments.
func appendProperty(out []byte, value jsontext.Value) ([]byte, error) {
	text := string(value)
	switch value.Kind() {
	case '"':
		text, _ = strictjson.String(value)
	case '0', 't', 'f':
	default:
		return out, errors.New("must be a string, a number or a boolean: it goes into the URL's path")
	}
	switch {
	case text == "":
		return out, errors.New("must not be empty: it is a part of the URL's path")
	case strings.Contains(text, "\x00"):
		return out, errors.New("must not hold a NUL character: it goes into the URL's path")
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == "." || part == ".." {
			return out, errors.New(`must not be or hold the path segments "." or "..": it is a part of the URL's path`)
		}
	}
	return append(out, strings.ReplaceAll(url.QueryEscape(text), "+", "%20")...), nil
}
