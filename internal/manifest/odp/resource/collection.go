package resource

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// Collection is a named set of Offerings (ODP-53).
type Collection struct {
	Head
	ParentIDs []string // nil in a full document makes it a root (ODP-54)

	// SearchCapabilities are the definitions of filters and sorts that its search has besides those of the Service, as they
	// came; nil when there are none (ODP-73).
	SearchCapabilities jsontext.Value
}

// ParseCollection reads a document that holds one Collection. Its error is a [*fault.Error].
func ParseCollection(doc []byte, r Representation) (*Collection, error) {
	c, err := decode(doc, odp.ResourceLimits(), "collection_invalid")
	if err != nil {
		return nil, err
	}
	collection := ReadCollection(c, FormOf(r))
	if issue := c.Issue(); issue != nil {
		return nil, refuse(issue)
	}
	return collection, nil
}

// ReadCollection reads a Collection. It means something only when the cursor holds no fault afterwards.
func ReadCollection(c *odp.Cursor, form Form) *Collection {
	collection := &Collection{Head: readHead(c, form), ParentIDs: readIDs(c.Optional("parent_ids"))}
	if capabilities := c.Optional("search_capabilities"); capabilities != nil && capabilities.Object() {
		collection.SearchCapabilities = capabilities.Raw()
	}
	return collection
}
