package call

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Limits of what is read of an answer to find an error in it. An answer that is larger is no error document.
const (
	maxErrorBytes   = 1 << 20
	maxExcerptLines = 5
	maxExcerptBytes = 500
	maxTextBytes    = 4 << 10 // of a code or message
)

// judge returns a fault when the answer is an error, and else nil with the body as it was. retryAfter are the seconds
// that the header asks to wait, 0 for none. authHint goes with one
// about the credential; redact takes secrets out of what the site says, before it is cut.
func judge(result *Result, retryAfter int, authHint string, redact func(string) string) error {
	if result.Status < 300 && !isJSON(result.ContentType) {
		return nil
	}
	head, err := io.ReadAll(io.LimitReader(result.Body, maxErrorBytes))
	if result.Status < 300 {
		if err != nil {
			return err
		}
		site, ok := siteError(head, result.ContentType, redact)
		if len(head) == maxErrorBytes || !ok || site.Code == "" {
			result.putBack(head)
			return nil
		}
		return site.fault(result.Status, fault.Rejected)
	}
	site, ok := siteError(head, result.ContentType, redact)
	if !ok {
		site = document{Message: statusText(result.Status)}
		if text := excerpt(head, redact); text != "" {
			site.Message += ": " + text
		}
	}
	e := site.fault(result.Status, fault.OfStatus(result.Status))
	if retryAfter > 0 {
		e.RetryAfter = retryAfter
	}
	if e.Kind == fault.Auth {
		e.Hint = authHint
	}
	return e
}

type replay struct {
	io.Reader
	io.Closer
}

// whole is a body that was read to its end.
type whole struct {
	bytes.Reader
	io.Closer
	content []byte
}

// putBack has the body begin with what was read of it, which is all of it if it is less than maxErrorBytes.
func (r *Result) putBack(head []byte) {
	if len(head) == maxErrorBytes {
		r.Body = &replay{Reader: io.MultiReader(bytes.NewReader(head), r.Body), Closer: r.Body}
		return
	}
	w := &whole{Closer: r.Body, content: head}
	w.Reset(head)
	r.Body = w
}

// Content reads what is left of the body.
func (r *Result) Content() ([]byte, error) {
	if w, ok := r.Body.(*whole); ok {
		return w.content[len(w.content)-w.Len():], nil
	}
	return io.ReadAll(r.Body)
}

// document is the body of an error answer: {"error":{"code","message","details"}}, and what agent-actions adds to it
// (AA-10).
type document struct {
	Code       string
	Message    string
	Details    map[string]any
	Field      string // the argument that the site complains about
	Problems   []fault.Problem
	RetryAfter int // seconds
}

func (d document) fault(status int, kind fault.Kind) *fault.Error {
	message, code := d.Message, d.Code
	if message == "" {
		message = d.Code
	}
	if message == "" {
		message = statusText(status)
	}
	if code == "" {
		code = "http_" + strconv.Itoa(status)
	}
	return &fault.Error{
		Kind: kind, Code: code, Message: message, Status: status, Sent: fault.SentYes, Details: d.Details,
		Problems: d.problems(message), RetryAfter: d.RetryAfter,
	}
}

// siteError finds the error object of the format in a body. ok tells whether there is one.
func siteError(body []byte, contentType string, redact func(string) string) (d document, ok bool) {
	problem := isProblem(contentType)
	if !isJSON(contentType) || !problem && !bytes.Contains(body, []byte(`"error"`)) || strictjson.Check(body) != nil {
		return d, false
	}
	object, found := strictjson.Member(body, "error")
	if !found || object.Kind() != '{' {
		if problem {
			return problemDocument(body, redact)
		}
		return d, false
	}
	for name, value := range strictjson.Members(object) {
		switch name {
		case "code":
			d.Code = text(value, redact)
		case "message":
			d.Message = text(value, redact)
		case "details":
			d.Details = details(value)
		case "field":
			d.Field = text(value, redact)
		case "problems":
			d.Problems = problems(value, redact)
		case "retry_after":
			d.RetryAfter = seconds(value)
		}
	}
	if list, found := strictjson.Member(body, "problems"); found && d.Problems == nil {
		d.Problems = problems(list, redact)
	}
	return d, true
}

// problemDocument reads a problem (RFC 9457). Its code is the member of that name, which AEP and others add, or the end of its
// type.
func problemDocument(body []byte, redact func(string) string) (d document, ok bool) {
	if jsontext.Value(body).Kind() != '{' {
		return d, false
	}
	var title, detail, kind string
	for name, value := range strictjson.Members(body) {
		switch name {
		case "title":
			title = text(value, redact)
		case "detail":
			detail = text(value, redact)
		case "code":
			d.Code = text(value, redact)
		case "type":
			kind = text(value, redact)
		}
	}
	if last := kind[strings.LastIndexAny(kind, "/:#")+1:]; d.Code == "" && last != "" && kind != "about:blank" {
		d.Code = last
	}
	if d.Message = title; title == "" || detail == "" {
		d.Message += detail
	} else {
		d.Message += ": " + detail
	}
	return d, d.Code != "" || d.Message != ""
}

// text reads a string; of anything else, which does not belong there, it takes nothing.
func text(value jsontext.Value, redact func(string) string) string {
	s, _ := strictjson.String(value)
	s = redact(s)
	return fault.Cut(s, maxTextBytes)
}

// details keeps the site's details with their digits; what is no object is kept under "value".
func details(value jsontext.Value) map[string]any {
	out := map[string]any{}
	if value.Kind() != '{' {
		if value.Kind() != 'n' {
			out["value"] = json.RawMessage(strictjson.Compact(value))
		}
		return out
	}
	for name, member := range strictjson.Members(value) {
		out[name] = json.RawMessage(strictjson.Compact(member))
	}
	return out
}

// plainJSON is what most answers have for their Content-Type: it needs no parsing.
const plainJSON = "application/json"

func isProblem(contentType string) bool {
	if contentType == plainJSON {
		return false
	}
	mediaType, _, _ := mime.ParseMediaType(contentType)
	return mediaType == "application/problem+json"
}

func isJSON(contentType string) bool {
	if contentType == plainJSON {
		return true
	}
	mediaType, _, _ := mime.ParseMediaType(contentType)
	return mediaType == plainJSON || strings.HasSuffix(mediaType, "+json")
}

// excerpt is the beginning of an error page in one line. It is cleaned where it is printed.
func excerpt(body []byte, redact func(string) string) string {
	body = []byte(redact(string(body)))
	body = body[:min(len(body), maxExcerptBytes)]
	lines := strings.FieldsFunc(strings.ToValidUTF8(string(body), ""), func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines[:min(len(lines), maxExcerptLines)], " ")
}
