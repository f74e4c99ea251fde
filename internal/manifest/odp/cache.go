package odp

import "time"

// Lifetimes of answers that say nothing about their freshness (ODP-125). Searches and OpenAPI documents have none.
const (
	ServiceLifetime    = 4 * time.Hour
	CollectionLifetime = time.Hour
	OfferingLifetime   = 5 * time.Minute
	SearchLifetime     = 0 // its continuations too
	DefinitionLifetime = time.Hour
	SchemaLifetime     = 24 * time.Hour
)

// ContinuationLifetime is how long a Service keeps the next page of a sequence within reach, at least.
const ContinuationLifetime = time.Hour

// Lifetime returns how long an answer to the operation, or to a continuation of it, may be used when it says nothing
// about that itself (ODP-125).
func (o Operation) Lifetime() time.Duration {
	switch o {
	case SearchCollections, SearchOfferings:
		return SearchLifetime
	case ListCollections, GetCollection:
		return CollectionLifetime
	default:
		return OfferingLifetime
	}
}
