package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/streams"
)

// Fault prints the last lines of a run that failed on s.Err (contract section 4): message, problems one per line and
// hint, or with asJSON one line of JSON. Every text in it may be a site's and is cleaned.
func Fault(s *streams.Streams, e *fault.Error, asJSON bool) {
	if asJSON {
		_, _ = s.Err.Write(faultLine(e)) // nobody is left to tell of an error
		return
	}
	paint := func(color, text string) string {
		if !s.ErrColor {
			return text
		}
		return color + text + colorReset
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", paint(colorError, "error:"), CleanLine(e.Error()+siteCode(e)))
	for _, problem := range e.Problems {
		fmt.Fprintf(&b, "  %s\n", CleanLine(problemText(problem)))
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "%s %s\n", paint(colorHint, "hint:"), CleanLine(e.Hint))
	}
	fmt.Fprint(s.Err, b.String())
}

// siteCode is the code that a site gave its error, which belongs to what a person is told: behind the message, unless
// that has it already. Codes of ours are for programs.
func siteCode(e *fault.Error) string {
	if e.Status == 0 || e.Sent != fault.SentYes || e.Code == "" || e.Code == "http_"+strconv.Itoa(e.Status) || strings.Contains(e.Error(), e.Code) {
		return ""
	}
	return " (" + e.Code + ")"
}

// problemText names the argument as it is written on the command line: "--address.zip is too long".
func problemText(p fault.Problem) string {
	if p.Line > 0 {
		line := p.Line
		p.Line = 0
		return fmt.Sprintf("line %d: %s", line, problemText(p))
	}
	if p.Param == "" {
		return strings.TrimSpace(p.Pointer + " " + p.Message)
	}
	var path strings.Builder
	if tokens := strings.Split(p.Pointer, "/"); len(tokens) > 2 { // "", the parameter, what is below it
		for _, token := range tokens[2:] {
			path.WriteString("." + strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
		}
	}
	name := "--" + p.Param
	if strings.HasPrefix(p.Param, "-") { // a short flag, as typed
		name = p.Param
	}
	return name + path.String() + " " + p.Message
}

// faultDocument has the members of the contract in their order.
type faultDocument struct {
	Kind       fault.Kind      `json:"kind"`
	Code       string          `json:"code"`
	Message    string          `json:"message"`
	Hint       string          `json:"hint,omitempty"`
	Site       string          `json:"site,omitempty"`
	Command    []string        `json:"command,omitempty"`
	Problems   []fault.Problem `json:"problems,omitempty"`
	Status     int             `json:"status,omitempty"`
	RetryAfter int             `json:"retry_after,omitempty"`
	Sent       fault.Sent      `json:"sent"`
	Details    map[string]any  `json:"details,omitempty"`
}

func faultLine(e *fault.Error) []byte { return safeLine(map[string]any{"error": documentOf(e)}) }

// FaultObject is what [Fault] prints of a failure as JSON, without what stands around it, for documents that have several.
func FaultObject(e *fault.Error) []byte {
	return bytes.TrimRight(safeLine(documentOf(e)), "\n")
}

func documentOf(e *fault.Error) faultDocument {
	d := faultDocument{
		Kind: e.Kind, Code: e.Code, Message: e.Error(), Hint: e.Hint, Site: e.Site, Command: e.Command,
		Problems: e.Problems, Status: e.Status, RetryAfter: e.RetryAfter, Sent: e.Sent, Details: e.Details,
	}
	if d.Code == "" {
		d.Code = string(d.Kind)
	}
	if d.Sent == "" {
		d.Sent = fault.SentNo
	}
	if _, err := json.Marshal(d.Details); err != nil { // details that are no JSON must not cost the reader everything else
		d.Details = nil
	}
	return d
}

// JSONLine is a document of our own as a line for s.Out: what came into it from a site cannot act on a terminal.
func JSONLine(s *streams.Streams, document []byte) []byte {
	if s.OutTTY {
		document, _ = appendClean(nil, document, escapeUnsafe, true)
	}
	return append(document, '\n')
}

func safeLine(document any) []byte {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // "<redacted>" is easier to read than its escape
	_ = enc.Encode(document) // of text, numbers and details that were tried
	safe, _ := appendClean(nil, line.Bytes(), escapeUnsafe, true)
	return safe
}
