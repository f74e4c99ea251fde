package call

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/strictjson"
)

const (
	maxProblems   = 100
	maxRetryAfter = 365 * 24 * 3600 // seconds
	maxWaitBytes  = 64 << 10
)

// problems reads the list of what a site found wrong with the arguments (AA-10). Nothing is published about the members of
// one; those that are usual are understood, and a string is a message.
func problems(list jsontext.Value, redact func(string) string) []fault.Problem {
	if list.Kind() != '[' {
		return nil
	}
	var out []fault.Problem
	for _, item := range strictjson.Elements(list) {
		if len(out) == maxProblems {
			break
		}
		if p := problem(item, redact); p.Message != "" || p.Param != "" {
			out = append(out, p)
		}
	}
	return out
}

func problem(item jsontext.Value, redact func(string) string) fault.Problem {
	if item.Kind() != '{' {
		return fault.Problem{Message: text(item, redact)}
	}
	var p fault.Problem
	set := func(into *string, value jsontext.Value) {
		if *into == "" {
			*into = text(value, redact)
		}
	}
	for name, value := range strictjson.Members(item) {
		switch name {
		case "field", "param", "parameter", "name":
			set(&p.Param, value)
		case "pointer", "path":
			set(&p.Pointer, value)
		case "keyword", "code", "rule":
			set(&p.Keyword, value)
		case "message", "error", "reason", "detail":
			set(&p.Message, value)
		}
	}
	if p.Pointer != "" && !strings.HasPrefix(p.Pointer, "/") { // "address.city"
		set(&p.Param, strictjson.Quote(p.Pointer))
		p.Pointer = ""
	}
	return p
}

// problems are what the site says is wrong with the arguments; where it names only a field, the message is about that.
func (d *document) problems(message string) []fault.Problem {
	if d.Field == "" {
		return d.Problems
	}
	for _, p := range d.Problems {
		if p.Param == d.Field {
			return d.Problems
		}
	}
	return append([]fault.Problem{{Param: d.Field, Message: message}}, d.Problems...)
}

// seconds reads a number of seconds, rounded up; 0 for what is none.
func seconds(value jsontext.Value) int {
	if value.Kind() != '0' {
		return 0
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil || n <= 0 {
		return 0
	}
	return int(math.Ceil(min(n, maxRetryAfter)))
}

// bodyWait is how long a site asks to wait in the body of an error (AA-10).
func bodyWait(response *fetch.Response) time.Duration {
	head, err := io.ReadAll(io.LimitReader(response.Body, maxWaitBytes))
	rest := io.Reader(response.Body)
	if err != nil {
		rest = failing{err}
	}
	response.Body = &replay{Reader: io.MultiReader(bytes.NewReader(head), rest), Closer: response.Body}
	d, ok := siteError(head, response.Header.Get("Content-Type"), func(s string) string { return s })
	if err != nil || !ok {
		return 0
	}
	return time.Duration(d.RetryAfter) * time.Second
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
