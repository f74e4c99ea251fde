package openapi

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// plain returns a scalar as text, digits as they are. ok is false for null, arrays and objects, which have no such text.
func plain(n *jsontree.Node) (text string, ok bool) {
	switch n.Kind {
	case '"':
		return n.Text(), true
	case '0', 't', 'f':
		return string(n.Raw), true
	}
	return "", false
}

// escape percent-encodes all but the unreserved characters of RFC 3986, so no value leaves its place in a URL.
func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

func asIs(text string) string { return text }

// words writes the items of an array, or the names and values of an object, each encoded. pair stands between a name and
// its value. What separates them may not be in them, so an encoding that leaves commas alone refuses items that hold one.
func words(n *jsontree.Node, pair string, encode func(string) string) (out []string, ok bool) {
	for i, item := range n.Items {
		text, ok := plain(item)
		text = encode(text)
		if !ok || strings.Contains(text, ",") {
			return nil, false
		}
		if n.Kind == '{' {
			name := encode(n.Names[i])
			if strings.ContainsAny(name, ",=") {
				return nil, false
			}
			text = name + pair + text
		}
		out = append(out, text)
	}
	return out, true
}

// simple writes a value in the style of that name, which paths and headers have (RFC 6570, section 3.2.2).
func (p *parameter) simple(value jsontext.Value, encode func(string) string) (text string, ok bool) {
	if p.json {
		return encode(string(value)), true
	}
	n := jsontree.Parse(value)
	if text, ok := plain(n); ok {
		return encode(text), true
	}
	if n.Kind == 'n' {
		return "", false
	}
	pair := ","
	if p.explode {
		pair = "="
	}
	list, ok := words(n, pair, encode)
	return strings.Join(list, ","), ok
}

// appendQuery appends a value in the style "form", which queries have (RFC 6570, section 3.2.8).
func (p *parameter) appendQuery(out []byte, value jsontext.Value) (_ []byte, ok bool) {
	name := escape(p.name)
	if p.json {
		return appendPair(out, name, escape(string(value))), true
	}
	n := jsontree.Parse(value)
	if text, ok := plain(n); ok {
		return appendPair(out, name, escape(text)), true
	}
	if n.Kind == 'n' {
		return out, false
	}
	if !p.explode {
		list, ok := words(n, ",", escape)
		if len(list) == 0 {
			return out, ok
		}
		return appendPair(out, name, strings.Join(list, ",")), ok
	}
	for i, item := range n.Items {
		text, ok := plain(item)
		if !ok {
			return out, false
		}
		if n.Kind == '{' {
			name = escape(n.Names[i])
		}
		out = appendPair(out, name, escape(text))
	}
	return out, true
}

// appendPair appends a pair to a query or a form.
func appendPair(out []byte, name, value string) []byte {
	if len(out) > 0 {
		out = append(out, '&')
	}
	out = append(append(out, name...), '=')
	return append(out, value...)
}

func badValue(argument, message string) fault.Problem {
	return fault.Problem{Param: argument, Pointer: jsontree.Pointer("", argument), Keyword: "style", Message: message}
}
