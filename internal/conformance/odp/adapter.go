package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

const (
	adapterVersion = "1"
	agent          = "agent"
	maxMessage     = 1024 // characters

	// A case may hold a document that is larger and deeper than any that is accepted.
	maxRequestBytes = 64 << 20
	maxRequestDepth = 64
)

// response is what is answered to one request.
type response struct {
	Version  string `json:"protocol_version"`
	Sequence int64  `json:"sequence"`
	Status   status `json:"status"`
	Message  string `json:"message,omitempty"`
}

type status string

const (
	passed  status = "passed"
	failed  status = "failed"
	skipped status = "skipped"
)

// serve answers requests, one a line and one at a time, until they end. A line that is no request gets no response, but an
// error at the end.
func serve(in io.Reader, out, diagnostics io.Writer) error {
	lines := bufio.NewReader(in)
	malformed := 0
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading requests: %w", err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if issue := answer(line, out); issue != nil {
				fmt.Fprintf(diagnostics, "line %d: %v\n", number, issue)
				malformed++
			}
		}
		switch {
		case err == nil:
		case malformed > 0:
			return fmt.Errorf("%d of the lines were no requests", malformed)
		default:
			return nil
		}
	}
}

// answer writes the response to one request.
func answer(line []byte, out io.Writer) error {
	r, err := parseRequest(line)
	if err != nil {
		return err
	}
	verdict, message := judge(r)
	text, err := json.Marshal(response{adapterVersion, r.sequence, verdict, cut(message)})
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

// request is one case to run.
type request struct {
	sequence int64
	role     string
	testcase
}

// parseRequest holds a line against the schema of requests.
func parseRequest(line []byte) (request, error) {
	root, err := odp.Decode(bytes.TrimSpace(line), odp.Limits{Bytes: maxRequestBytes, Depth: maxRequestDepth})
	if err != nil {
		return request{}, err
	}
	c := odp.NewCursor(root, "request_invalid")
	c.Closed("protocol_version", "sequence", "role", "vector", "case")
	c.Member("protocol_version").OneOf(adapterVersion)
	r := request{
		sequence: c.Member("sequence").Integer(1, 1<<53-1),
		role:     c.Member("role").OneOf(agent, "service"),
		testcase: testcase{vector: parseVector(c.Member("vector")), root: c.Member("case").Node()},
	}
	if c.Member("case").Object() && c.Member("case").Len() == 0 {
		c.Member("case").Fail("must not be empty")
	}
	if issue := c.Issue(); issue != nil {
		return request{}, fmt.Errorf("%q %s", issue.Pointer, issue.Message)
	}
	return r, nil
}

func parseVector(c *odp.Cursor) vector {
	c.Closed("id", "title", "drafts", "category", "subject")
	const long = maxRequestBytes
	c.Member("title").Text(1, long)
	for _, draft := range c.Member("drafts").Elements(1, long) {
		draft.Text(1, long)
	}
	return vector{
		ID: c.Member("id").Text(1, long), Category: c.Member("category").Text(1, long), Subject: c.Member("subject").Text(1, long),
	}
}

// cut keeps a message within what a response may hold.
func cut(message string) string {
	if runes := []rune(message); len(runes) > maxMessage {
		return string(runes[:maxMessage-1]) + "…"
	}
	return message
}
