package catalogue

import (
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/agentctl/agentctl/internal/demo/reply"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// Bounds of Problem Details (ODP-117).
const (
	maxParams = 32
	maxName   = 256
)

// problem is an error as the protocol has it (ODP-114).
type problem struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Code   string  `json:"code"`
	Detail string  `json:"detail,omitzero"`
	Params []param `json:"invalid_params,omitzero"`
}

// param is what is wrong with one part of a request.
type param struct {
	In     string `json:"in"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func (p *problem) Error() string { return p.Code + ": " + p.Title }

func newProblem(status int, code, name, title string) *problem {
	return &problem{Type: "https://offeringprotocol.org/problems/" + name, Title: title, Status: status, Code: code}
}

func notFound() error {
	return newProblem(http.StatusNotFound, "NOT_FOUND", "not-found", "There is no such thing here")
}

func expired() error {
	return newProblem(http.StatusGone, "CONTINUATION_EXPIRED", "continuation-expired", "This page is not there any more: begin again")
}

func unsupported() error {
	return newProblem(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "unsupported-media-type", "The body must be "+odp.MediaType)
}

func tooLargeBody(limit int) error {
	return newProblem(http.StatusRequestEntityTooLarge, "REQUEST_TOO_LARGE", "request-too-large", fmt.Sprintf("The body is larger than %d bytes", limit))
}

func invalidRequest() *problem {
	return newProblem(http.StatusBadRequest, "INVALID_REQUEST", "invalid-request", "The request is not valid")
}

func invalid(in, name, reason string) error {
	p := invalidRequest()
	p.Params = []param{{in, name, reason}}
	return p
}

func writeProblem(w http.ResponseWriter, err error) {
	p, ok := errors.AsType[*problem](err)
	if !ok {
		p = newProblem(http.StatusInternalServerError, "INTERNAL", "internal", "A fault of this site")
	}
	for i := range p.Params {
		if utf8.RuneCountInString(p.Params[i].Name) > maxName {
			p.Params[i].Name = ""
		}
	}
	text, _ := json.Marshal(p) // strings and a number
	reply.Once(w, p.Status, odp.ProblemMediaType, string(text))
}
