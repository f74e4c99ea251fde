package odp

import (
	"strconv"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// Representation says how much of each item an answer holds.
type Representation string

// The representations. The zero value leaves the choice to the operation, see [Operation.Default].
const (
	Terse Representation = "terse"
	Full  Representation = "full"
)

// DefaultLimit is how many items of a page are asked for (ODP-47).
const DefaultLimit = 50

// View says how the items of an answer should come. The zero value is the operation's own choice.
type View struct {
	Representation Representation
	Limit          int // items of a page, 1 to 100; 0 does not ask
}

// URL returns the address of an operation (ODP-32): Service Origin, endpoint base and the operation's path, nothing
// encoded or decoded. The id is of a Collection or an Offering, and "" where the operation takes none. An operation that
// is not offered, and an id that cannot be one, are refused.
func (s *Service) URL(op Operation, id string) (string, error) {
	if err := s.Require(op); err != nil {
		return "", err
	}
	if op.TakesID() != (id != "") || op.TakesID() && !ValidID(id) {
		return "", fault.New(fault.Usage, "invalid_id", "%q: %q is no identifier of this Service", string(op), fault.Word(id))
	}
	base := strings.TrimSuffix(s.Base, "/")
	if bad := badURLText(base); bad != "" { // the grammar of ODP-26 allows a "%" that escapes nothing
		return "", fault.New(fault.Manifest, serviceCode, "%s cannot be used: %q has a %q that is no part of a URL", serviceName, "/http/endpoint_base", bad)
	}
	return string(s.Origin) + base + "/" + op.path(id), nil
}

// Address returns the URL of an operation with the query that asks for a view: the representation on all operations
// (ODP-35), the limit on lists that are fetched with GET (ODP-47); a search carries its limit in the body.
func (s *Service) Address(op Operation, id string, v View) (string, error) {
	address, err := s.URL(op, id)
	if err != nil {
		return "", err
	}
	if err := v.check(); err != nil {
		return "", err
	}
	separator := "?"
	if v.Representation != "" {
		address += separator + "representation=" + string(v.Representation)
		separator = "&"
	}
	if v.Limit != 0 && op.Lists() && op.Method() == "GET" {
		address += separator + "limit=" + strconv.Itoa(v.Limit)
	}
	return address, nil
}

func (v View) check() error {
	if v.Representation != "" && v.Representation != Terse && v.Representation != Full {
		return fault.New(fault.Usage, "invalid_representation", "%q: must be terse or full", string(v.Representation))
	}
	if !ValidLimit(v.Limit) && v.Limit != 0 {
		return fault.New(fault.Usage, "invalid_limit", "%d: a page has 1 to %d items", v.Limit, MaxPageItems)
	}
	return nil
}

// ValidLimit reports whether n items may be asked for at once (ODP-47).
func ValidLimit(n int) bool { return 1 <= n && n <= MaxPageItems }
