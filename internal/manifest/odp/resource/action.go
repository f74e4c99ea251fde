package resource

import (
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
)

// Action is one thing that can be done with an Offering (section 13). Exactly one of HTTP and OpenAPI is set.
//
// Reading one never calls its target, and neither its relation nor its authentication says what the target will do
// (ODP-97, ODP-98).
type Action struct {
	ID             string
	Rel            string             // one of the relations below, or another word (ODP-95)
	Authentication odp.Authentication // advice: the live answer decides (ODP-97)
	Description    string
	HTTP           *HTTPTarget
	OpenAPI        *OpenAPITarget
}

// The relations that the protocol defines (ODP-95). Others are kept, and called by explicit id only.
const (
	Download = "download"
	Purchase = "purchase"
	GetQuote = "quote"
	Reserve  = "reserve"
	Invoke   = "invoke"
)

// KnownRelation reports whether the protocol says what a relation means.
func KnownRelation(rel string) bool {
	return slices.Contains([]string{Download, Purchase, GetQuote, Reserve, Invoke}, rel)
}

// HTTPTarget is a compact target: one address, one method (ODP-102).
type HTTPTarget struct {
	Href          string // a Resource Reference
	Method        string // GET or POST
	Request       *BodyRules
	ResponseTypes []string // of a successful answer; advice (ODP-105)
}

// BodyRules tell what the body of a request is like (ODP-103). At least one member is set.
type BodyRules struct {
	ContentType string
	SchemaURL   string // a Resource Reference
}

// OpenAPITarget is one operation of an OpenAPI document (ODP-106).
type OpenAPITarget struct {
	OperationID string
	URL         string // a Resource Reference; "" means the document that the Service names
}

// DocumentURL returns the absolute address of the OpenAPI document. service is the reference in the Service Document, ""
// for none. When neither names one the Action is unusable (ODP-106); the error is a [*fault.Error].
func (t *OpenAPITarget) DocumentURL(origin odp.Origin, service string) (string, error) {
	reference := t.URL
	if reference == "" {
		reference = service
	}
	if reference == "" {
		return "", fault.New(fault.Manifest, codeUnusable, "neither the Action nor the Service names an OpenAPI document")
	}
	return Follow(origin, reference)
}

// codeUnusable is the code of what makes an Action unusable.
const codeUnusable = "action_unusable"

// ReadActions reads the Actions of an Offering one by one (ODP-96). Each that cannot be used becomes one issue, whose
// Command holds its id as far as there is one; an id that is there twice spoils every Action that has it. Only a list that
// is none, or has not 1 to 16 entries, is a fault of the Offering (ODP-58).
func ReadActions(c *odp.Cursor) (usable []Action, issues []odp.Issue) {
	if c == nil || !c.Is('[') {
		c.Elements(1, odp.MaxActions)(func(int, *odp.Cursor) bool { return true })
		return nil, nil
	}
	ids := map[string]int{}
	for _, item := range c.Node().Items {
		ids[memberText(item, "id")]++
	}
	for _, element := range c.Elements(1, odp.MaxActions) {
		id := memberText(element.Node(), "id")
		scoped := element.Scope(codeUnusable)
		if id != "" && ids[id] > 1 {
			scoped.Member("id").Fail("%q is there twice, so no Action of that id can be used", id)
		}
		action := readAction(scoped)
		if issue := scoped.Issue(); issue != nil {
			if id != "" {
				issue.Command = []string{id}
			}
			issues = append(issues, *issue)
			continue
		}
		usable = append(usable, action)
	}
	return usable, issues
}

func readAction(c *odp.Cursor) Action {
	c.Closed("id", "rel", "authentication", "description", "http", "openapi")
	a := Action{
		ID:             c.Member("id").ID(),
		Rel:            readRelation(c.Member("rel")),
		Authentication: readAuthentication(c.Member("authentication")),
		Description:    c.Optional("description").Text(1, 512),
		HTTP:           readHTTPTarget(c.Optional("http")),
		OpenAPI:        readOpenAPITarget(c.Optional("openapi")),
	}
	if (a.HTTP == nil) == (a.OpenAPI == nil) {
		c.Fail("must have exactly one of \"http\" and \"openapi\"")
	}
	return a
}

func readAuthentication(c *odp.Cursor) odp.Authentication {
	return odp.Authentication(c.OneOf(
		string(odp.NoAuthentication), string(odp.OptionalAuthentication), string(odp.NeedsAuthentication)))
}

func readRelation(c *odp.Cursor) string {
	rel := c.Text(1, 64)
	if c.Is('"') && !validRelation(rel) {
		c.Fail("must be lower-case words with '-' between them")
	}
	return rel
}

// validRelation reports whether rel is words of lower-case letters and digits, the first one beginning with a letter.
func validRelation(rel string) bool {
	for word := range strings.SplitSeq(rel, "-") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return rel[0] >= 'a'
}

func readHTTPTarget(c *odp.Cursor) *HTTPTarget {
	if c == nil {
		return nil
	}
	c.Closed("href", "method", "request", "response_content_types")
	return &HTTPTarget{
		Href:          c.Member("href").Reference(),
		Method:        c.Member("method").OneOf("GET", "POST"),
		Request:       readBodyRules(c.Optional("request")),
		ResponseTypes: readContentTypes(c.Optional("response_content_types")),
	}
}

func readBodyRules(c *odp.Cursor) *BodyRules {
	if c == nil {
		return nil
	}
	c.Closed("content_type", "schema")
	if c.Len() == 0 {
		c.Fail("must not be empty")
	}
	rules := &BodyRules{SchemaURL: ReadSchemaReference(c.Optional("schema"))}
	if member := c.Optional("content_type"); member != nil {
		rules.ContentType = member.Text(1, 255)
		if !openapi.Sendable(rules.ContentType) {
			member.Fail("must be a media type")
		}
	}
	return rules
}

func readContentTypes(c *odp.Cursor) []string {
	if c == nil {
		return nil
	}
	var types []string
	for _, element := range c.Elements(1, 8) {
		name := element.Text(1, 255)
		if slices.Contains(types, name) {
			element.Fail("%q is there twice", name)
		}
		types = append(types, name)
	}
	return types
}

func readOpenAPITarget(c *odp.Cursor) *OpenAPITarget {
	if c == nil {
		return nil
	}
	c.Closed("operation_id", "url")
	return &OpenAPITarget{OperationID: c.Member("operation_id").Text(1, 128), URL: c.Optional("url").Reference()}
}
