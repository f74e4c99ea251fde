// Package interagentic reads what a site publishes in the format "Interagentic services", version 1: an index of actions
// and one detail file for each. It turns them into the common model, and a detail with arguments into one request.
//
// Whatever is wrong in a file takes away at most what it belongs to: a bad action never takes the site away. The rule
// numbers in this package (IA-1, T-4, F-1, R-3, …) are those of the client rules for the format. A null member counts as
// absent everywhere.
package interagentic

import "strings"

// Format is the name of the format.
const Format = "interagentic"

// IndexPath is where the index is published (IA-1).
const IndexPath = "/.well-known/interagentic/services.json"

// Limits of what is read. They are far beyond honest use; what is above them is refused whole.
const (
	MaxIndexBytes  = 32 << 20
	MaxDetailBytes = 1 << 20
	MaxActions     = 100_000
	MaxGroups      = 100_000
	MaxSegments    = 16     // words of one command
	MaxParams      = 500    // of one action
	MaxNameBytes   = 128    // of one parameter's name
	MaxTemplates   = 1000   // of one action
	MaxIssues      = 10_000 // kept of one document
)

// DetailPath is where the detail file of a command is published: one directory for each word (IA-1).
func DetailPath(command []string) string {
	return "/.well-known/interagentic/services/" + strings.Join(command, "/") + ".json"
}
