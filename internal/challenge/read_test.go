package challenge

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/agentctl/agentctl/internal/fetch"
)

func TestReadLeavesTheBodyToBeReadOnceMore(t *testing.T) {
	for name, body := range map[string]string{"small": "pay first", "empty": "", "as large as is looked at": strings.Repeat("x", MaxBody), "larger": strings.Repeat("y", MaxBody+10)} {
		response := &fetch.Response{Status: http.StatusPaymentRequired, Header: http.Header{"Www-Authenticate": {"A x=1"}}, Body: io.NopCloser(strings.NewReader(body))}
		a, err := Read(&Request{}, response)
		if err != nil || len(a.Challenges) != 1 || a.Cut != (len(body) > MaxBody) || len(a.Body) != min(len(body), MaxBody) {
			t.Errorf("%s: %v, %+v", name, err, a)
		}
		if again, err := io.ReadAll(response.Body); err != nil || string(again) != body {
			t.Errorf("%s: %d bytes are left of %d, %v", name, len(again), len(body), err)
		}
	}
}

func TestReadLooksAtNothingElse(t *testing.T) {
	for _, status := range []int{200, 204, 400, 403, 404, 407, 500} {
		response := &fetch.Response{Status: status, Header: http.Header{"Www-Authenticate": {"A"}}, Body: io.NopCloser(iotest.ErrReader(errors.New("read")))}
		if a, err := Read(&Request{}, response); a != nil || err != nil {
			t.Errorf("%d: %+v, %v", status, a, err)
		}
	}
}

func TestReadTellsOfABodyThatBreaks(t *testing.T) {
	response := &fetch.Response{Status: http.StatusUnauthorized, Body: io.NopCloser(iotest.ErrReader(errors.New("it broke")))}
	if _, err := Read(&Request{}, response); err == nil || err.Error() != "it broke" {
		t.Error(err)
	}
}
