package call

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

func keep(text string) string { return text }

func TestErrorsAreRedactedBeforeTheyAreCut(t *testing.T) {
	secret := strings.Repeat("s", 64)
	redact := func(text string) string { return strings.ReplaceAll(text, secret, "<redacted>") }
	for contentType, body := range map[string]string{
		"text/plain":       strings.Repeat("x", maxExcerptBytes-10) + secret,
		"application/json": `{"error":{"code":"X","message":"` + strings.Repeat("x", maxTextBytes-10) + secret + `"}}`,
	} {
		result := &Result{Status: 400, ContentType: contentType, Body: io.NopCloser(strings.NewReader(body))}
		if err := judge(result, 0, "", redact); strings.Contains(err.Error(), "ssss") {
			t.Errorf("%s: a part of the secret is left: …%s", contentType, err.Error()[len(err.Error())-80:])
		}
	}
}

func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		status      int
		contentType string
		body        string
		kind        fault.Kind // "" for an answer that is none of an error
		code        string
		message     string
		details     string
		hint        string
	}{
		"an answer":                                {status: 200, contentType: "application/json", body: `{"id":"x","error":null}`},
		"an answer that is not JSON":               {status: 200, contentType: "text/plain", body: `{"error":{"code":"X"}}`},
		"an error member that is a string":         {status: 200, contentType: "application/json", body: `{"error":"none"}`},
		"an error object without a code":           {status: 200, contentType: "application/json", body: `{"error":{"count":0}}`},
		"an error below the top":                   {status: 200, contentType: "application/json", body: `{"a":{"error":{"code":"X"}}}`},
		"an error in a 2xx (R-2)":                  {status: 200, contentType: "application/vnd.x+json; charset=utf-8", body: `{"error":{"code":"SOLD_OUT","message":"none left"}}`, kind: fault.Rejected, code: "SOLD_OUT", message: "none left"},
		"code and message of the site":             {status: 422, contentType: "application/json", body: `{"error":{"code":"BAD","message":"no","details":{"n":1.50,"deep":{"z":1,"a":2}}}}`, kind: fault.Rejected, code: "BAD", message: "no", details: `{"deep":{"z":1,"a":2},"n":1.50}`},
		"details that are no object":               {status: 422, contentType: "application/json", body: `{"error":{"code":"BAD","details":["x"]}}`, kind: fault.Rejected, code: "BAD", message: "BAD", details: `{"value":["x"]}`},
		"an error without code and message":        {status: 409, contentType: "application/json", body: `{"error":{}}`, kind: fault.Rejected, code: "http_409", message: "409 Conflict"},
		"codes of a wrong type":                    {status: 409, contentType: "application/json", body: `{"error":{"code":7,"message":["x"]}}`, kind: fault.Rejected, code: "http_409", message: "409 Conflict"},
		"a plain error: its first lines":           {status: 404, contentType: "text/plain", body: "no such\norder\n", kind: fault.Rejected, code: "http_404", message: "404 Not Found: no such order"},
		"an empty error":                           {status: 404, kind: fault.Rejected, code: "http_404", message: "404 Not Found"},
		"an error that is broken JSON":             {status: 400, contentType: "application/json", body: `{"error":{"code":`, kind: fault.Rejected, code: "http_400", message: `400 Bad Request: {"error":{"code":`},
		"401":                                      {status: 401, kind: fault.Auth, code: "http_401", message: "401 Unauthorized", hint: "log in"},
		"403":                                      {status: 403, kind: fault.Auth, code: "http_403", message: "403 Forbidden", hint: "log in"},
		"402":                                      {status: 402, kind: fault.Payment, code: "http_402", message: "402 Payment Required"},
		"429":                                      {status: 429, kind: fault.Unavailable, code: "http_429", message: "429 Too Many Requests"},
		"503":                                      {status: 503, kind: fault.Unavailable, code: "http_503", message: "503 Service Unavailable"},
		"a status that nobody knows":               {status: 599, kind: fault.Unavailable, code: "http_599", message: "599"},
		"a redirect that was not to be followed":   {status: 304, kind: fault.Rejected, code: "http_304", message: "304 Not Modified"},
		"an error member as deep as none may be":   {status: 400, contentType: "application/json", body: `{"error":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}`, kind: fault.Rejected, code: "http_400"},
		"an answer larger than any error":          {status: 200, contentType: "application/json", body: `{"error":{"code":"X"},"fill":"` + strings.Repeat("x", maxErrorBytes) + `"}`},
		"an error page longer than is worth it":    {status: 500, contentType: "text/plain", body: strings.Repeat("x", 5000), kind: fault.Unavailable, code: "http_500"},
		"an error with the code but no message":    {status: 400, contentType: "application/problem+json", body: `{"error":{"code":"ONLY"}}`, kind: fault.Rejected, code: "ONLY", message: "ONLY"},
		"an error with the message but no code":    {status: 400, contentType: "application/json", body: `{"error":{"message":"only"}}`, kind: fault.Rejected, code: "http_400", message: "only"},
		"an error object in the media type HTML":   {status: 400, contentType: "text/html", body: `{"error":{"code":"X"}}`, kind: fault.Rejected, code: "http_400"},
		"a 2xx whose JSON is broken, as an answer": {status: 200, contentType: "application/json", body: `{"error":{"code":"X"}`},
	} {
		t.Run(name, func(t *testing.T) {
			result := &Result{Status: test.status, ContentType: test.contentType, Body: io.NopCloser(strings.NewReader(test.body))}
			err := judge(result, 7, "log in", keep)
			if test.kind == "" {
				if err != nil {
					t.Fatalf("an answer became the error %v", err)
				}
				if body, err := io.ReadAll(result.Body); err != nil || string(body) != test.body {
					t.Errorf("the body changed: %d bytes of %d, %v", len(body), len(test.body), err)
				}
				return
			}
			e := fault.From(err)
			if e == nil || e.Kind != test.kind || e.Code != test.code || test.message != "" && e.Message != test.message {
				t.Fatalf("got %+v; want %s, code %q, message %q", e, test.kind, test.code, test.message)
			}
			if e.Status != test.status || e.Sent != fault.SentYes {
				t.Errorf("status %d, sent %q", e.Status, e.Sent)
			}
			if test.status >= 300 && e.RetryAfter != 7 {
				t.Errorf("retry after %d seconds", e.RetryAfter)
			}
			if details, _ := json.Marshal(e.Details); test.details != "" && string(details) != test.details {
				t.Errorf("details %s, want %s", details, test.details)
			}
			if !strings.Contains(e.Hint, test.hint) {
				t.Errorf("hint %q, want %q in it", e.Hint, test.hint)
			}
			if len(e.Message) > 600 {
				t.Errorf("the message has %d bytes", len(e.Message))
			}
		})
	}
}

func FuzzJudge(f *testing.F) {
	f.Add(200, "application/json", []byte(`{"error":{"code":"X","message":"m","details":{"a":1}}}`))
	f.Add(500, "text/html", []byte("<h1>\xff"))
	f.Fuzz(func(t *testing.T, status int, contentType string, body []byte) {
		result := &Result{Status: status, ContentType: contentType, Body: io.NopCloser(strings.NewReader(string(body)))}
		if err := judge(result, 0, "", keep); err != nil {
			if e := fault.From(err); e.Error() == "" || e.Exit() == 0 || e.Exit() == 1 {
				t.Fatalf("%d %q: %+v", status, body, e)
			}
			return
		}
		if got, err := io.ReadAll(result.Body); err != nil || string(got) != string(body) {
			t.Fatalf("the body changed from %q to %q, %v", body, got, err)
		}
	})
}
