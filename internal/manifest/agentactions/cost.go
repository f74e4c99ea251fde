package agentactions

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/manifest"
)

// cost reads what a call costs (AA-7).
func (r *record) cost(value jsontext.Value) *manifest.Cost {
	cost, issues := manifest.ReadCost(value)
	for _, issue := range issues {
		r.add(flaw, "/cost"+issue.Pointer, issue.Code, "%s", issue.Message)
	}
	return cost
}
