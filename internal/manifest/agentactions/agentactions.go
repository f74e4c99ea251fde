// Package agentactions reads what a site publishes in the format "agent-actions", version 0.1: one manifest with all
// actions and flows. It turns it into the common model, and an action with arguments into one request.
//
// Whatever is wrong with one action or flow takes away that one, never the site. The rule numbers in this package (AA-1,
// AA-5, …) are those of the client rules for the format. A null member counts as absent everywhere, but within "input" and
// "with". How the errors of the format read (AA-10) is known to internal/call, which sees the answers.
package agentactions

// Format is the name of the format.
const Format = "agent-actions"

// Path is where the manifest is published (AA-1).
const Path = "/.well-known/agent-actions.json"

// Limits of what is read. They are far beyond honest use; what is above them is refused whole, but for a flow of too many
// steps, which is only unusable itself.
const (
	MaxBytes     = 8 << 20
	MaxActions   = 100_000
	MaxFlows     = 1000
	MaxSteps     = 100    // of one flow
	MaxEndpoints = 1000   // of the site
	MaxIssues    = 10_000 // kept of one document
)
