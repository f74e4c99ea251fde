// Package resource reads what a Service of the Offering Discovery Protocol answers with: Collections, Offerings with their
// prices and Actions, pages of them, and Problem Details. It also holds the rules for walking through them. It is data and
// rules, without network, clock or terminal. An Action becomes a request by way of an [Invocation].
//
// Everything that is read comes from a stranger. A document that breaks a rule is refused whole, with an error that names
// the place; what spoils only a part (a price, an Action, one item of a page) becomes an issue (ODP-6, ODP-42).
//
// Rule numbers such as ODP-12 in comments are those of the project's requirement sheet for the protocol.
package resource

import (
	"errors"
	"slices"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

// Form is what a document is expected to be. The zero value is a full document of its own.
type Form struct {
	Representation odp.Representation // "" means full
	Item           bool               // of a page, where odp_version is not repeated (ODP-17)
	Origin         odp.Origin         // of the Service
	minor          int                // of the protocol version; of an item, that of its page
}

// Select returns the representation that a request gets: the one that its "representation" parameters ask for, which may
// come once, or else the default of the operation (ODP-35). ok is false for what is no such request.
func Select(operation odp.Operation, asked []string) (r odp.Representation, ok bool) {
	switch len(asked) {
	case 0:
		return operation.Default(), true
	case 1:
		r = odp.Representation(asked[0])
		return r, r == odp.Terse || r == odp.Full
	}
	return "", false
}

// Head is what Collections and Offerings have in common.
type Head struct {
	ID            string // unique among the Service's resources of its kind
	Name          string
	Description   string
	Images        []Image // the first one is the primary one
	Language      string  // "" when it is inherited from the answer around it (ODP-128)
	Localizations []string
	WebURL        string   // for people; never a way to the full form (ODP-41)
	AuthExpands   bool     // whoever signs in may see more (ODP-40)
	DetailFields  []string // what the full form has besides, as JSON Pointers; nil means nothing is claimed (ODP-39)
}

func readHead(c *odp.Cursor, form *Form) Head {
	if form.Item {
		c.Forbid("odp_version")
	} else {
		form.minor = odp.Minor(c.Member("odp_version").Version())
	}
	h := Head{
		ID:          c.Member("id").ID(),
		Name:        c.Member("name").Text(1, 128),
		Description: c.Optional("description").Text(1, 1024),
		Images:      readImages(c.Optional("images")),
		Language:    c.Optional("language").Tag(),
		WebURL:      c.Optional("web_url").Reference(),
		AuthExpands: c.Optional("auth_expands").True(),
	}
	h.Localizations = odp.Localizations(c.Optional("localizations"), h.Language)
	if form.Representation == odp.Terse {
		h.DetailFields = readDetailFields(c)
	} else {
		c.Forbid("detail_fields")
	}
	return h
}

// readIDs reads a list of identifiers, which is not empty and has none twice (ODP-54, ODP-58).
func readIDs(c *odp.Cursor) []string {
	if c == nil {
		return nil
	}
	ids := make([]string, 0, c.Len())
	var seen map[string]bool // made where looking through the list would take long
	if c.Len() > 16 {
		seen = make(map[string]bool, c.Len())
	}
	for _, element := range c.Elements(1, anyNumber) {
		id := element.ID()
		if seen[id] || seen == nil && slices.Contains(ids, id) {
			element.Fail("%q is there twice", id)
		}
		if seen != nil {
			seen[id] = true
		}
		ids = append(ids, id)
	}
	return ids
}

// anyNumber is for lists that nothing but the size of their document bounds.
const anyNumber = 1 << 30

// document is a document of its own: how it is called in errors, and the code that they have.
type document struct {
	name   string
	code   string
	limits odp.Limits
}

// decode reads the document. Its error is a [*fault.Error] of kind manifest, or unavailable for one beyond its limits
// (ODP-119).
func (d document) decode(doc []byte) (*odp.Cursor, error) {
	root, err := odp.Decode(doc, d.limits)
	if err == nil {
		return odp.NewCursor(root, d.code), nil
	}
	e := odp.Unreadable(d.code, d.name, err)
	if errors.Is(err, odp.ErrTooLarge) || errors.Is(err, odp.ErrTooDeep) {
		e.Kind, e.Code = fault.Unavailable, CodeLimitExceeded
	}
	return nil, e
}

// verdict returns the error that the cursor's fault is, or nil.
func (d document) verdict(c *odp.Cursor) error {
	if issue := c.Issue(); issue != nil {
		return odp.Refuse(d.code, d.name, issue)
	}
	return nil
}

// CodeLimitExceeded is the code of an answer that goes beyond what the protocol allows (ODP-119).
const CodeLimitExceeded = "RESPONSE_LIMIT_EXCEEDED"

// memberText returns a member that is a string, unjudged; "" for anything else.
func memberText(n *jsontree.Node, name string) string { return n.Member(name).Text() }
