package challenge

import (
	"bytes"
	"io"
	"net/http"

	"github.com/agentctl/agentctl/internal/fetch"
)

// MayDemand reports whether an answer is one of those that [Read] and [Forbidden] look into.
func MayDemand(response *fetch.Response) bool {
	switch response.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return true
	}
	return false
}

// Read looks into an answer for challenges. It returns nil for an answer that holds none: any but 401 and 402. Of the body
// it reads what [Answer] holds, and leaves it to be read once more.
func Read(request *Request, response *fetch.Response) (*Answer, error) {
	if response.Status != http.StatusUnauthorized && response.Status != http.StatusPaymentRequired {
		return nil, nil
	}
	body, cut, err := Peek(response)
	if err != nil {
		return nil, err
	}
	a := &Answer{Request: request, Status: response.Status, Header: response.Header, Body: body, Cut: cut}
	a.Challenges, a.Trouble = Parse(response.Header.Values("Www-Authenticate"))
	return a, nil
}

// Forbidden is an answer with status 403 that names challenges: they tell what the credential that was sent cannot do (BR-4). Nothing is
// met by another one, so the body is left alone. It returns nil for any other answer.
func Forbidden(request *Request, response *fetch.Response) *Answer {
	fields := response.Header.Values("Www-Authenticate")
	if response.Status != http.StatusForbidden || len(fields) == 0 {
		return nil
	}
	a := &Answer{Request: request, Status: response.Status, Header: response.Header}
	a.Challenges, a.Trouble = Parse(fields)
	return a
}

// Peek returns the first [MaxBody] bytes of a body, and leaves it to be read once more. cut tells that there is more.
func Peek(response *fetch.Response) (head []byte, cut bool, err error) {
	head, err = io.ReadAll(io.LimitReader(response.Body, MaxBody+1))
	if err != nil {
		return nil, false, err
	}
	response.Body = &again{io.MultiReader(bytes.NewReader(head), response.Body), response.Body}
	if cut = len(head) > MaxBody; cut {
		head = head[:MaxBody]
	}
	return head, cut, nil
}

type again struct {
	io.Reader
	io.Closer
}

// Of returns the challenges of a scheme.
func (a *Answer) Of(scheme string) []Challenge {
	var list []Challenge
	for _, c := range a.Challenges {
		if c.Is(scheme) {
			list = append(list, c)
		}
	}
	return list
}
