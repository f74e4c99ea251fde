package site

import (
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
)

// Source is what is known of one format at a site.
type Source struct {
	Format string `json:"format"`
	URL    string `json:"url"`
	// Sum identifies the document that was read; "" when there is none. It may be there and be unusable: see Trouble.
	Sum string `json:"sum,omitempty"`
	// Trouble is why the format is of no use; nil when it is.
	Trouble *Trouble `json:"trouble,omitempty"`
	// Until is when a format without a document is looked for again.
	Until time.Time `json:"until,omitzero"`

	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Version     string          `json:"version,omitempty"`
	BaseURL     string          `json:"base_url,omitempty"`
	Actions     int             `json:"actions,omitempty"`  // all of them
	Unusable    int             `json:"unusable,omitempty"` // those that cannot be used
	Links       []manifest.Link `json:"links,omitempty"`
	Issues      place           `json:"issues,omitzero"`
	Flows       place           `json:"flows,omitzero"`

	Document fetch.Document `json:"-"` // where it came from and how fresh it is; its Body may be absent
	failure  *fault.Error   // what Trouble tells of, in full, where that is of this run
}

// Trouble is a failure that is remembered.
type Trouble struct {
	Kind    fault.Kind `json:"kind"`
	Code    string     `json:"code"`
	Message string     `json:"message"`
	Status  int        `json:"status,omitempty"`
}

// Usable reports whether the format is published and can be read.
func (s *Source) Usable() bool { return s.Sum != "" && s.Trouble == nil }

// absent reports whether the format is simply not published, which is no trouble to anyone.
func (s *Source) absent() bool { return s.Trouble != nil && s.Trouble.Code == codeNotPublished }

// fail notes why the format is of no use.
func (s *Source) fail(err error) {
	s.failure = fault.From(err)
	s.Trouble = &Trouble{Kind: s.failure.Kind, Code: s.failure.Code, Message: s.failure.Error(), Status: s.failure.Status}
}

// err is why the format is of no use.
func (s *Source) err() *fault.Error {
	if s.failure != nil {
		return s.failure
	}
	return &fault.Error{Kind: s.Trouble.Kind, Code: s.Trouble.Code, Message: s.Trouble.Message, Status: s.Trouble.Status}
}

// Failure is why a format that may well be published is of no use; nil when it is usable, or simply not there.
func (s *Source) Failure() *Trouble {
	if s.Usable() || s.absent() {
		return nil
	}
	return s.Trouble
}
