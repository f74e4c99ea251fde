package cli

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// Limits of a list that is followed from page to page.
const (
	maxPages     = 1000
	maxPagesSize = 256 << 20 // bytes of all pages
)

// allPages gets a list from its first page to its last (RFC 8288, "next"), and prints it as one array: of the items where
// pages are arrays, else of the pages. The time limit holds for each page. It is printed whole or not at all.
func (a *published) allPages(ctx context.Context, c *call.Call, output render.Options) error {
	pages := pageReader{seen: map[string]bool{c.URL: true}}
	for {
		next := ""
		if err := a.exchange(ctx, c, func(_ context.Context, result *call.Result) error {
			next = result.Next
			return pages.read(result)
		}); err != nil {
			return pages.failed(err)
		}
		if next == "" {
			return a.showAll(ctx, pages.array(), output)
		}
		if err := pages.follow(c.URL, next); err != nil {
			return err
		}
		request := *c.Request
		request.URL, request.Body = next, nil
		c = &call.Call{Request: &request, Origin: c.Origin, Command: c.Command, Fields: c.Fields, MaxBytes: c.MaxBytes}
		a.conn.limit.renew()
	}
}

func (a *published) showAll(ctx context.Context, list []byte, output render.Options) error {
	if a.Save != "" {
		return render.Save(ctx, a.Streams, render.JSONBody(append(list, '\n')), a.Save, a.Quiet)
	}
	return a.showBody(ctx, "application/json", list, output)
}

// pageReader puts pages together.
type pageReader struct {
	seen  map[string]bool
	count int
	items []byte // each behind a comma
	whole bool   // pages are items themselves
}

func (p *pageReader) read(result *call.Result) error {
	body, err := result.Content()
	if err != nil {
		return err
	}
	if err := strictjson.Check(body); err != nil {
		return fault.New(fault.Rejected, "not_json", "page %d is not JSON: --all is for lists in JSON: %w", p.count+1, err)
	}
	if p.count++; p.count == 1 {
		p.whole = jsontext.Value(body).Kind() != '['
	}
	if p.whole {
		p.add(strictjson.Compact(body))
		return p.bounded()
	}
	for _, item := range strictjson.Elements(body) {
		p.add(strictjson.Compact(item))
	}
	return p.bounded()
}

func (p *pageReader) add(item jsontext.Value) { p.items = append(append(p.items, ','), item...) }

func (p *pageReader) bounded() error {
	if len(p.items) > maxPagesSize {
		return fault.New(fault.Unavailable, "too_large", "the list is larger than %d MiB", maxPagesSize>>20)
	}
	return nil
}

// follow judges the address of the next page: on the same origin, where the credential may go, and none that was read before.
func (p *pageReader) follow(from, next string) error {
	switch {
	case fetch.SameOriginRedirect(from, next) != nil:
		return fault.New(fault.Unavailable, "page_elsewhere", "page %d is said to be at another origin, %s", p.count+1, next)
	case p.seen[next]:
		return fault.New(fault.Unavailable, "pages_loop", "page %d is one that was read before: the list never ends", p.count+1)
	case p.count == maxPages:
		return fault.New(fault.Unavailable, "too_many_pages", "the list has more than %d pages", maxPages)
	}
	p.seen[next] = true
	return nil
}

// failed says which page a list broke off at.
func (p *pageReader) failed(err error) error {
	if p.count == 0 {
		return err
	}
	e := *fault.From(err)
	if e.Kind != fault.Auth && e.Kind != fault.Payment && e.Kind != fault.Interrupted {
		e.Kind = fault.Unavailable
	}
	e.Message = fmt.Sprintf("the list broke off behind page %d: %s", p.count, e.Error())
	return &e
}

// array is everything that was read.
func (p *pageReader) array() []byte {
	if len(p.items) == 0 {
		return []byte("[]")
	}
	p.items[0] = '['
	return append(p.items, ']')
}
