package input

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// MaxFile is the largest JSON document, in bytes, that is read for an argument: --input, @FILE and standard input.
const MaxFile = 25 << 20

// Words is what a caller typed, sorted by how, not yet understood.
type Words struct {
	Positional []string
	Flags      []Flag   // in command-line order
	Pairs      []string // of --arg, each NAME=VALUE; NAME may be dotted like a flag
	Object     []byte   // the --input document; nil when there is none
	Checked    bool     // Object is an object that passed [strictjson.Check]

	// Read returns what @NAME stands for; "-" is standard input. It need not read more than MaxFile+1 bytes.
	Read func(name string) ([]byte, error)
}

// Flag is one value given by flag.
type Flag struct {
	Name string   // the exact name of the parameter
	Path []string // for --address.geo.lat: "geo", "lat"; nil for the parameter itself
	Text string   // "true" for a boolean flag without a value

	Literal bool // Text stands for itself, never for a file: it is not of the person's own typing
}

// given is one text for a parameter or, with a path, for a part of its value.
type given struct {
	path       []string
	text       string
	positional bool
	secret     bool
	literal    bool
	file       string // where the text was read from, for messages; then it must be JSON
}

// call is one pass from words to values.
type call struct {
	reader
	set       *Set
	params    []param        // of the set, and behind them those that are given but not declared
	extras    map[string]int // position in params of the latter
	arguments []argument     // one for each of params
	store     []given        // holds the first text of each argument, which is nearly always the only one
	problems  []fault.Problem
	unread    bool // whether the --input document is unusable: nobody knows what is missing then
}

// argument is what was given for one parameter.
type argument struct {
	base   jsontext.Value // from the --input document
	texts  []given
	failed bool // a problem was found; more would only repeat it
}

func newCall(s *Set, w Words) *call {
	words := len(w.Positional) + len(w.Flags) + len(w.Pairs)
	params := slices.Clip(s.params) // an extra one makes a copy: calls go side by side
	return &call{set: s, params: params, arguments: make([]argument, len(params)), store: make([]given, 0, words)}
}

// find returns the position in params of an argument by its exact name.
func (c *call) find(name string) (int, bool) {
	i, ok := c.set.index[name]
	if !ok {
		i, ok = c.extras[name]
	}
	return i, ok
}

func (c *call) problem(p fault.Problem) {
	if i, ok := c.find(p.Param); ok {
		c.arguments[i].failed = true
	}
	c.problems = append(c.problems, p)
}

// sort puts every word to the parameter it belongs to.
func (c *call) sort(w Words) {
	if w.Object != nil {
		c.document(w.Object, w.Checked)
	}
	c.positional(w.Positional)
	for _, flag := range w.Flags {
		i, ok := c.set.index[flag.Name]
		if !ok {
			c.unknown("", flag.Name)
			continue
		}
		c.add(i, given{path: flag.Path, text: flag.Text, literal: flag.Literal})
	}
	for _, pair := range w.Pairs {
		c.pair(pair)
	}
	c.readFiles(w.Read)
}

func (c *call) document(doc []byte, checked bool) {
	message := ""
	if !checked {
		message = checkDocument(doc)
	}
	if message != "" {
		c.unread = true
		c.problem(fault.Problem{Keyword: "input", Message: "the input document " + message})
		return
	}
	if jsontext.Value(doc).Kind() != '{' {
		c.unread = true
		c.problem(fault.Problem{Keyword: "input", Message: "the input document must be a JSON object"})
		return
	}
	for name, value := range strictjson.SharedMembers(doc) {
		if i, ok := c.take(name); ok {
			c.arguments[i].base = strictjson.Compact(value)
		} else {
			c.unknown(jsontree.Pointer("", name), name)
		}
	}
}

// checkDocument says what is wrong with a JSON document that was read for an argument; "" when nothing is.
func checkDocument(doc []byte) string {
	if len(doc) > MaxFile {
		return fmt.Sprintf("is larger than %d MiB", MaxFile>>20)
	}
	if err := strictjson.Check(doc); err != nil {
		return fmt.Sprintf("cannot be used: %v", err)
	}
	return ""
}

func (c *call) positional(words []string) {
	positions := c.set.positions
	for n, word := range words {
		if n >= len(positions) {
			last := len(positions) - 1
			if last < 0 || !repeatable(c.params[positions[last]].schema) {
				message := "too many arguments: none is taken by position"
				if last >= 0 {
					message = fmt.Sprintf("too many arguments: at most %d by position", last+1)
				}
				c.problem(fault.Problem{Keyword: "args", Message: message})
				return
			}
			n = last // a list takes the rest
		}
		c.add(positions[n], given{text: word, positional: true})
	}
}

// pair takes one NAME=VALUE. An exact name, which may have a "=" in it, wins over a dotted one.
func (c *call) pair(pair string) {
	name, value, ok := strings.Cut(pair, "=")
	if !ok || name == "" {
		c.problem(fault.Problem{Keyword: "arg", Message: "--arg needs NAME=VALUE"})
		return
	}
	if i, ok := c.find(name); ok {
		c.add(i, given{text: value})
		return
	}
	for i := range c.set.params {
		if value, ok := strings.CutPrefix(pair, c.params[i].Name+"="); ok {
			c.add(i, given{text: value})
			return
		}
	}
	path := strings.Split(name, ".")
	if i, ok := c.take(path[0]); ok {
		c.add(i, given{path: path[1:], text: value})
		return
	}
	c.unknown("", name)
}

func (c *call) add(i int, g given) {
	p := &c.params[i]
	switch {
	case !utf8.ValidString(g.text) || !utf8.ValidString(strings.Join(g.path, "")):
		c.problem(fault.Problem{Param: p.Name, Pointer: strings.ToValidUTF8(p.pointer(g.path), "\uFFFD"), Keyword: "encoding", Message: "is not valid UTF-8"})
	case len(g.path) >= strictjson.MaxDepth:
		c.problem(fault.Problem{Param: p.Name, Pointer: p.pointer(nil), Keyword: "depth", Message: fmt.Sprintf("is nested deeper than %d levels", strictjson.MaxDepth)})
	default:
		g.secret = p.secret
		a := &c.arguments[i]
		if a.texts != nil {
			a.texts = append(a.texts, g)
			return
		}
		n := len(c.store)
		c.store = append(c.store, g)
		a.texts = c.store[n : n+1 : n+1] // a second one moves them elsewhere
	}
}

// readFiles replaces @FILE and - by what they stand for, where the contract lets them stand for something: for lists and
// objects. Where a string is possible they are that string.
func (c *call) readFiles(read func(string) ([]byte, error)) {
	stdin := false
	for i := range c.arguments {
		p := &c.params[i]
		texts := c.arguments[i].texts
		for j := range texts {
			g := &texts[j]
			name := fileName(g.text)
			if name == "" || g.literal || !structured(p.schema.At(g.path)) {
				continue
			}
			message := ""
			if name == "-" && stdin {
				message = "standard input can be read only once"
			} else {
				message = g.load(name, read)
			}
			stdin = stdin || name == "-"
			if message != "" {
				c.problem(fault.Problem{Param: p.Name, Pointer: p.pointer(g.path), Keyword: "file", Message: message})
			}
		}
	}
}

func fileName(text string) string {
	if text == "-" {
		return text
	}
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return ""
	}
	return name
}

func (g *given) load(name string, read func(string) ([]byte, error)) string {
	g.file = fmt.Sprintf("file %q", name)
	if name == "-" {
		g.file = "standard input"
	}
	if read == nil {
		return g.file + " cannot be read here"
	}
	data, err := read(name)
	if err != nil {
		return fmt.Sprintf("%s cannot be read: %v", g.file, reason(err))
	}
	if message := checkDocument(data); message != "" {
		return g.file + " " + message
	}
	g.text = string(data)
	return ""
}
