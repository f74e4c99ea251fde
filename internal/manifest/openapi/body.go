package openapi

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/schema"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Body is a request body as a caller has it: sent byte by byte.
type Body struct {
	Type string // its media type; "" where the action knows it
	Data []byte
}

// BodyArgument is the argument that holds the whole body, where its members cannot be arguments of their own.
const BodyArgument = "body"

// BodyPlan is how an operation's arguments become its body.
type BodyPlan struct {
	Required  bool
	MediaType string             // of a body that is made of arguments; "" when none can be
	Argument  string             // the one argument that holds the whole body; "" when all that are no parameters are its members
	Rule      jsontext.Value     // the schema of a JSON body, complete; nil allows anything, or nothing is known
	Types     []string           // the media types that the operation takes
	Encoding  map[string]Writing // how members of a form are written that are not written in the usual way
	PartTypes map[string]string  // of members of a multipart form, where one is said
	Files     []string           // arguments that are paths of files
}

// Content is what an operation says about bodies of one media type.
type Content struct {
	MediaType string
	Node      *jsontree.Node // the Media Type Object
	Pointer   string
}

// Schema returns the schema of a body, or nil, and where it stands.
func (c Content) Schema() (*jsontree.Node, string) {
	return c.Node.Member("schema"), jsontree.Pointer(c.Pointer, "schema")
}

// Contents lists the media types of a request body, which stands at pointer.
func Contents(body *jsontree.Node, pointer string) []Content {
	var out []Content
	for mediaType, n := range body.Member("content").Members() {
		if Sendable(mediaType) {
			out = append(out, Content{mediaType, n, jsontree.Pointer(pointer, "content", mediaType)})
		}
	}
	return out
}

// choose returns the media type that arguments are best put into: JSON, a form, a form with files, text, bytes. Of several
// of a kind the first is taken.
func choose(list []Content) (Content, bool) {
	for _, fits := range []func(string) bool{
		func(t string) bool { return essence(t) == jsonType },
		func(t string) bool { return IsJSON(t) && !strings.Contains(t, "patch+json") },
		func(t string) bool { return essence(t) == "application/merge-patch+json" },
		IsJSON, func(t string) bool { return essence(t) == "*/*" || essence(t) == "application/*" },
		IsForm, isMultipart, isText,
		func(t string) bool { return !isRange(t) },
	} {
		if i := slices.IndexFunc(list, func(c Content) bool { return fits(c.MediaType) }); i >= 0 {
			c := list[i]
			if isRange(c.MediaType) {
				c.MediaType = jsonType
			}
			return c, true
		}
	}
	return Content{}, false
}

// inArguments reports whether the members of an object can be sent as a body of that media type.
func inArguments(mediaType string) bool {
	return IsJSON(mediaType) || IsForm(mediaType) || isMultipart(mediaType)
}

// readEncoding notes how the members of a form are written (the Encoding Object).
func (p *BodyPlan) readEncoding(content Content) (flaws []*Error) {
	for name, n := range content.Node.Member("encoding").Members() {
		contentType, _, _ := strings.Cut(n.Member("contentType").Text(), ",")
		if contentType = strings.TrimSpace(contentType); Sendable(contentType) && !isRange(contentType) {
			setIn(&p.PartTypes, name, contentType)
		}
		style, explode := Style(n.Member("style").Text()), n.Member("explode")
		if style == "" && explode == nil && n.Member("allowReserved") == nil {
			continue
		}
		w := Writing{Style: style, Explode: style == Form, Reserved: isTrue(n.Member("allowReserved"))}
		if style == "" {
			w.Style, w.Explode = Form, true
		}
		if explode != nil {
			w.Explode = explode.Kind == 't'
		}
		if !slices.Contains(stylesIn(InQuery), w.Style) {
			flaws = append(flaws, unsupported(jsontree.Pointer(content.Pointer, "encoding", name), "the style %q is none of a form", fault.Word(string(style))))
			continue
		}
		setIn(&p.Encoding, name, w)
	}
	return flaws
}

func setIn[V any](m *map[string]V, name string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[name] = value
}

// CheckJSON judges a JSON body against a schema; nil allows anything.
func CheckJSON(body []byte, rule jsontext.Value) []fault.Problem {
	if err := strictjson.Check(body); err != nil {
		return []fault.Problem{{Keyword: "json", Message: "the body: " + err.Error()}}
	}
	if rule == nil {
		return nil
	}
	compiled, err := schema.Compile(rule)
	if err != nil {
		return []fault.Problem{{Keyword: "schema", Message: "the body cannot be checked: " + err.Error()}}
	}
	failures, err := compiled.Validate(body)
	if err != nil {
		return []fault.Problem{{Keyword: "schema", Message: "the body cannot be checked: " + err.Error()}}
	}
	var problems []fault.Problem
	for _, f := range failures {
		problems = append(problems, fault.Problem{Pointer: f.Pointer, Keyword: f.Keyword, Message: "does not match the schema of the body"})
	}
	return problems
}
