package odp

import (
	"errors"
	"strconv"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Refuse turns the first fault of a document into the error that refuses the whole of it. What names the document: "the
// Service Document".
func Refuse(code, what string, issue *Issue) *fault.Error {
	place := "it"
	if issue.Pointer != "" {
		place = strconv.Quote(issue.Pointer)
	}
	err := fault.New(fault.Manifest, code, "%s cannot be used: %s %s", what, place, issue.Message)
	err.Details = map[string]any{"pointer": issue.Pointer}
	return err
}

// Unreadable turns an error of [Decode] into the error that refuses a document.
func Unreadable(code, what string, cause error) *fault.Error {
	err := fault.New(fault.Manifest, code, "%s cannot be read: %w", what, cause)
	if syntax, ok := errors.AsType[*strictjson.Error](cause); ok {
		err.Details = map[string]any{"pointer": syntax.Pointer}
	}
	return err
}
