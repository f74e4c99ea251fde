// Package openapi reads OpenAPI documents, 3.0 and 3.1, and makes each operation an action of the common model and, with
// arguments, one request. It is a format of its own, and what other formats use where they refer to an operation.
//
// The reader is ours: of the libraries that there are, kin-openapi costs every start of the program some 35 ms and
// libopenapi 6, of 10 that a start may take, and both make a tree of everything at once. Here a document is an index of raw
// pieces of JSON, an operation is looked at when it is called, and its schemas only as far as its inputs reach.
//
// Whatever is wrong with one operation takes away that one, never the document. Nothing is ever fetched: a reference leads
// to a place in the document, or nowhere.
package openapi

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Format is the name of the format.
const Format = "openapi"

// Limits of what is read. They are far beyond honest use; what is above them is refused whole.
const (
	MaxBytes      = 16 << 20 // of the document, and of the JSON that YAML stands for
	MaxOperations = 20_000
	MaxIssues     = 10_000 // kept of one document

	maxPlaces      = 200_000       // that references lead to, and what is beside them
	maxWalked      = 16 * MaxBytes // on the way to them
	maxParts       = 2 * MaxBytes  // of what definitions refer to; each byte may be in several
	maxShared      = 4 * MaxBytes  // of the path items that references lead to, each counted once for each of them
	maxDefinition  = 4 << 20       // of one operation
	maxDefinitions = 4 * MaxBytes  // of all operations: they may share parameters
	maxReached     = 8 << 20       // of what one operation refers to
)

// Document is an OpenAPI document. It may be used by several goroutines.
type Document struct {
	places

	Servers []Server // of the document as a whole, the first one in use; empty when none can be used

	version    string // "3.0.3"
	info       info
	from       string
	override   string
	security   jsontext.Value // nil: nothing is said
	operations []*operation
	tags       map[string]string // descriptions of groups by the name of the tag
	issues     []manifest.Issue
}

type info struct{ title, description, version string }

// Parse reads a document, JSON or YAML. from is the absolute URL that it was read from, or "" where it has none; server,
// unless it is "", is used in place of all servers that the document names. Relative addresses belong to from.
//
// It fails only when the document is unusable as a whole, with a [*fault.Error] of kind [fault.Manifest]. Any other fault
// is an issue of the site, and takes away at most one operation.
func Parse(doc []byte, contentType, from, server string) (*Document, error) {
	doc, err := toJSON(doc, contentType)
	if err != nil {
		return nil, err
	}
	if err := manifest.CheckObject(doc, MaxBytes, "OpenAPI document"); err != nil {
		return nil, err
	}
	d := &Document{places: places{root: place{value: doc}}, from: from, override: server, tags: map[string]string{}}
	if err := d.readVersion(); err != nil {
		return nil, err
	}
	d.readInfo(d.at("/info"))
	for _, tag := range strictjson.SharedElements(d.at("/tags")) {
		m := texts(tag, "name", "description")
		d.tags[m["name"]] = m["description"]
	}
	d.security = d.at("/security")
	servers := d.servers(d.at("/servers"))
	if server != "" {
		servers = d.servers(jsontext.Value(`[{"url":` + string(strictjson.Quote(server)) + `}]`))
	}
	d.Servers = servers.list
	if err := newReader(d).paths(d.at("/paths"), servers); err != nil {
		return nil, err
	}
	d.name()
	return d, nil
}

func (d *Document) readVersion() error {
	if old := d.at("/swagger"); old != nil {
		text, _ := strictjson.String(old)
		return fault.New(fault.Manifest, "version_unsupported", "the document is Swagger %q: agentctl reads OpenAPI 3.0 and 3.1", fault.Word(text)).
			WithHint("convert it, for example with npx swagger2openapi")
	}
	value := d.at("/openapi")
	if value == nil {
		return fault.New(fault.Manifest, "version_missing", `the document does not say its version, such as "openapi": "3.1.0": it is no OpenAPI document`)
	}
	var ok bool
	if d.version, ok = strictjson.String(value); !ok {
		d.version = string(value) // a number, as YAML makes of 3.0
	}
	minor, three := strings.CutPrefix(d.version, "3.")
	minor, _, _ = strings.Cut(minor, ".")
	if !three || minor == "" || strings.Trim(minor, "0123456789") != "" {
		return fault.New(fault.Manifest, "version_unsupported", "the version %q is not one that agentctl reads: OpenAPI 3.0 or 3.1", fault.Word(d.version))
	}
	if minor != "0" && minor != "1" {
		d.flaw(nil, &Error{CodeUnknown, "/openapi", "version " + fault.Word(d.version) + " is not known: what it adds to 3.1 is ignored"})
	}
	return nil
}

// isOld reports whether a version is 3.0, whose schemas are no JSON Schema.
func isOld(version string) bool { return strings.HasPrefix(version, "3.0") }

func (d *Document) readInfo(value jsontext.Value) {
	m := texts(value, "title", "description", "summary", "version")
	d.info = info{m["title"], m["description"], m["version"]}
	if m["summary"] != "" {
		d.info.description = m["summary"]
	}
}

// flaw records an issue of the document.
func (d *Document) flaw(command []string, e *Error) {
	switch {
	case len(d.issues) < MaxIssues:
		d.issues = append(d.issues, *e.issue(command))
	case len(d.issues) == MaxIssues:
		d.issues = append(d.issues, manifest.Issue{Code: "too_many_issues", Message: "more issues are not listed"})
	}
}

// texts returns some members of an object, those that are strings.
func texts(object jsontext.Value, names ...string) map[string]string {
	out := make(map[string]string, len(names))
	for name, value := range strictjson.SharedMembers(object) {
		for _, wanted := range names {
			if name == wanted {
				out[name], _ = strictjson.String(value)
			}
		}
	}
	return out
}
