package openapi

import (
	"fmt"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// The codes of [Error], which are those of issues too.
const (
	CodeInvalid    = "openapi_invalid"     // not what OpenAPI says
	CodeRemoteRef  = "schema_remote_ref"   // a reference leads out of the document: nothing is ever fetched
	CodeMissingRef = "ref_missing"         // a reference leads nowhere
	CodeCircular   = "ref_circular"        // references lead back to themselves
	CodeServer     = "server_unusable"     // there is no address to send a request to
	CodeUnknown    = "feature_unsupported" // OpenAPI knows it, this package does not
	CodeIncomplete = "schema_incomplete"   // less is checked than the document says
	CodeTooLarge   = "too_large"           // beyond a limit of this package
)

// Error says why a part of a document cannot be used.
type Error struct {
	Code    string // one of the codes above
	Pointer string // JSON Pointer into the document
	Message string // lower case, without a full stop
}

func (e *Error) Error() string { return e.Message }

func invalid(pointer, format string, args ...any) *Error {
	return &Error{CodeInvalid, pointer, fmt.Sprintf(format, args...)}
}

func unsupported(pointer, format string, args ...any) *Error {
	return &Error{CodeUnknown, pointer, fmt.Sprintf(format, args...)}
}

func (e *Error) issue(command []string) *manifest.Issue {
	return &manifest.Issue{Code: e.Code, Pointer: e.Pointer, Message: e.Message, Command: command}
}

// unusable says that an operation cannot be called.
func unusable(code, pointer, format string, args ...any) *fault.Error {
	e := fault.New(fault.Manifest, code, "the operation cannot be used: "+format, args...)
	if pointer != "" {
		e.Details = map[string]any{"pointer": pointer}
	}
	return e
}
