package odp

// Resource says what an identifier names. The same identifier may name one of each (ODP-11).
type Resource string

// The kinds of resources that have an identity.
const (
	Collection Resource = "collection"
	Offering   Resource = "offering"
)

// Identity tells a resource from every other one on the net; two are the same if and only if they are equal with ==.
type Identity struct {
	Service Origin   `json:"service"`
	Type    Resource `json:"type"`
	ID      string   `json:"id"`
}
