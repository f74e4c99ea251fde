package openapi

import standard "github.com/agentctl/agentctl/internal/manifest/openapi"

// dialectOK reports whether the document's schemas are in a dialect that is understood.
func (d *Document) dialectOK() bool {
	n := d.root.Member("jsonSchemaDialect")
	return n == nil || standard.KnownDialect(n)
}
