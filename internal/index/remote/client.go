package remote

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/agentctl/agentctl/internal/companion"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/index"
)

// endLimit is how long the program may take to end when it has nothing more to read.
const endLimit = 5 * time.Second

// Client is an [index.Index] in another program. The program is started with the first request.
type Client struct {
	// Limit is how long each request but Rebuild may take; 0 is no limit. A program that hangs must not hang whoever asks.
	Limit time.Duration

	program string
	dir     string
	note    func(string)

	mu      sync.Mutex // one request at a time
	process *process
}

var _ index.Index = (*Client)(nil)

// New returns a client for the index in a directory. program is the absolute path of agentctl-index, which is never looked up
// elsewhere; note is called with what a person should know, one line at a time.
func New(program, dir string, note func(string)) *Client {
	return &Client{program: program, dir: dir, note: note}
}

// Put adds a site or replaces it.
func (c *Client) Put(ctx context.Context, site index.Site) error {
	_, err := c.ask(ctx, request{Op: opPut, Site: &site})
	return err
}

// Remove forgets a site.
func (c *Client) Remove(ctx context.Context, origin string) (bool, error) {
	a, err := c.ask(ctx, request{Op: opRemove, Origin: origin})
	return a.Known, err
}

// Search returns what answers a query.
func (c *Client) Search(ctx context.Context, query index.Query) ([]index.Hit, error) {
	a, err := c.ask(ctx, request{Op: opSearch, Query: &query})
	return a.Hits, err
}

// Sites lists what is known.
func (c *Client) Sites(ctx context.Context) ([]index.SiteInfo, error) {
	a, err := c.ask(ctx, request{Op: opSites})
	return a.Sites, err
}

// Stats returns the figures of the whole index.
func (c *Client) Stats(ctx context.Context) (index.Stats, error) {
	a, err := c.ask(ctx, request{Op: opStats})
	if err != nil || a.Stats == nil {
		return index.Stats{}, err
	}
	return *a.Stats, nil
}

// Rebuild makes the index anew from what can be read of it. It is no part of [index.Index]: a database has its own ways.
func (c *Client) Rebuild(ctx context.Context) (Rebuilt, error) {
	a, err := c.ask(ctx, request{Op: opRebuild})
	if err != nil || a.Rebuilt == nil {
		return Rebuilt{}, err
	}
	return *a.Rebuilt, nil
}

// Close ends the program.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == nil {
		return nil
	}
	err := c.process.End(endLimit)
	c.process = nil
	return err
}

// ask sends one request and waits for its reply. When ctx or the time for it ends the program is killed: its index stays whole.
func (c *Client) ask(ctx context.Context, q request) (a reply, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return a, err
	}
	if c.Limit > 0 && q.Op != opRebuild {
		late := fault.New(fault.Internal, "index_timeout", "%s did not answer within %v", filepath.Base(c.program), c.Limit)
		limited, cancel := context.WithTimeoutCause(ctx, c.Limit, late)
		defer cancel()
		ctx = limited
	}
	if c.process == nil {
		if c.process, err = start(c.program, c.dir); err != nil {
			return a, err
		}
	}
	stop := context.AfterFunc(ctx, c.process.Kill)
	err = c.process.exchange(q, &a)
	if !stop() || err != nil { // killed, or no longer to be talked to
		c.process.Kill()
		failed := c.process.End(endLimit)
		c.process = nil
		switch {
		case errors.Is(ctx.Err(), context.Canceled):
			return a, context.Canceled // the cause is a signal, which says less
		case ctx.Err() != nil:
			return a, context.Cause(ctx)
		case err != nil:
			return a, fault.New(fault.Internal, "index_failed", "%s ended early: %w", filepath.Base(c.program), errors.Join(failed, err))
		}
	}
	for _, note := range a.Notes {
		c.note(note)
	}
	if a.Failure != nil {
		return a, a.Failure.Fault()
	}
	return a, nil
}

// process is the program while it runs.
type process struct {
	*companion.Process
	send   *json.Encoder
	answer *json.Decoder
}

func start(program, dir string) (*process, error) {
	p, err := companion.Start(program, "serve", dir)
	switch {
	case errors.Is(err, companion.ErrMissing):
		return nil, fault.New(fault.Internal, "index_missing", "the program agentctl-index, which keeps the index, is not beside agentctl").
			WithHint("install it in the directory of agentctl")
	case err != nil:
		return nil, fault.New(fault.Internal, "index_failed", "%w", err)
	}
	return &process{p, json.NewEncoder(p.In), json.NewDecoder(p.Out)}, nil
}

func (p *process) exchange(q request, a *reply) error {
	if err := p.send.Encode(q); err != nil {
		return err
	}
	return p.answer.Decode(a)
}
