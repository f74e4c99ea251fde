package odp

// Limits bound one document: its bytes after content coding is undone (ODP-1), and its depth, where every value counts,
// scalars too (ODP-2).
type Limits struct{ Bytes, Depth int }

// RequestLimits bound a body that is sent (ODP-62).
func RequestLimits() Limits { return Limits{65_536, 16} }

// ServiceLimits bound a Service Document (ODP-24).
func ServiceLimits() Limits { return Limits{65_536, 8} }

// ResourceLimits bound one Collection, one Offering, and one page of a list, a search or a source of definitions.
func ResourceLimits() Limits { return Limits{524_288, 16} }

// ProblemLimits bound a Problem Details document (ODP-114).
func ProblemLimits() Limits { return Limits{16_384, 16} }

// SchemaLimits bound one schema document (ODP-84).
func SchemaLimits() Limits { return Limits{262_144, 16} }

// SchemaGraphBytes bounds all documents of a schema together.
const SchemaGraphBytes = 1_048_576

// OpenAPILimits bound an OpenAPI document (ODP-107).
func OpenAPILimits() Limits { return Limits{1_048_576, 32} }

// BrandingBytes bounds a branding image (ODP-113).
const BrandingBytes = 1_048_576

// Counts that bound work on one Service (ODP-120).
const (
	MaxPageItems       = 100 // of one page
	MaxSourcePages     = 16  // of one linked source of definitions
	MaxSchemaDocuments = 16  // of one schema graph
	MaxSchemaDepth     = 8   // levels of references in a schema graph
	MaxRedirects       = 5   // of one resource
	MaxActions         = 16  // of one Offering
	MaxHierarchyEdges  = 32  // followed upwards or downwards from one Collection
)
