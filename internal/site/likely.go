package site

import (
	"context"
	"slices"

	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
)

// fetching is a document that is on its way.
type fetching struct {
	url  string
	stop context.CancelFunc
	done chan struct{} // closed when doc and err are set
	doc  *fetch.Document
	err  error
}

// fetchAhead starts fetching a detail file. It goes on when the step that ctx belongs to has ended, until stop.
func (f *Finder) fetchAhead(ctx context.Context, url string) *fetching {
	ahead := &fetching{url: url, done: make(chan struct{})}
	ctx, ahead.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(ahead.done)
		ahead.doc, ahead.err = f.Client.Document(ctx, url, interagentic.MaxDetailBytes)
	}()
	return ahead
}

// likelyCommand guesses which of the words are the command: up to the first that is a usual last word of one. Whatever
// follows it may be an argument, and with it a secret, so no other guess is worth its risk.
func likelyCommand(words []string) []string {
	for i, word := range words[:min(len(words), 4)] {
		if !manifest.ValidSegment(word) {
			break
		}
		if slices.Contains(usualVerbs(), word) {
			return words[:i+1]
		}
	}
	return nil
}

// usualVerbs are words that end a command in many an API.
func usualVerbs() []string {
	return []string{
		"add", "book", "buy", "cancel", "create", "delete", "find", "get", "info", "list", "ping", "query", "read", "remove", "search", "send",
		"set", "show", "start", "status", "stop", "submit", "update", "upload", "view",
	}
}
