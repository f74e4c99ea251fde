package openapi

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Style is how a value is written where it is not JSON.
type Style string

// The styles of OpenAPI.
const (
	Simple         Style = "simple"         // a,b
	Label          Style = "label"          // .a.b
	Matrix         Style = "matrix"         // ;p=a,b
	Form           Style = "form"           // p=a&p=b
	SpaceDelimited Style = "spaceDelimited" // p=a%20b
	PipeDelimited  Style = "pipeDelimited"  // p=a%7Cb
	DeepObject     Style = "deepObject"     // p[a]=b
)

// Writing is how the value of a parameter, or of a member of a form, becomes text.
type Writing struct {
	Style    Style
	Explode  bool
	Reserved bool // characters with a meaning in URLs stay as they are, as far as they have none in a query
	JSON     bool // as JSON text, in no style
}

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

// escapeSome leaves what is reserved and yet harmless within a value of a query: not "&", "+", "#", and brackets, which no
// query may hold.
func escapeSome(text string) string {
	const harmless = ":/?@!$'()*,;="
	var out strings.Builder
	for {
		i := strings.IndexAny(text, harmless)
		if i < 0 {
			break
		}
		out.WriteString(escape(text[:i]))
		out.WriteByte(text[i])
		text = text[i+1:]
	}
	return out.String() + escape(text)
}

func asIs(text string) string { return text }

func (w Writing) encoder() func(string) string {
	if w.Reserved {
		return escapeSome
	}
	return escape
}

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

// segment writes a value as a part of a path, in the style simple, label or matrix (RFC 6570, sections 3.2.2, 3.2.5 and
// 3.2.7).
func (w Writing) segment(name string, value jsontext.Value) (text string, ok bool) {
	switch w.Style {
	case Label:
		separator := ","
		if w.Explode {
			separator = "."
		}
		text, ok = w.joined(value, separator, escape)
		return "." + text, ok
	case Matrix:
		return w.matrix(escape(name), value)
	default:
		return w.simple(value, escape)
	}
}

// simple writes a value as paths and headers have it.
func (w Writing) simple(value jsontext.Value, encode func(string) string) (text string, ok bool) {
	return w.joined(value, ",", encode)
}

func (w Writing) joined(value jsontext.Value, separator string, encode func(string) string) (text string, ok bool) {
	n, text, ok := w.whole(value)
	if ok || n == nil {
		return encode(text), ok
	}
	pair := ","
	if w.Explode {
		pair = "="
	}
	list, ok := words(n, pair, encode)
	return strings.Join(list, separator), ok
}

// whole returns the text of a value that is written as one: JSON text or a scalar. Else it returns the list or the object,
// and nil for null, which has no text.
func (w Writing) whole(value jsontext.Value) (n *jsontree.Node, text string, ok bool) {
	if w.JSON {
		return nil, string(value), true
	}
	n = jsontree.Parse(value)
	if text, ok := plain(n); ok {
		return n, text, true
	}
	if n.Kind == 'n' {
		n = nil
	}
	return n, "", false
}

func (w Writing) matrix(name string, value jsontext.Value) (text string, ok bool) {
	n, text, ok := w.whole(value)
	switch {
	case ok:
		return ";" + name + "=" + escape(text), true
	case n == nil || len(n.Items) == 0:
		return "", false
	case !w.Explode:
		list, ok := words(n, ",", escape)
		return ";" + name + "=" + strings.Join(list, ","), ok
	}
	list, ok := words(n, "=", escape)
	separator := ";"
	if n.Kind == '[' {
		separator += name + "="
	}
	return separator + strings.Join(list, separator), ok
}

// appendPairs appends a value to a query or a form (RFC 6570, section 3.2.8, and the styles that OpenAPI adds).
func (w Writing) appendPairs(out []byte, name string, value jsontext.Value) (_ []byte, ok bool) {
	encode := w.encoder()
	n, text, ok := w.whole(value)
	switch {
	case ok:
		return appendPair(out, escape(name), encode(text)), true
	case n == nil:
		return out, false
	case w.Style == DeepObject:
		return appendDeep(out, escape(name), n, encode)
	case !w.Explode || w.Style == SpaceDelimited || w.Style == PipeDelimited:
		list, ok := words(n, w.between(), escape)
		if len(list) == 0 {
			return out, ok
		}
		return appendPair(out, escape(name), strings.Join(list, w.between())), ok
	}
	for i, item := range n.Items {
		text, ok := plain(item)
		if !ok {
			return out, false
		}
		if n.Kind == '{' {
			name = n.Names[i]
		}
		out = appendPair(out, escape(name), encode(text))
	}
	return out, true
}

// between is what stands between the items of one pair.
func (w Writing) between() string {
	switch w.Style {
	case SpaceDelimited:
		return "%20"
	case PipeDelimited:
		return "%7C"
	default:
		return ","
	}
}

// appendDeep appends name[member]=value. OpenAPI leaves open how deeper levels and lists are written; most servers read
// name[member][0].
func appendDeep(out []byte, name string, n *jsontree.Node, encode func(string) string) (_ []byte, ok bool) {
	if text, ok := plain(n); ok {
		return appendPair(out, name, encode(text)), true
	}
	if n.Kind == 'n' {
		return out, false
	}
	for i, item := range n.Items {
		token := strconv.Itoa(i)
		if n.Kind == '{' {
			token = escape(n.Names[i])
		}
		if out, ok = appendDeep(out, name+"%5B"+token+"%5D", item, encode); !ok {
			return out, false
		}
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
