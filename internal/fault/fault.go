// Package fault holds the one error type that ends a run: what went wrong, in the fixed words of the command-line
// contract (section 4), and what to try next. It is a leaf: every other package may return one, only the entry point
// prints it.
package fault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Kind is the stable class of a failure. It decides the exit status; scripts compare it.
type Kind string

// The kinds, as scripts see them. [Table] lists their exit statuses.
const (
	Internal    Kind = "internal"
	Usage       Kind = "usage"
	Manifest    Kind = "manifest"
	Auth        Kind = "auth"
	Approval    Kind = "approval"
	Payment     Kind = "payment"
	Rejected    Kind = "rejected"
	Unavailable Kind = "unavailable"
	Interrupted Kind = "interrupted"
)

// OfStatus is the class of an HTTP status that is an error (contract, section 4).
func OfStatus(status int) Kind {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Auth
	case status == http.StatusPaymentRequired:
		return Payment
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		return Unavailable
	}
	return Rejected
}

// Cut shortens text from outside to about limit bytes.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// Word is as much of one word from outside as a message repeats, whatever a site or a person wrote.
func Word(text string) string { return Cut(text, 80) }

// Sent says whether a request can have had its effect on the site.
type Sent string

// The values of [Sent]. The zero value is printed as "no".
const (
	SentNo      Sent = "no"
	SentYes     Sent = "yes"
	SentUnknown Sent = "unknown"
)

// Problem is one fault in one argument.
type Problem struct {
	Line    int    `json:"line,omitempty"`    // where in the file of --each it is, from 1; 0 where there is none
	Param   string `json:"param,omitempty"`   // the parameter's exact name; empty when it is about the whole input
	Pointer string `json:"pointer,omitempty"` // JSON Pointer (RFC 6901) into the arguments, for example "/address/zip"
	Keyword string `json:"keyword,omitempty"` // the JSON Schema keyword that failed, or a word of ours such as "unknown"
	Message string `json:"message"`           // lower case, without a full stop: "must be at least 1"
}

// Error is a failure with everything that the last lines of a run print. Only Kind is always set.
type Error struct {
	Kind       Kind
	Code       string         // stable code such as "invalid_arguments", or the site's own; "" falls back to Kind
	Message    string         // one line; "" falls back to Err
	Hint       string         // the next command to try, or a sentence; may be empty
	Site       string         // as named on the command line; filled in by the entry point
	Command    []string       // the site's command, without arguments; filled in by the entry point
	Problems   []Problem      // all that is wrong with the arguments, not just the first
	Status     int            // the HTTP status of the site's answer; 0 when there was none
	RetryAfter int            // seconds that the site asked to wait; 0 when it did not
	Sent       Sent           // zero means SentNo
	Details    map[string]any // machine-readable extras, encoded as JSON
	Err        error          // the cause; may be nil
}

// New returns an error of a kind with a code and a formatted message. A %w verb in format sets the cause.
func New(kind Kind, code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Code: code, Message: err.Error(), Err: errors.Unwrap(err)}
}

// WithHint sets the hint and returns the error.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

func (e *Error) Error() string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Err != nil:
		return e.Err.Error()
	case e.Code != "":
		return strings.ReplaceAll(e.Code, "_", " ")
	}
	return string(e.Kind)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// From returns err as an *Error. What is none becomes one: a cancelled context is [Interrupted], a passed deadline is
// [Unavailable], everything else is [Internal]. It returns nil for nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		if err.Error() != e.Error() { // context was added by a caller with %w
			wrapped := *e
			wrapped.Message = err.Error()
			return &wrapped
		}
		return e
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &Error{Kind: Interrupted, Code: "interrupted", Message: "interrupted", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: Unavailable, Code: "timeout", Message: "the time limit passed", Err: err}
	}
	return &Error{Kind: Internal, Code: "internal", Message: err.Error(), Err: err}
}

// Row is one line of the table of exit statuses.
type Row struct {
	Kind    Kind
	Exit    int
	Meaning string
}

// Table lists every kind once, in the order of the contract. Help, documentation and [Error.Exit] read it.
func Table() []Row {
	return []Row{
		{Internal, 1, "a fault of ours, or anything not below"},
		{Usage, 2, "wrong command line, unknown command, arguments that fail validation; nothing was sent"},
		{Manifest, 3, "no usable manifest, or the action is unusable; nothing was sent"},
		{Auth, 4, "a credential is missing, expired or refused (401, 403)"},
		{Approval, 5, "a person or a policy has to say yes, or said no; nothing was sent"},
		{Payment, 6, "402, or a payment that policy does not allow"},
		{Rejected, 7, "the site answered with an error (other 4xx, or an error document)"},
		{Unavailable, 8, "network, TLS, time-out, limits exceeded, 429 and 5xx after the allowed retries"},
		{Interrupted, 130, "Ctrl-C"},
	}
}

// Exit returns the process exit status for the error; an unknown kind counts as [Internal].
func (e *Error) Exit() int {
	for _, row := range Table() {
		if row.Kind == e.Kind {
			return row.Exit
		}
	}
	return 1
}
