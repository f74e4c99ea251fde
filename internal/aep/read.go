package aep

import (
	"fmt"
	"mime"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// reader reads a Service's document by JSON Pointer and remembers the first thing that is wrong with it. Members that it is
// not asked for are ignored (AEP-6).
type reader struct {
	root *jsontree.Node
	err  error
}

func newReader(doc []byte) (*reader, error) {
	if err := strictjson.Check(doc); err != nil {
		return nil, err
	}
	root := jsontree.Parse(doc)
	if root.Kind != '{' {
		return nil, fmt.Errorf("it is no JSON object")
	}
	return &reader{root: root}, nil
}

func (r *reader) fail(pointer, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %s", pointer, fmt.Sprintf(format, args...))
	}
}

// object wants an object to be there.
func (r *reader) object(pointer string) {
	if n := r.root.At(pointer); n == nil || n.Kind != '{' {
		r.fail(pointer, "must be an object")
	}
}

// optionalObject wants an object, or nothing, and reports whether it is there.
func (r *reader) optionalObject(pointer string) bool {
	if r.root.At(pointer) == nil {
		return false
	}
	r.object(pointer)
	return true
}

// text wants a string that is not empty.
func (r *reader) text(pointer string) string {
	text := r.optionalText(pointer)
	if text == "" {
		r.fail(pointer, "must be a string that is not empty")
	}
	return text
}

// optionalText wants a string, or nothing.
func (r *reader) optionalText(pointer string) string {
	n := r.root.At(pointer)
	if n != nil && n.Kind != '"' {
		r.fail(pointer, "must be a string")
	}
	return n.Text()
}

// texts wants an array of strings, which may be absent.
func (r *reader) texts(pointer string) []string {
	n := r.root.At(pointer)
	switch {
	case n == nil:
		return nil
	case !n.IsArray():
		r.fail(pointer, "must be an array of strings")
		return nil
	}
	texts := make([]string, 0, len(n.Items))
	for _, item := range n.Items {
		if item.Kind != '"' {
			r.fail(pointer, "must be an array of strings")
		}
		texts = append(texts, item.Text())
	}
	return texts
}

// someTexts wants an array of strings with at least one in it.
func (r *reader) someTexts(pointer string) []string {
	texts := r.texts(pointer)
	if len(texts) == 0 {
		r.fail(pointer, "must be an array of strings that is not empty")
	}
	return texts
}

// flag wants a boolean as AEP writes it, "true" or "false", or nothing (AEP-6).
func (r *reader) flag(pointer string) bool {
	n := r.root.At(pointer)
	switch text := n.Text(); {
	case n == nil || text == "false":
		return false
	case text != "true":
		r.fail(pointer, `must be the string "true" or "false"`)
	}
	return true
}

// optionalTime wants an RFC 3339 time, or nothing.
func (r *reader) optionalTime(pointer string) time.Time {
	text := r.optionalText(pointer)
	if text == "" {
		return time.Time{}
	}
	moment, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	if err != nil {
		r.fail(pointer, "must be a time as in RFC 3339")
	}
	return moment
}

// isMediaType reports whether a Content-Type is of a type, whatever its case and parameters (AEP-2).
func isMediaType(header, want string) bool {
	essence, _, _ := strings.Cut(header, ";") // parameters mean nothing, malformed ones neither
	essence, _, err := mime.ParseMediaType(essence)
	return err == nil && essence == want
}
