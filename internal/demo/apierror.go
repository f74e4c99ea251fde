package demo

import (
	"errors"
	"fmt"
	"net/http"
)

// apiError is an error document with its HTTP status.
type apiError struct {
	Status  int            `json:"-"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitzero"`
}

func (e *apiError) Error() string { return e.Code + ": " + e.Message }

func failure(status int, code, format string, args ...any) *apiError {
	return &apiError{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// with adds one detail and returns the error.
func (e *apiError) with(key string, value any) *apiError {
	if e.Details == nil {
		e.Details = make(map[string]any)
	}
	e.Details[key] = value
	return e
}

// invalid is the answer to an argument that cannot be accepted.
func invalid(code, field, format string, args ...any) *apiError {
	return failure(http.StatusUnprocessableEntity, code, format, args...).with("field", field)
}

func orderNotFound(id string) *apiError {
	return failure(http.StatusNotFound, "ORDER_NOT_FOUND", "there is no order %q", id).with("try", "orders list")
}

// writeError answers with an error document. Errors are JSON for everybody: clients surface code and message.
func writeError(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*apiError](err)
	if !ok {
		e = failure(http.StatusInternalServerError, "INTERNAL", "%v", err)
	}
	if e.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, e.Status, struct {
		Error *apiError `json:"error"`
	}{e})
}
