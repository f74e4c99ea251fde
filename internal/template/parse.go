package template

import (
	"fmt"
	"strings"
)

const spaces = " \t\r\n"

// ParseText reads a string that may hold templates: {{$name}}, {{$name.member.0.member}}, or the same between << and >>,
// with spaces allowed just inside the braces. What does not begin with a "$" there, such as {{NAME}}, belongs to somebody
// else and stays as it is. Every error is a [*SyntaxError].
func ParseText(s string) (*Text, error) {
	t := &Text{}
	done := 0 // everything before it is in t
	for i := 0; i+1 < len(s); {
		closer := closerOf(s[i : i+2])
		if closer == "" || !strings.HasPrefix(strings.TrimLeft(s[i+2:], spaces), "$") {
			i++
			continue
		}
		length := strings.Index(s[i+2:], closer)
		if length < 0 {
			return nil, syntaxError(i, "template %q is not closed with %q", excerpt(s[i:]), closer)
		}
		end := i + 2 + length + len(closer)
		ref, problem := parseRef(strings.Trim(s[i+2:i+2+length], spaces)[1:])
		if problem != "" {
			return nil, syntaxError(i, "template %q %s", excerpt(s[i:end]), problem)
		}
		t.addLiteral(s[done:i])
		t.parts = append(t.parts, part{ref: ref})
		i, done = end, end
	}
	t.addLiteral(s[done:])
	return t, nil
}

func closerOf(opener string) string {
	switch opener {
	case "{{":
		return "}}"
	case "<<":
		return ">>"
	}
	return ""
}

// parseRef reads what follows the "$". It returns what is wrong with it, or "".
func parseRef(s string) (ref Ref, problem string) {
	if i := strings.IndexAny(s, "{}<>"); i >= 0 {
		return ref, fmt.Sprintf("is not well formed: unexpected %q", s[i:i+1])
	}
	if strings.IndexFunc(s, isControl) >= 0 {
		return ref, "has a control character in its name"
	}
	segments := strings.Split(s, ".")
	for i, segment := range segments {
		switch {
		case segment == "" && i == 0:
			return ref, "names no argument"
		case segment == "":
			return ref, "has an empty path segment"
		case segment != strings.Trim(segment, spaces):
			return ref, "has a space inside its path"
		}
	}
	return Ref{Name: segments[0], Path: segments[1:]}, ""
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func syntaxError(offset int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Offset: offset, Message: fmt.Sprintf(format, args...)}
}

// excerpt keeps a message readable whatever the site wrote.
func excerpt(s string) string {
	const limit = 60
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
