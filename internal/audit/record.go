// Package audit keeps the log of what was sent: append-only JSON Lines, each line with the SHA-256 of the one before, so
// that a line cannot be changed, taken out or put in without a trace (contract, section 5). It holds no values, no bodies
// and no credentials.
//
// The log is a directory. Lines are appended to audit.jsonl; when that is full it is renamed to audit-000001.jsonl and so
// on, and the chain goes on in a new file. One call makes two lines: "call" before the request is sent, and "done" after,
// which names the first by its seq. A "call" without a "done" was cut off: whether it had its effect is not known.
package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Limits of one line and of what a site can put into it, in bytes.
const (
	maxLine = 128 << 10
	maxText = 512
	maxName = 128
	maxArgs = 100
)

// noHash stands before the first line.
const noHash = "0000000000000000000000000000000000000000000000000000000000000000"

// The events that a line can be about.
const (
	eventCall = "call"
	eventDone = "done"
)

// Call is what is known before a request is sent.
type Call struct {
	Site     string   `json:"site"`
	Command  []string `json:"command"`
	Method   string   `json:"method"`
	Endpoint string   `json:"endpoint,omitempty"` // as published: it holds no argument
	Effect   string   `json:"effect"`
	Risk     string   `json:"risk,omitempty"`
	Consent  string   `json:"consent,omitempty"`
	Amount   string   `json:"amount,omitempty"`
	Currency string   `json:"currency,omitempty"`
	By       string   `json:"by"`             // who let it pass: "default", "rule", "digest", "yes" or "person"
	Rule     int      `json:"rule,omitempty"` // the number of the rule, where one did
	Args     []Arg    `json:"args"`
	MoreArgs int      `json:"more_args,omitempty"` // how many are left out of Args
}

// Arg is one argument in summary.
type Arg struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Length int    `json:"length,omitempty"` // 0 for a secret
	Secret bool   `json:"secret,omitempty"`
}

// Outcome is what is known after.
type Outcome struct {
	Status int    `json:"status,omitempty"` // of the answer; 0 when there was none
	Kind   string `json:"kind,omitempty"`   // of the failure; "" when there was none
	Code   string `json:"code,omitempty"`
	Sent   string `json:"sent"` // "yes", "no" or "unknown"
	IDs    []ID   `json:"ids,omitempty"`
}

// ID is a name by which the site keeps the call (AM-17).
type ID struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// line is one line of the log. Its hash is its last member: SHA-256 of all that stands before it.
type line struct {
	Seq   int       `json:"seq"`
	Prev  string    `json:"prev"` // SHA-256 of the line before, without its line feed
	Time  time.Time `json:"time"`
	Event string    `json:"event"`
	*Call
	Done int `json:"call,omitempty"` // the seq of the call that this completes
	*Outcome
	Torn int    `json:"torn,omitempty"` // bytes of a torn line that stood here, after a crash or a full disk
	Hash string `json:"hash,omitempty"`
}

const hashMember = `,"hash":"`

// encode makes the bytes of a line, without the line feed.
func (l *line) encode() ([]byte, error) {
	l.Hash = ""
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	text = text[:len(text)-1]
	text = append(text, hashMember+sum(text)+`"}`...)
	if len(text) >= maxLine {
		return nil, fmt.Errorf("a line of %d bytes is too long", len(text))
	}
	return text, nil
}

func sum(text []byte) string {
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:])
}

// parse reads a line and checks its own hash.
func parse(text []byte) (*line, error) {
	at := bytes.LastIndex(text, []byte(hashMember))
	if at < 0 || string(text[at+len(hashMember):]) != sum(text[:at])+`"}` {
		return nil, errors.New("the line was changed: its own hash does not fit")
	}
	l := new(line)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(l); err != nil {
		return nil, fmt.Errorf("it is no line of an audit log: %w", err)
	}
	if l.Seq < 1 || l.Event == eventCall && l.Call == nil || l.Event == eventDone && (l.Outcome == nil || l.Done < 1) ||
		l.Event != eventCall && l.Event != eventDone {
		return nil, errors.New("it is no line of an audit log")
	}
	return l, nil
}

// bounded cuts what a site or an argument list can make long.
func (c Call) bounded() Call {
	command := make([]string, len(c.Command))
	for i, word := range c.Command {
		command[i] = cut(word, maxName)
	}
	c.Command = command
	for _, text := range []*string{&c.Site, &c.Method, &c.Endpoint, &c.Effect, &c.Risk, &c.Consent, &c.Amount, &c.Currency} {
		*text = cut(*text, maxText)
	}
	if len(c.Args) > maxArgs {
		c.MoreArgs = len(c.Args) - maxArgs
		c.Args = c.Args[:maxArgs]
	}
	args := make([]Arg, len(c.Args))
	for i, arg := range c.Args {
		arg.Name = cut(arg.Name, maxName)
		args[i] = arg
	}
	c.Args = args
	return c
}

// cut shortens text to about limit bytes, and makes bytes that are no text U+FFFD, as JSON has them.
func cut(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit] + "…"
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
