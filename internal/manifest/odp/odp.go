// Package odp reads what a Service publishes by the Offering Discovery Protocol (version 1): its Service Document, its
// search capabilities, and the search requests that they allow. It is data and rules, without network, clock or terminal.
//
// The package also holds the primitives of the format: identifiers, references, versions, language tags, media types,
// limits, and the [Cursor] that reads a document and names the place of its first fault. Collections, Offerings, pages
// and Actions are read by the package resource, on top of them.
//
// Rule numbers such as ODP-12 in comments are those of the project's requirement sheet for the protocol.
package odp

import "github.com/agentctl/agentctl/internal/manifest"

// Format is the name of this format in [manifest.Site] and on the command line.
const Format = "odp"

// WellKnown is the path of the Service Document on its origin (ODP-22).
const WellKnown = "/.well-known/odp"

// Issue is a fault that takes away one part of a document: a price, an Action, a source of definitions.
type Issue = manifest.Issue
