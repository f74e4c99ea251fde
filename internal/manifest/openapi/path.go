package openapi

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/template"
)

// Pieces yields the literal parts of a path, each with the name of the parameter behind it; "" behind the last one.
func Pieces(path string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for {
			literal, rest, found := strings.Cut(path, "{")
			name, behind, closed := strings.Cut(rest, "}")
			if !found || !closed || name == "" {
				yield(path, "")
				return
			}
			if !yield(literal, name) {
				return
			}
			path = behind
		}
	}
}

// sent returns what is sent of a path: it may have a fragment, which only tells operations apart that differ in their
// parameters, such as "/#Action=CreateUser".
func sent(path string) string {
	path, _, _ = strings.Cut(path, "#")
	return path
}

// checkPath refuses a path that servers, proxies and this package could read in different ways.
func checkPath(path, pointer string) *Error {
	if !strings.HasPrefix(path, "/") {
		return invalid(pointer, "the path %q does not begin with \"/\"", fault.Word(path))
	}
	for literal := range Pieces(path) {
		if i := strings.IndexFunc(literal, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`#{}\`, r) }); i >= 0 {
			return invalid(pointer, "the path %q must not hold %q", fault.Word(path), literal[i:i+1])
		}
	}
	if HasDotSegment(path) {
		return invalid(pointer, "the path %q has dot segments", fault.Word(path))
	}
	return nil
}

// HasDotSegment reports whether servers and proxies would make another path of one.
func HasDotSegment(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	for segment := range strings.SplitSeq(path, "/") {
		if template.IsDotSegment(segment) {
			return true
		}
	}
	return false
}

// PathArguments returns the arguments of the path's parameters, in the path's order.
func PathArguments(path string, parameters []Parameter) []string {
	var out []string
	for _, name := range Pieces(path) {
		i := slices.IndexFunc(parameters, func(p Parameter) bool { return p.In == InPath && p.Name == name })
		if i >= 0 && !slices.Contains(out, parameters[i].Argument) {
			out = append(out, parameters[i].Argument)
		}
	}
	return out
}

// fitPath makes the parameters fit the path: what is in the path is there and needed, what is not in it is left out.
func fitPath(path string, parameters []Parameter, pointer string) (_ []Parameter, flaws []*Error) {
	var names []string
	for _, name := range Pieces(path) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	parameters = slices.DeleteFunc(parameters, func(p Parameter) bool {
		strange := p.In == InPath && !slices.Contains(names, p.Name)
		if strange {
			flaws = append(flaws, invalid(p.Pointer, "the path has no place for %q", fault.Word(p.Name)))
		}
		return strange
	})
	for _, name := range names {
		if !slices.ContainsFunc(parameters, func(p Parameter) bool { return p.In == InPath && p.Name == name }) {
			flaws = append(flaws, invalid(pointer, "the path needs %q, which is no parameter: it is taken for a text", fault.Word(name)))
			parameters = append(parameters, Parameter{
				Name: name, In: InPath, Required: true, Writing: DefaultWriting(InPath), Pointer: pointer, Schema: textSchema(),
			})
		}
	}
	return parameters, flaws
}

// appendLiteral appends a published part of a path, with what no URL may hold percent-encoded.
func appendLiteral(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c >= 0x80 || strings.IndexByte(" \"<>^`|[]", c) >= 0 || c == '%' && !isEscape(text[i:]) {
			out = fmt.Appendf(out, "%%%02X", c)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// isEscape reports whether a text begins with "%" and two hexadecimal digits.
func isEscape(text string) bool {
	const hex = "0123456789abcdefABCDEF"
	return len(text) > 2 && strings.IndexByte(hex, text[1]) >= 0 && strings.IndexByte(hex, text[2]) >= 0
}
