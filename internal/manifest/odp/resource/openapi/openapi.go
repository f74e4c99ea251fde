// Package openapi resolves one operation of an OpenAPI 3.1 document, as Actions of the Offering Discovery Protocol name
// it, and builds its request (sections 14 and 15 of the requirement sheet). What it does not understand completely makes
// the operation unusable: a request is built as published, or not at all (ODP-110). It is the strict reading of what
// internal/manifest/openapi reads with more patience, and builds its requests with that.
//
// A document authorises nothing: its security requirements, extensions and examples are not looked at (ODP-111).
package openapi

import (
	"errors"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	standard "github.com/agentctl/agentctl/internal/manifest/openapi"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Document is an OpenAPI document. It is read-only.
type Document struct {
	root *jsontree.Node
	url  *url.URL // where it was read from, redirects followed
}

// codeUnusable is the code of what makes an Action unusable.
const codeUnusable = "action_unusable"

// CheckMediaType judges the Content-Type of an OpenAPI document (ODP-107).
func CheckMediaType(header string) error {
	switch odp.Essence(header) {
	case "application/json":
		return nil
	case "application/vnd.oai.openapi+json":
		if _, parameters, err := mime.ParseMediaType(header); err == nil && parameters["version"] == "3.1" {
			return nil
		}
	}
	return fmt.Errorf("the Content-Type is %q: must be application/json, or application/vnd.oai.openapi+json with version=3.1", header)
}

// Parse reads a document of at most 1,048,576 bytes that was read from an absolute URL (ODP-107, ODP-108). Its error is a
// [*fault.Error] of kind manifest, or unavailable beyond the limits.
func Parse(doc []byte, from string) (*Document, error) {
	const name, code = "the OpenAPI document", "openapi_invalid"
	base, err := url.Parse(from)
	if err != nil || !base.IsAbs() {
		return nil, fault.New(fault.Internal, "internal", "an OpenAPI document without an address")
	}
	root, err := odp.Decode(doc, odp.OpenAPILimits())
	if err != nil {
		e := odp.Unreadable(code, name, err)
		if errors.Is(err, odp.ErrTooLarge) || errors.Is(err, odp.ErrTooDeep) {
			e.Kind, e.Code = fault.Unavailable, "RESPONSE_LIMIT_EXCEEDED"
		}
		return nil, e
	}
	c := odp.NewCursor(root, code)
	member := c.Member("openapi")
	if version := member.String(); member.Is('"') && !supported(version) {
		member.Fail("is %q: only versions 3.1.N are understood", version)
	}
	if issue := c.Issue(); issue != nil {
		return nil, odp.Refuse(code, name, issue)
	}
	return &Document{root, base}, nil
}

// supported reports whether a version is 3.1 with a number behind (ODP-108).
func supported(version string) bool {
	patch, ok := strings.CutPrefix(version, "3.1.")
	return ok && patch != "" && strings.Trim(patch, "0123456789") == ""
}

// methods are the members of a path item that hold operations.
func methods() []string {
	return []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}
}

// place is where an operation stands.
type place struct {
	pointer   string
	path      string // the key under "paths"; "" for an operation that stands elsewhere
	method    string
	item      *jsontree.Node // the path item
	operation *jsontree.Node
}

// find returns the one operation of that id. It may stand anywhere in the document, but only one under "paths" can be
// called; none, several, or one elsewhere is an error, and nothing else is ever tried (ODP-108).
func (d *Document) find(id string) (place, error) {
	var found []place
	f := finder{id, &found}
	for name, item := range d.root.Member("paths").Members() {
		path := name
		if !strings.HasPrefix(name, "/") { // an extension
			path = ""
		}
		f.item(item, jsontree.Pointer("/paths", name), path)
	}
	for name, item := range d.root.Member("webhooks").Members() {
		f.item(item, jsontree.Pointer("/webhooks", name), "")
	}
	components := d.root.Member("components")
	for name, item := range components.Member("pathItems").Members() {
		f.item(item, jsontree.Pointer("/components/pathItems", name), "")
	}
	f.callbacks(components.Member("callbacks"), "/components/callbacks")
	switch {
	case len(found) == 0:
		return place{}, unusable("", "no operation has the id %q", id)
	case len(found) > 1:
		return place{}, unusable(found[1].pointer, "more than one operation has the id %q", id)
	case found[0].path == "":
		return place{}, unusable(found[0].pointer, "the operation %q is not one of the document's paths", id)
	}
	return found[0], nil
}

// Locate returns the path and the method of the one operation of that id that can be called. Its error is a [*fault.Error].
func (d *Document) Locate(id string) (path, method string, err error) {
	at, err := d.find(id)
	return at.path, strings.ToUpper(at.method), err
}

// finder counts the operations of one id.
type finder struct {
	id    string
	found *[]place
}

func (f finder) item(item *jsontree.Node, pointer, path string) {
	for method, operation := range item.Members() {
		if !slices.Contains(methods(), method) {
			continue
		}
		at := place{jsontree.Pointer(pointer, method), path, method, item, operation}
		if operation.Member("operationId").Text() == f.id {
			*f.found = append(*f.found, at)
		}
		f.callbacks(operation.Member("callbacks"), jsontree.Pointer(at.pointer, "callbacks"))
	}
}

func (f finder) callbacks(callbacks *jsontree.Node, pointer string) {
	for name, callback := range callbacks.Members() {
		for expression, item := range callback.Members() {
			f.item(item, jsontree.Pointer(pointer, name, expression), "")
		}
	}
}

// lookup returns what a JSON Pointer into the document leads to.
func (d *Document) lookup() standard.Lookup { return d.root.At }

func unusable(pointer, format string, args ...any) *fault.Error {
	e := fault.New(fault.Manifest, codeUnusable, "the OpenAPI operation cannot be used: "+format, args...)
	e.Details = map[string]any{"pointer": pointer}
	return e
}

// refusal says of what the standard cannot use that the operation cannot be used.
func refusal(err error) error {
	if e, ok := errors.AsType[*standard.Error](err); ok {
		return unusable(e.Pointer, "%s", e.Message)
	}
	return err
}
