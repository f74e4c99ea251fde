package aep

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

const (
	problemType  = "urn:aep:error:"
	maxWords     = 500 // bytes of what a Service says in an error
	maxCodeBytes = 64
	maxNames     = 100
)

// failure turns an answer that is no success into a fault (AEP-32). The code decides, not the title, and a Service that
// says nothing usable is known by its status. redact takes out what a Service may repeat of what it was sent.
func failure(a answer, redact *strings.Replacer) *fault.Error {
	e := &fault.Error{
		Kind: fault.OfStatus(a.status), Code: "http_" + strconv.Itoa(a.status), Status: a.status,
		Message: strings.TrimSpace(strconv.Itoa(a.status) + " " + http.StatusText(a.status)), RetryAfter: a.retryAfter, Sent: fault.SentYes,
	}
	if !isMediaType(a.contentType, problemMediaType) || strictjson.Check(a.body) != nil {
		return e
	}
	root := jsontree.Parse(a.body)
	code := root.Member("code").Text()
	if code == "" {
		code, _ = strings.CutPrefix(root.Member("type").Text(), problemType)
	}
	if isCode(code) {
		e.Code, e.Message = code, strings.ReplaceAll(code, "_", " ")
	}
	if title := root.Member("title").Text(); title != "" {
		e.Message = fault.Cut(redact.Replace(title), maxWords)
	}
	if detail := root.Member("detail").Text(); detail != "" {
		e.Message += ": " + fault.Cut(redact.Replace(detail), maxWords)
	}
	for _, name := range []string{"verification_pending", "requirements_pending"} {
		if names := namesIn(root.Member(name)); names != nil {
			detail(e, name, names)
		}
	}
	if root.Member("owner_action_required").Text() == "true" {
		detail(e, "owner_action_required", true)
	}
	return e
}

func detail(e *fault.Error, name string, value any) {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[name] = value
}

// isCode accepts what can be one: words in lower case.
func isCode(code string) bool {
	return code != "" && len(code) <= maxCodeBytes && strings.Trim(code, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == ""
}

func namesIn(list *jsontree.Node) []string {
	if !list.IsArray() {
		return nil
	}
	var names []string
	for _, item := range list.Items[:min(len(list.Items), maxNames)] {
		if text := item.Text(); text != "" {
			names = append(names, fault.Word(text))
		}
	}
	return names
}

// badAnswer is the fault of a success that is none.
func badAnswer(op Op, format string, args ...any) *fault.Error {
	e := fault.New(fault.Rejected, "answer_invalid", "the answer to "+strconv.Quote(string(op))+" cannot be used: "+format, args...)
	e.Sent = fault.SentYes
	return e
}
