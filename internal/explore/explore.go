// Package explore is what "agentctl explore" and the screen in agentctl-ui say to each other: messages in JSON, a line each, over
// the standard input and output of agentctl-ui. The screen owns the terminal and knows nothing but these messages; agentctl
// knows sites, requests, credentials and rules, and decides everything. Neither side trusts texts: both clean them.
package explore

import (
	"github.com/agentctl/agentctl/internal/companion"
	"github.com/agentctl/agentctl/internal/fault"
)

// Command is the command of agentctl-ui that shows the screen.
const Command = "explore"

// Op is what the screen wants.
type Op string

// The requests. Each is answered by one [Reply] that is done, but for Answer and Cancel, which belong to a request that goes on.
const (
	Sites   Op = "sites"   // the sites that are known
	Open    Op = "open"    // what a site publishes
	Action  Op = "action"  // one action in full
	Check   Op = "check"   // what is wrong with what is given
	Preview Op = "preview" // the exact request, and the command line
	Call    Op = "call"    // make the call; questions may come first
	Save    Op = "save"    // write the answer of an earlier call to a file
	Secret  Op = "secret"  // ask for a line that is not shown, where the screen asks line by line
	Answer  Op = "answer"  // to the question of the request of that ID
	Cancel  Op = "cancel"  // give up the request of that ID
)

// Request is a message of the screen.
type Request struct {
	ID      int      `json:"id"` // from 1, each once
	Op      Op       `json:"op"`
	Site    string   `json:"site,omitempty"`
	Command []string `json:"command,omitempty"`
	Given   Given    `json:"given,omitzero"`
	Raw     bool     `json:"raw,omitempty"`     // the form for programs is wanted, as by --json
	Digest  string   `json:"digest,omitempty"`  // of the request that was shown: a call sends that one and no other
	Refresh bool     `json:"refresh,omitempty"` // ask the site, whatever is in the cache
	Cached  bool     `json:"cached,omitempty"`  // do not ask the site, whatever is missing
	Width   int      `json:"width,omitempty"`   // columns that a question has
	Text    string   `json:"text,omitempty"`    // an answer, a question for a secret, or the path of a file
	Earlier int      `json:"earlier,omitempty"` // the ID of the call that is meant
}

// Given is what a form holds.
type Given struct {
	Values []Value  `json:"values,omitempty"`
	Files  []string `json:"files,omitempty" explore:"exact"`
}

// Value is what is given to one parameter, or to a member of one, as it would be typed behind its flag.
type Value struct {
	Name string   `json:"name" explore:"exact"`
	Path []string `json:"path,omitempty" explore:"exact"`
	Text string   `json:"text" explore:"exact"`
}

// Reply is a message of agentctl.
type Reply struct {
	ID   int  `json:"id"` // of the request; 0 for the first message of all, which says [Hello]
	Done bool `json:"done,omitempty"`

	Hello    *Hello          `json:"hello,omitempty"`
	Question string          `json:"question,omitempty"` // the request waits for an [Answer]; the last line is what is asked
	Notes    []string        `json:"notes,omitempty"`    // warnings and the like
	Failure  *Failure        `json:"failure,omitempty"`
	Sites    []Site          `json:"sites,omitempty"`
	Listing  *Listing        `json:"listing,omitempty"`
	Action   *Description    `json:"action,omitempty"`
	Problems []fault.Problem `json:"problems,omitempty"`
	Line     string          `json:"line,omitempty"` // the command line of what is given, where nothing is wrong with it
	Preview  *Shown          `json:"preview,omitempty"`
	Result   *Result         `json:"result,omitempty"`
	Saved    string          `json:"saved,omitempty"`
	Typed    []byte          `json:"typed,omitempty"` // a secret, as it was typed
}

// Hello tells the screen where to begin.
type Hello struct {
	Version string   `json:"version"`
	Site    string   `json:"site,omitempty"`    // "" begins with the list of sites
	Command []string `json:"command,omitempty"` // the one action to show; nil for all
	Given   Given    `json:"given,omitzero"`
	Raw     bool     `json:"raw,omitempty"`
	Plain   bool     `json:"plain,omitempty"` // questions line by line, for screen readers
	Color   bool     `json:"color,omitempty"`
}

// Failure is a fault, with its problems.
type Failure struct {
	companion.Failure
	Problems []fault.Problem `json:"problems,omitempty"`
}

// FailureOf returns a fault as a failure.
func FailureOf(e *fault.Error) *Failure {
	return &Failure{*companion.FailureOf(e), e.Problems}
}

// Site is a site that is known.
type Site struct {
	Name string `json:"name"` // as one types it
	What string `json:"what,omitempty"`
}

// Listing is all that a site publishes.
type Listing struct {
	Site        string `json:"site"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	Items       []Item `json:"items"` // groups and actions, those below a group right behind it
	Left        int    `json:"left,omitempty"`
}

// Item is a group, an action, or both.
type Item struct {
	Command     []string `json:"command"`
	Description string   `json:"description,omitempty"`
	Group       bool     `json:"group,omitempty"`
	Action      bool     `json:"action,omitempty"`
	Note        string   `json:"note,omitempty"`   // its effect and cost, or why it cannot be used
	Effect      string   `json:"effect,omitempty"` // of the action
	Usable      bool     `json:"usable,omitempty"` // whether the action can be called
	Helper      bool     `json:"helper,omitempty"` // a command of agentctl's own, to be used from the command line
}

// Description is an action in full.
type Description struct {
	Site     string      `json:"site"`
	Command  []string    `json:"command"`
	Line     string      `json:"line"` // "agentctl SITE COMMAND"
	Text     string      `json:"text,omitempty"`
	Effect   string      `json:"effect"`
	Facts    [][2]string `json:"facts,omitempty"` // effect, risk, cost, request: names and values
	Fields   []Field     `json:"fields,omitempty"`
	Files    *Files      `json:"files,omitempty"`
	Example  string      `json:"example,omitempty"` // as a command line
	Output   string      `json:"output,omitempty"`  // of the example
	Issues   []string    `json:"issues,omitempty"`
	HandOver bool        `json:"hand_over,omitempty"` // it goes on at a page of the site's
}

// Field is one entry of a form. What is sent back of it comes as it is; the screen cleans that where it shows it.
type Field struct {
	Name        string   `json:"name" explore:"exact"`
	Path        []string `json:"path,omitempty" explore:"exact"` // of a member of an object
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Limits      string   `json:"limits,omitempty"`
	Default     string   `json:"default,omitempty"` // for people only; it is never sent
	Example     string   `json:"example,omitempty" explore:"exact"`
	Enum        []string `json:"enum,omitempty" explore:"exact"`
	Required    bool     `json:"required,omitempty"`
	Boolean     bool     `json:"boolean,omitempty"`
	List        bool     `json:"list,omitempty"`
	Object      bool     `json:"object,omitempty"`
	Secret      bool     `json:"secret,omitempty"`
}

// Files are the rules for uploads.
type Files struct {
	Multiple bool     `json:"multiple,omitempty"`
	Max      int      `json:"max,omitempty"`
	Only     []string `json:"only,omitempty"`
	Help     string   `json:"help,omitempty"`
}

// Shown is a call that is not made yet.
type Shown struct {
	Request string `json:"request"` // as --dry-run prints it; secrets are taken out
	Line    string `json:"line"`    // the command line, quoted for a shell; a secret is a variable. "" for one that would be too long
	Digest  string `json:"digest"`  // of the request
}

// Result is what a site answered.
type Result struct {
	Status      int    `json:"status,omitempty"` // of HTTP; 0 for what agentctl says itself
	ContentType string `json:"content_type,omitempty"`
	Body        []byte `json:"body,omitempty"`
	Table       string `json:"table,omitempty"`   // where the answer is a list
	Summary     string `json:"summary,omitempty"` // markdown for people, beside the body
	Bytes       int64  `json:"bytes"`             // of the body; more than are in Body where that is cut
	Binary      bool   `json:"binary,omitempty"`  // Body is left out
}
