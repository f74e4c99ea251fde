// Package remote is an index in another program, agentctl-index, which is started when there is something to ask and ends
// with its standard input: SQLite would cost every start of agentctl 1.5 ms. The two talk in JSON, one request and one reply
// at a time.
package remote

import (
	"github.com/agentctl/agentctl/internal/companion"
	"github.com/agentctl/agentctl/internal/index"
)

// operation is what a request asks for.
type operation string

const (
	opPut     operation = "put"
	opRemove  operation = "remove"
	opSearch  operation = "search"
	opSites   operation = "sites"
	opStats   operation = "stats"
	opRebuild operation = "rebuild"
)

// request is one question; only the member that its operation needs is set.
type request struct {
	Op     operation    `json:"op"`
	Site   *index.Site  `json:"site,omitempty"`
	Origin string       `json:"origin,omitempty"`
	Query  *index.Query `json:"query,omitempty"`
}

// reply is the answer to one request. Without a failure the member of its operation counts.
type reply struct {
	Failure *companion.Failure `json:"failure,omitempty"`
	Notes   []string           `json:"notes,omitempty"` // for people
	Known   bool               `json:"known,omitempty"`
	Hits    []index.Hit        `json:"hits,omitempty"`
	Sites   []index.SiteInfo   `json:"sites,omitempty"`
	Stats   *index.Stats       `json:"stats,omitempty"`
	Rebuilt *Rebuilt           `json:"rebuilt,omitempty"`
}

// Rebuilt tells what became of an index that was made anew.
type Rebuilt struct {
	Where   string   `json:"where"`             // as in [index.Stats]
	Sites   int      `json:"sites"`             // in the new index
	Actions int      `json:"actions"`           // of them
	Lost    []string `json:"lost"`              // origins whose actions could not be read
	Problem string   `json:"problem,omitempty"` // why not all of the old index could be read
}
