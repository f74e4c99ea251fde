package resource

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// Problem is what a Service says about a request that failed (ODP-114).
type Problem struct {
	Type          string
	Title         string
	Status        int // the HTTP status
	Code          string
	Detail        string
	Instance      string
	InvalidParams []InvalidParam
}

// InvalidParam is what is wrong with one part of a request (ODP-117).
type InvalidParam struct {
	In     string // "query", "body", "header" or "path"
	Name   string // a JSON Pointer for "body"
	Reason string // for people
}

// The codes that the protocol defines; each belongs to one status (ODP-115).
const (
	CodeInvalidRequest      = "INVALID_REQUEST"
	CodeContinuationExpired = "CONTINUATION_EXPIRED"
)

// statusOf returns the status of a code that the protocol defines; 0 for others.
func statusOf(code string) int {
	switch code {
	case CodeInvalidRequest:
		return http.StatusBadRequest
	case "NOT_AUTHENTICATED":
		return http.StatusUnauthorized
	case "NOT_AUTHORIZED":
		return http.StatusForbidden
	case "NOT_FOUND":
		return http.StatusNotFound
	case "NOT_ACCEPTABLE":
		return http.StatusNotAcceptable
	case CodeContinuationExpired:
		return http.StatusGone
	case "REQUEST_TOO_LARGE":
		return http.StatusRequestEntityTooLarge
	case "UNSUPPORTED_MEDIA_TYPE":
		return http.StatusUnsupportedMediaType
	case "RATE_LIMITED":
		return http.StatusTooManyRequests
	case "SERVICE_UNAVAILABLE":
		return http.StatusServiceUnavailable
	}
	return 0
}

const problemTypes = "https://offeringprotocol.org/problems/"

// ParseProblem reads the body of an answer with that HTTP status. Its error is a [*fault.Error].
func ParseProblem(doc []byte, status int) (*Problem, error) {
	d := document{"the problem", "problem_invalid", odp.ProblemLimits()}
	c, err := d.decode(doc)
	if err != nil {
		return nil, err
	}
	p := &Problem{
		Type:   readProblemType(c.Member("type")),
		Title:  c.Member("title").Text(1, 128),
		Status: int(c.Member("status").Integer(400, 599)),
		Code:   readProblemCode(c.Member("code"), status),
		Detail: c.Optional("detail").Text(1, 2048),
	}
	p.Instance = readInstance(c.Optional("instance"))
	if p.Status != status {
		c.Member("status").Fail("must be %d, the status of the answer", status)
	}
	if params := c.Optional("invalid_params"); params != nil {
		if p.Code != CodeInvalidRequest {
			params.Fail("is for the code %s only", CodeInvalidRequest)
		}
		for _, element := range params.Elements(1, 32) {
			p.InvalidParams = append(p.InvalidParams, readInvalidParam(element))
		}
	}
	if err := d.verdict(c); err != nil {
		return nil, err
	}
	return p, nil
}

func readInstance(c *odp.Cursor) string {
	text := c.Text(0, 2048)
	if _, err := url.Parse(text); err != nil || strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r)
	}) {
		c.Fail("must be a URI reference")
	}
	return text
}

func readProblemType(c *odp.Cursor) string {
	text := c.String()
	word, ok := strings.CutPrefix(text, problemTypes)
	if c.Is('"') && (!ok || word == "" || word[0] == '-' || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-") != "") {
		c.Fail("must be %s and a word", problemTypes)
	}
	return text
}

func readProblemCode(c *odp.Cursor, status int) string {
	code := c.Text(1, 64)
	switch known := statusOf(code); {
	case code == "":
	case code[0] < 'A' || code[0] > 'Z' || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "":
		c.Fail("must be capital letters, digits and '_'")
	case known != 0 && known != status:
		c.Fail("%s belongs to the status %d", code, known)
	}
	return code
}

func readInvalidParam(c *odp.Cursor) InvalidParam {
	p := InvalidParam{
		In:     c.Member("in").OneOf("query", "body", "header", "path"),
		Name:   c.Member("name").Text(0, 256),
		Reason: c.Member("reason").Text(1, 1024),
	}
	switch {
	case p.In == "body" && p.Name != "" && !validPointer(p.Name):
		c.Member("name").Fail("must be a JSON Pointer")
	case p.In != "body" && p.Name == "":
		c.Member("name").Fail("must not be empty")
	}
	return p
}

// validPointer reports whether s is a JSON Pointer other than "" (RFC 6901).
func validPointer(s string) bool {
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return strings.HasPrefix(s, "/")
}

// Failure turns an answer that is an error into a fault. A body that is no valid problem, or too large, counts for
// nothing: the status alone speaks (ODP-116). It never replaces challenge headers, which are for their own handlers
// (ODP-118). retryAfter is in seconds, 0 for none.
func Failure(status int, contentType string, body []byte, retryAfter int) *fault.Error {
	e := &fault.Error{
		Kind: fault.OfStatus(status), Code: "http_" + strconv.Itoa(status), Message: strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status)),
		Status: status, RetryAfter: retryAfter, Sent: fault.SentYes,
		Details: map[string]any{"retryable": Retryable(status)},
	}
	if odp.CheckMediaType(contentType, odp.ProblemMediaType) != nil {
		return e
	}
	if p, err := ParseProblem(body, status); err == nil {
		p.describe(e)
	}
	return e
}

// describe puts into a fault what the problem says.
func (p *Problem) describe(e *fault.Error) {
	e.Code, e.Message = p.Code, p.Title
	if p.Detail != "" {
		e.Message += ": " + p.Detail
	}
	if p.Code == CodeContinuationExpired { // the rest of a sequence is gone; what was read of it stays valid
		e.Kind = fault.Unavailable
		e.Hint = "start again from the first page"
	}
	for _, param := range p.InvalidParams {
		problem := fault.Problem{Param: param.Name, Keyword: param.In, Message: param.Reason}
		if param.In == "body" {
			problem.Param, problem.Pointer = "", param.Name
		}
		e.Problems = append(e.Problems, problem)
	}
}

// Retryable reports whether the same request may succeed later (ODP-121, ODP-122). An unknown code changes nothing about
// that.
func Retryable(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}
