package resource

import "github.com/agentctl/agentctl/internal/manifest/odp"

// Collection is a named set of Offerings (ODP-53).
type Collection struct {
	Head
	ParentIDs []string // nil in a full document makes it a root (ODP-54)

	// SearchCapabilities are where the filters and sorts are defined that its search has besides those of the Service (ODP-73).
	SearchCapabilities odp.Capabilities

	Issues []odp.Issue // what was left out, each with its place
}

func collectionDocument() document {
	return document{"the Collection", "collection_invalid", odp.ResourceLimits()}
}

// ParseCollection reads a document of the Service that holds one Collection. Its error is a [*fault.Error].
func ParseCollection(doc []byte, origin odp.Origin, r odp.Representation) (*Collection, error) {
	d := collectionDocument()
	c, err := d.decode(doc)
	if err != nil {
		return nil, err
	}
	collection := ReadCollection(c, Form{Representation: r, Origin: origin})
	if err := d.verdict(c); err != nil {
		return nil, err
	}
	return collection, nil
}

// ReadCollection reads a Collection. It means something only when the cursor holds no fault afterwards.
func ReadCollection(c *odp.Cursor, form Form) *Collection {
	collection := &Collection{Head: readHead(c, &form), ParentIDs: readIDs(c.Optional("parent_ids"))}
	if capabilities := c.Optional("search_capabilities"); capabilities != nil {
		collection.SearchCapabilities, collection.Issues = odp.ParseCapabilities(capabilities, form.Origin, form.minor)
	}
	return collection
}
