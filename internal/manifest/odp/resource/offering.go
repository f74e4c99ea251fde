package resource

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// Offering is something that a Service offers (ODP-58, ODP-59).
type Offering struct {
	Head
	CollectionIDs []string       // the Collections that it is a direct member of (ODP-56)
	Price         *Price         // nil when it has none, which is not free (ODP-91)
	SchemaURL     string         // a Resource Reference to the schema of its attributes
	Attributes    jsontext.Value // a JSON object as it came; nil when there is none
	Actions       []Action       // the usable ones; a terse Offering has none
	Issues        []odp.Issue    // what was left out, each with its place
}

func offeringDocument() document {
	return document{"the Offering", "offering_invalid", odp.ResourceLimits()}
}

// ParseOffering reads a document that holds one Offering. Its error is a [*fault.Error].
func ParseOffering(doc []byte, r odp.Representation) (*Offering, error) {
	d := offeringDocument()
	c, err := d.decode(doc)
	if err != nil {
		return nil, err
	}
	o := ReadOffering(c, Form{Representation: r})
	if err := d.verdict(c); err != nil {
		return nil, err
	}
	return o, nil
}

// ReadOffering reads an Offering. It means something only when the cursor holds no fault afterwards.
func ReadOffering(c *odp.Cursor, form Form) *Offering {
	o := &Offering{
		Head:          readHead(c, &form),
		CollectionIDs: readIDs(c.Optional("collection_ids")),
		SchemaURL:     ReadSchemaReference(c.Optional("schema")),
		Attributes:    readAttributes(c),
	}
	price := c.Optional("price")
	var supported bool
	if o.Price, supported = readPrice(price); !supported {
		scoped := price.Scope("price_unsupported")
		scoped.Fail("prices of the type %q are not known", o.Price.Type)
		o.Issues = append(o.Issues, *scoped.Issue())
	}
	if form.Representation == odp.Terse {
		c.Forbid("actions") // ODP-59
		return o
	}
	var issues []odp.Issue
	o.Actions, issues = ReadActions(c.Optional("actions"))
	o.Issues = append(o.Issues, issues...)
	return o
}

// ReadSchemaReference reads the place of a schema, which is a closed object with its address alone (ODP-82).
func ReadSchemaReference(c *odp.Cursor) string {
	if c == nil {
		return ""
	}
	c.Closed("url")
	return c.Member("url").Reference()
}

func readAttributes(c *odp.Cursor) jsontext.Value {
	attributes := c.Optional("attributes")
	switch {
	case attributes == nil || !attributes.Object():
		return nil
	case attributes.Len() == 0:
		attributes.Fail("must not be empty")
	case c.Optional("schema") == nil:
		attributes.Fail("needs the member \"schema\" beside it")
	}
	return attributes.Raw()
}

// Action returns the usable Action of that id. There is at most one (ODP-96).
func (o *Offering) Action(id string) (*Action, bool) {
	for i := range o.Actions {
		if o.Actions[i].ID == id {
			return &o.Actions[i], true
		}
	}
	return nil, false
}
