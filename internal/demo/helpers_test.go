package demo

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/strictjson"
)

// evening is the time at which the tests take place. The published examples were made at this time too.
func evening() time.Time { return time.Date(2026, time.September, 1, 18, 0, 0, 0, time.UTC) }

// site is a shop in a directory of its own.
type site struct {
	http.Handler
	t *testing.T
}

func newSite(t *testing.T) site { return siteIn(t, t.TempDir()) }

func siteIn(t *testing.T, dir string) site { return site{Handler(dir, evening), t} }

// answer is what came back.
type answer struct {
	*httptest.ResponseRecorder
	t *testing.T
}

// send sends one request below the API's base. A body makes it JSON.
func (s site) send(method, target, body string, headers ...string) answer {
	s.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request := httptest.NewRequest(method, apiBase+target, reader)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, request)
	return answer{recorder, s.t}
}

func (s site) get(target string) answer { s.t.Helper(); return s.send(http.MethodGet, target, "") }

// text returns one value of a JSON answer as it is written, by the path of member names.
func (a answer) text(path ...string) string {
	a.t.Helper()
	value := jsontext.Value(a.Body.Bytes())
	if err := strictjson.Check(value); err != nil {
		a.t.Fatalf("the answer is not strict JSON: %v\n%s", err, value)
	}
	value = valueAt(value, path...)
	if text, ok := strictjson.String(value); ok {
		return text
	}
	return string(value)
}

func (a answer) wantStatus(status int) answer {
	a.t.Helper()
	if a.Code != status {
		a.t.Fatalf("status %d, want %d: %s", a.Code, status, a.Body)
	}
	return a
}

func (a answer) wantError(status int, code string) {
	a.t.Helper()
	a.wantStatus(status)
	if got := a.text("error", "code"); got != code {
		a.t.Errorf("code %q, want %q: %s", got, code, a.Body)
	}
	if a.text("error", "message") == "" {
		a.t.Errorf("no message: %s", a.Body)
	}
	if got := a.Header().Get("Content-Type"); got != "application/json" {
		a.t.Errorf("an error document has Content-Type %q", got)
	}
}
