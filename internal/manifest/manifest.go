// Package manifest is the common model of what a site publishes, whatever the format. It is data and rules: no network,
// no operating system, no command line.
//
// JSON values stay raw ([jsontext.Value], compact) all the way from the command line to the wire, so numbers keep their
// digits and objects their order.
package manifest

import (
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Effect is what an action does to the world. Values not listed here must be treated as needing approval.
type Effect string

// The effects of the contract, section 5.
const (
	Read   Effect = "read"
	Write  Effect = "write"
	Send   Effect = "send"
	Spend  Effect = "spend"
	Delete Effect = "delete"
)

// Site is the index of one site in one format.
type Site struct {
	Format      string // "interagentic", "agent-actions", "odp", …
	Name        string
	Description string
	Version     string
	BaseURL     string // absolute path that endpoints are joined to; may be empty
	FoldNames   bool   // '_' and '-' mean the same in commands (AA-3)
	Groups      []Group
	Actions     []Summary // usable and unusable ones; an unusable one has Issue set
	Flows       []Flow    // sequences of actions; an unusable one has Issue set
	Links       []Link    // further addresses that the site names (AA-9)
	Issues      []Issue   // everything that was found wrong, those of Actions and Flows included

	// Parts are pieces of the document that the definitions of actions refer to by name, each compact; nil for none.
	Parts iter.Seq2[string, jsontext.Value]
}

// Link is an address that a site gives a name.
type Link struct {
	Name string `json:"name"`
	URL  string `json:"url"` // as published
}

// Flow is a published sequence of actions (AA-11).
type Flow struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Steps       []Step `json:"steps"`
	Issue       *Issue `json:"issue,omitempty"` // why it cannot be run; nil when nothing is known against it
}

// Step is one action of a flow.
type Step struct {
	Action string         `json:"action"`         // its name, as published
	With   jsontext.Value `json:"with,omitempty"` // an object whose strings may be references (AA-12); nil for none
}

// Group names a branch of the command tree.
type Group struct {
	Command     []string
	Description string
}

// Summary is what an index tells about an action: enough to list it.
type Summary struct {
	Format      string // of the site's index
	Command     []string
	Description string
	Method      string // upper case
	Endpoint    string // as published, templates included
	Role        string
	Payment     string // the payment mode; "" when the index names none
	Effect      Effect
	Risk        string // "low", "medium", "high" or "critical"; "" when the format has none. Any other value must ask.
	Consent     string // "none", "implicit", "explicit", "step_up" or "human_review"; "" when the format has none. Any other value must ask.
	Cost        *Cost  // as far as the index tells; nil when it says nothing about payment
	Scope       string // the scope that a grant needs for it; "" when it names none
	Grant       bool   // whether the call is made with a grant (AA-8)
	Issue       *Issue // why the action cannot be used; nil when it can

	// Definition is the whole published description, where an index has it; nil where it is a document of its own.
	Definition jsontext.Value
}

// Issue is a fault in what a site publishes. It takes away at most one action, never the site.
type Issue struct {
	Code    string   `json:"code"`              // stable, for example "cross_origin"
	Pointer string   `json:"pointer,omitempty"` // JSON Pointer into the document
	Message string   `json:"message"`
	Command []string `json:"command,omitempty"` // the action concerned, if one is
}

// Cost is what a call costs. Amounts are decimal strings, never floats.
type Cost struct {
	Mode     string `json:"mode,omitempty"` // as published: "fixed", …; an open set
	Amount   string `json:"amount,omitempty"`
	Currency string `json:"currency,omitempty"`
	Field    string `json:"field,omitempty"` // the argument that holds the amount, until the arguments are known (AA-7)
}

// Action is one action in full.
type Action struct {
	Summary
	Args    []string
	Params  []Param
	Input   jsontext.Value // JSON Schema of all arguments as one object; nil where each of Params has its own
	Files   *Files
	Example *Example
	// Security are the ways to authenticate a call, the best first: each needs all of its schemes, an empty one needs
	// nothing. Nil means that nothing is said about it.
	Security [][]Scheme
	Issues   []Issue // faults that leave the action usable
}

// Param is one argument that a caller can give.
type Param struct {
	Name        string
	Label       string
	Description string
	Example     jsontext.Value // nil when none is published
	Required    bool
	Schema      jsontext.Value // JSON Schema 2020-12 of the value; nil means anything
}

// Files are the rules for uploads (interagentic.md, F-1).
type Files struct {
	BodyKey   string
	Format    []FileKey // the members of one file object, in published order
	Dirs      bool
	Multiple  bool
	MaxFiles  int // 0 means no limit
	Whitelist []string
	Blacklist []string
}

// FileKey is one member of a file object.
type FileKey struct {
	Key      string
	Contents bool // true: the file's contents; false: its path
}

// Example is a published call and its answer.
type Example struct {
	Input  jsontext.Value
	Output jsontext.Value
}

// Param returns the parameter of that exact name.
func (a *Action) Param(name string) (Param, bool) {
	for _, p := range a.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

// ValidSegment reports whether a word may be part of a command (IA-6): 1 to 64 letters, digits, '.', '_' or '-', not
// beginning with '-', and neither "." nor "..".
func ValidSegment(word string) bool {
	if len(word) < 1 || len(word) > 64 || word[0] == '-' || word == "." || word == ".." {
		return false
	}
	return strings.IndexFunc(word, func(r rune) bool {
		return ('a' > r || r > 'z') && ('A' > r || r > 'Z') && ('0' > r || r > '9') && r != '.' && r != '_' && r != '-'
	}) < 0
}
