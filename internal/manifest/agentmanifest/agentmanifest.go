// Package agentmanifest reads what a site publishes in the format AgentManifest, version 0.1-draft: one manifest with its
// capabilities, each with the bindings by which it can be reached. It turns it into the common model, and a capability with
// arguments into one request where the binding says all that it takes.
//
// Whatever is wrong with one capability takes away that one, never the site. Nothing in a manifest lowers what is asked of
// a person: where it says two things, the stricter one counts. The rule numbers in this package (AM-1, AM-5, …) are those of
// the client rules for the format. What bindings to OpenAPI and MCP need beyond the manifest is left to others: a document
// to fetch, a server to talk to.
package agentmanifest

// Format is the name of the format.
const Format = "agent-manifest"

// Version is the only one that is read (AM-2).
const Version = "0.1-draft"

// MediaType is the one that the format proposes; "application/json" is as good (AM-1).
const MediaType = "application/agent-manifest+json"

// Limits of what is read. They are far beyond honest use; what is above them is refused whole, but for the parts of one
// capability, which is only unusable itself.
const (
	MaxBytes        = 8 << 20
	MaxCapabilities = 100_000
	MaxBindings     = 100    // of one capability
	MaxKnowledge    = 10_000 // sources
	MaxIssues       = 10_000 // kept of one document
)

// sharedPlace is where A2A publishes its cards too.
const sharedPlace = "/.well-known/agent.json"

// Places returns the paths where a manifest may be, in the order in which they are tried (AM-1). After them comes the
// address in the home page, see [Link].
func Places() []string {
	return []string{sharedPlace, "/.well-known/agent-manifest.json", "/agent-manifest.json"}
}
