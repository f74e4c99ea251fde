package site

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/agentmanifest"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// answer reads what a capability answers: the envelope of those that change something (AM-17), the names by which the site
// keeps the call, and whether the answer is what was promised (AM-11).
func (c *capability) answer(r *call.Result) error {
	if c.HumanReview {
		r.Warnings = append(r.Warnings, "a person on the other side must still act on this")
	}
	if !isJSON(mediaTypeOf(r.ContentType)) {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	_ = r.Body.Close()
	replace(r, body)
	if notJSON := strictjson.Check(body); notJSON != nil {
		return nil //nolint:nilerr // it is shown as it came
	}
	if c.action.Target.Tool { // what a tool answers is in its result
		body, _ = strictjson.Member(body, "structuredContent")
	}
	if body == nil {
		return nil
	}
	if c.Effect != manifest.Read {
		if err := c.envelope(r, body); err != nil {
			return err
		}
	}
	if c.output != nil {
		body = c.output.Map(body)
		replace(r, body)
	}
	c.check(r, body)
	return nil
}

// replace puts another body into an answer.
func replace(r *call.Result, body []byte) {
	r.Body, r.Length = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}

func (c *capability) envelope(r *call.Result, body []byte) error {
	e, ok := agentmanifest.ReadEnvelope(body)
	if !ok {
		return nil
	}
	if e.CapabilityID != "" && e.CapabilityID != c.ID {
		r.Warnings = append(r.Warnings, "the answer says that it is about "+fault.Word(e.CapabilityID))
	}
	for _, id := range []call.ID{{Name: "correlation", Value: e.CorrelationID}, {Name: "audit", Value: e.AuditID}} {
		if id.Value != "" {
			r.IDs = append(r.IDs, id)
		}
	}
	if failure := e.Fault(r.Status); failure != nil {
		return failure
	}
	r.Summary = markdownOf(&e)
	return nil
}

// markdownOf is an envelope for people: its summary, the names of the call, and where to go on.
func markdownOf(e *agentmanifest.Envelope) string {
	var b strings.Builder
	b.WriteString(cmp.Or(e.Summary, e.Status) + "\n")
	if e.RequiresFollowUp {
		b.WriteString("\nIt is not finished: something has to follow.\n")
	}
	var lines []string
	for _, id := range []call.ID{{Name: "correlation id", Value: e.CorrelationID}, {Name: "audit id", Value: e.AuditID}} {
		if id.Value != "" {
			lines = append(lines, "- "+id.Name+": `"+strings.ReplaceAll(id.Value, "`", "'")+"`")
		}
	}
	for _, link := range e.Links {
		lines = append(lines, "- "+cmp.Or(link.Name, "link")+": "+link.URL)
	}
	if len(lines) > 0 {
		b.WriteString("\n" + strings.Join(lines, "\n") + "\n")
	}
	return b.String()
}

// failed makes of an error of the site what the format says: where it wants consent, nothing was done (AM-17).
func (c *capability) failed(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Code == "consent_required" {
		wanted := *e
		wanted.Kind, wanted.Hint = fault.Approval, ""
		return &wanted
	}
	return err
}

// check holds the answer against the schema of answers. One that does not fit is the answer all the same (AM-11).
func (c *capability) check(r *call.Result, body []byte) {
	if c.Output == nil {
		return
	}
	rule, err := schema.Compile(c.Output)
	if err != nil {
		return
	}
	if failures, err := rule.Validate(body); err == nil && len(failures) > 0 {
		where := failures[0].Pointer
		if where == "" {
			where = "the whole"
		}
		r.Warnings = append(r.Warnings, "the answer is not what the site promised: "+strings.TrimSpace(where+" fails "+failures[0].Keyword))
	}
}
