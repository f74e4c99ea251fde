package odp

import (
	"net/http"

	"github.com/agentctl/agentctl/internal/fault"
)

// Operation is one of the seven things that a Service can be asked (section 4 of the sheet).
type Operation string

// The operations.
const (
	ListCollections         Operation = "list-collections"
	SearchCollections       Operation = "search-collections"
	GetCollection           Operation = "get-collection"
	ListCollectionOfferings Operation = "list-collection-offerings"
	ListOfferings           Operation = "list-offerings"
	SearchOfferings         Operation = "search-offerings"
	GetOffering             Operation = "get-offering"
)

// Advertised is an operation that a Service offers.
type Advertised struct {
	Name           Operation
	Authentication Authentication
}

// Authentication says whether one must sign in. It is advice: the live answer decides (ODP-31).
type Authentication string

// What an operation, a payment protocol or an Action may say about signing in. [OptionalAuthentication] works for
// anyone, and gives more to those who are signed in.
const (
	NoAuthentication       Authentication = "not-required"
	OptionalAuthentication Authentication = "optional"
	NeedsAuthentication    Authentication = "required"
)

// Method returns the HTTP method of an operation.
func (o Operation) Method() string {
	if o == SearchCollections || o == SearchOfferings {
		return http.MethodPost
	}
	return http.MethodGet
}

// OfCollections reports whether the operation gives Collections; all others give Offerings.
func (o Operation) OfCollections() bool {
	return o == ListCollections || o == SearchCollections || o == GetCollection
}

// Lists reports whether the answer is a page of items, not one resource.
func (o Operation) Lists() bool { return o != GetCollection && o != GetOffering }

// TakesID reports whether the operation is about one Collection or Offering.
func (o Operation) TakesID() bool { return o == ListCollectionOfferings || !o.Lists() }

// Default returns the representation that items come in when none is asked for.
func (o Operation) Default() Representation {
	if o.Lists() {
		return Terse
	}
	return Full
}

// path returns the path behind the endpoint base.
func (o Operation) path(id string) string {
	switch o {
	case ListCollections:
		return "collections"
	case SearchCollections:
		return "collections/search"
	case GetCollection:
		return "collections/" + id
	case ListCollectionOfferings:
		return "collections/" + id + "/offerings"
	case ListOfferings:
		return "offerings"
	case SearchOfferings:
		return "offerings/search"
	case GetOffering:
		return "offerings/" + id
	default:
		return ""
	}
}

// Operation returns what a Service says about an operation, or ok=false where it is not offered.
func (s *Service) Operation(name Operation) (a Advertised, ok bool) {
	for _, a := range s.Operations {
		if a.Name == name {
			return a, true
		}
	}
	return Advertised{}, false
}

// Require returns an error of kind [fault.Manifest] when an operation is not offered: it must not be called (ODP-33).
func (s *Service) Require(name Operation) error {
	if _, ok := s.Operation(name); !ok {
		return fault.New(fault.Manifest, "operation_not_offered", "%s does not offer %q", s.Origin, string(name))
	}
	return nil
}

// operations reads the operations (ODP-28).
func (p *serviceParser) operations(c *Cursor) []Advertised {
	var list []Advertised
	for _, item := range c.Elements(2, p.upTo(7)) {
		if a, ok := p.operation(item); ok {
			for _, other := range list {
				if other.Name == a.Name {
					item.Fail("is the second operation %q", string(a.Name))
				}
			}
			list = append(list, a)
		}
	}
	for _, needed := range []Operation{ListOfferings, GetOffering} {
		if _, ok := (&Service{Operations: list}).Operation(needed); !ok {
			c.Fail("must hold the operation %q", string(needed))
		}
	}
	return list
}

func (p *serviceParser) operation(c *Cursor) (a Advertised, ok bool) {
	p.closed(c, "name", "authentication")
	name, authentication := c.Member("name"), c.Member("authentication")
	if p.skips(name, operationNames()...) || p.skips(authentication, requirements()...) {
		return a, false
	}
	a.Name = Operation(name.OneOf(operationNames()...))
	a.Authentication = Authentication(authentication.OneOf(requirements()...))
	return a, true
}

func operationNames() []string {
	return []string{
		string(ListCollections), string(SearchCollections), string(GetCollection), string(ListCollectionOfferings),
		string(ListOfferings), string(SearchOfferings), string(GetOffering),
	}
}

func requirements() []string {
	return []string{string(NoAuthentication), string(OptionalAuthentication), string(NeedsAuthentication)}
}
