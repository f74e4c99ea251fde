package interagentic

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/template"
)

// request is a parsed request template. It is complete: what it does not use is not sent (T-6).
type request struct {
	query    *template.Query
	headers  []header
	body     *template.JSON
	bodyKind jsontext.Kind
	refs     []template.Ref // with pointers into the detail
}

type header struct {
	name  string
	value *template.Text
}

// request reads request templates (T-1). Every fault in them makes the action unusable: half a request is another request.
func (d *detailReader) request() *request {
	if d.d.PeekKind() == 'n' {
		d.skip()
		return nil
	}
	q := &request{}
	for name := range d.object(fatal) {
		switch name {
		case "query":
			if d.next('{', fatal) {
				query, err := template.ParseQuery(d.raw())
				d.template(q, query.Refs, err)
				q.query = query
			}
		case "headers":
			d.headers(q)
		case "body":
			q.bodyKind = d.d.PeekKind()
			if raw := d.raw(); raw != nil {
				body, err := template.ParseJSON(raw)
				d.template(q, body.Refs, err)
				q.body = body
			}
		default:
			d.skip()
		}
	}
	return q
}

// template records what the value read last uses, or what is wrong with its templates.
func (d *detailReader) template(q *request, refs func() []template.Ref, err error) {
	at := d.at()
	if list, ok := errors.AsType[template.SyntaxErrors](err); ok {
		for _, e := range list {
			d.addAt(at+e.Pointer, fatal, "template_invalid", "%s", e.Message)
		}
		return
	}
	for _, ref := range refs() {
		ref.Pointer = at + ref.Pointer
		q.refs = append(q.refs, ref)
	}
}

func (d *detailReader) headers(q *request) {
	for name := range d.object(fatal) {
		text, ok := d.headerText()
		if !ok {
			continue
		}
		value, err := template.ParseText(text)
		same := func(h header) bool { return strings.EqualFold(h.name, name) }
		switch syntax, broken := errors.AsType[*template.SyntaxError](err); {
		case broken:
			d.add(fatal, "template_invalid", "%s", syntax.Message)
			continue
		case !isToken(name):
			d.add(fatal, "header_invalid", "%q cannot be the name of a header", fault.Word(name))
		case isReserved(name):
			d.add(fatal, "reserved_header", "the header %q is set by the client alone", fault.Word(name))
		case slices.ContainsFunc(q.headers, same):
			d.add(fatal, "header_duplicate", "the header %q is there twice", fault.Word(name))
		case hasControl(value.Shape("")):
			d.add(fatal, "header_invalid", "the value of the header %q has control characters", fault.Word(name))
		}
		q.headers = append(q.headers, header{name, value})
		d.template(q, value.Refs, nil)
	}
}

// headerText reads a header's value. Literal numbers and booleans are taken as their text (T-10).
func (d *detailReader) headerText() (text string, ok bool) {
	switch d.d.PeekKind() {
	case '0', 't', 'f':
		return string(d.raw()), true
	default:
		return d.text(fatal)
	}
}

// isReserved reports whether a header belongs to the client (T-9): credentials, and what frames the message.
func isReserved(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "authorization", "host", "content-length", "transfer-encoding", "connection", "cookie",
		"keep-alive", "te", "trailer", "upgrade": // belong to the connection as well (RFC 9110, section 7.6.1)
		return true
	}
	return strings.HasPrefix(name, "proxy-") || strings.HasPrefix(name, "sec-")
}

// checkTemplates holds templates to declared parameters (T-11) and to a number that is quick to render.
func (d *detailReader) checkTemplates() {
	count := 0
	if d.action.path != nil {
		count += len(d.action.path.Refs())
	}
	if d.action.request != nil {
		count += len(d.action.request.refs)
		for _, ref := range d.action.request.refs {
			d.declared(ref, ref.Pointer)
		}
	}
	if count > MaxTemplates {
		d.addAt("", fatal, "too_many_templates", "an action has at most %d templates", MaxTemplates)
	}
}
