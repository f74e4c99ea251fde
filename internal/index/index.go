// Package index remembers what sites offer, so that an action can be found without knowing its site (AA-18). It holds the
// words that every index speaks: [Index] is small enough for a shared database to be another one (AA-19).
//
// internal/index/sqlite keeps one in a file. It is linked by agentctl-index alone; agentctl reaches it through
// internal/index/remote, and hands over what calls happen to see through internal/index/spool.
package index

import (
	"context"
	"time"

	"github.com/agentctl/agentctl/internal/manifest"
)

// Index knows sites and finds their actions. Its methods may be called by several goroutines. Errors that a user will see
// are of type *fault.Error.
type Index interface {
	// Put adds a site, or replaces what is known of it. What is beyond the limits of [Site.Bounded] is cut off.
	Put(ctx context.Context, site Site) error
	// Remove forgets a site and tells whether it was known.
	Remove(ctx context.Context, origin string) (bool, error)
	// Search returns the actions that answer a query, best first.
	Search(ctx context.Context, query Query) ([]Hit, error)
	// Sites lists what is known, in the order of the origins.
	Sites(ctx context.Context) ([]SiteInfo, error)
	Stats(ctx context.Context) (Stats, error)
	Close() error
}

// Site is what one origin publishes, in all of its formats.
type Site struct {
	Origin      string    `json:"origin"` // "https://popcorn.club"
	Name        string    `json:"name,omitempty"`
	Description string    `json:"description,omitempty"`
	Formats     []string  `json:"formats,omitempty"`
	Actions     []Action  `json:"actions"`
	Sum         string    `json:"sum,omitempty"` // of the documents that it was made from
	Seen        time.Time `json:"seen"`          // when the site was last asked
}

// Action is as much of an action as helps to choose it. Texts are as published; whoever prints them cleans them.
type Action struct {
	Command     []string        `json:"command"`
	Format      string          `json:"format,omitempty"`
	Description string          `json:"description,omitempty"`
	Effect      manifest.Effect `json:"effect,omitempty"`
	Cost        string          `json:"cost,omitempty"`     // for people: "4.50 EUR"
	Scope       string          `json:"scope,omitempty"`    // that a grant needs
	Params      []string        `json:"params,omitempty"`   // names
	Unusable    bool            `json:"unusable,omitempty"` // counted, never found
}

// Query asks for actions.
type Query struct {
	Text   string          `json:"text"`             // as a person types it; nothing in it has a special meaning
	Effect manifest.Effect `json:"effect,omitempty"` // only these; "" for all
	Origin string          `json:"origin,omitempty"` // only this site; "" for all
	Limit  int             `json:"limit,omitempty"`  // 0 means [DefaultLimit]; at most [MaxLimit]
}

// How many hits a query gets.
const (
	DefaultLimit = 10
	MaxLimit     = 1000
)

// Hit is an action that answers a query.
type Hit struct {
	Origin string `json:"origin"`
	Site   string `json:"site,omitempty"` // its name, as published
	Action
	Score float64 `json:"score"` // higher is better; comparable within one answer only
}

// SiteInfo is what is known of a site without its actions.
type SiteInfo struct {
	Origin   string    `json:"origin"`
	Name     string    `json:"name,omitempty"`
	Formats  []string  `json:"formats,omitempty"`
	Actions  int       `json:"actions"`  // that can be found
	Unusable int       `json:"unusable"` // that cannot be used
	Sum      string    `json:"sum,omitempty"`
	Seen     time.Time `json:"seen"`
}

// Stats are the figures of a whole index.
type Stats struct {
	Where    string    `json:"where"` // for people: a file, or the name of a database
	Sites    int       `json:"sites"`
	Actions  int       `json:"actions"`
	Unusable int       `json:"unusable"`
	Bytes    int64     `json:"bytes"`
	Oldest   time.Time `json:"oldest,omitzero"` // when the site that was not asked for the longest time was last asked
	Newest   time.Time `json:"newest,omitzero"`
}
