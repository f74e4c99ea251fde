package site

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
	"github.com/agentctl/agentctl/internal/mcp"
)

// Finder opens sites: from what is known where that is fresh, from the network where it is not.
type Finder struct {
	Client  *fetch.Client
	Dir     string // where compiled trees are kept; "" keeps none
	Now     func() time.Time
	Refresh bool // ask for everything again
	Offline bool // ask for nothing
	Serial  bool // ask for one thing after the other: politeness where many sites are asked
	// Tool asks an MCP server for one of its tools, without a credential where anonymous says so. Nil: nothing speaks MCP.
	Tool func(ctx context.Context, server, name string, anonymous bool) (*mcp.Tool, error)
	// Described is the document that describes the site, where a person named one: nothing else is looked for then.
	Described *Described
	// Patience is how long formats may take once one has been found; 0 for 5 s. A slow one must not hold up the site.
	Patience time.Duration
}

// Site is what one origin publishes, opened for lookup. Close it after use.
type Site struct {
	Origin    Origin
	finder    *Finder
	tree      *tree
	file      *os.File // behind tree; nil when the tree is in memory
	view      string   // of the tree
	ahead     *fetching
	manifests []*manifest.Site
}

// Open discovers what an origin publishes. words are the words typed behind the site: as an action's detail file mirrors
// its command, the likely one is fetched beside the documents of discovery (without waiting for it) when these have to be
// fetched. Nothing that may be an argument is part of the guess.
func (f *Finder) Open(ctx context.Context, origin Origin, words []string) (*Site, error) {
	s := &Site{Origin: origin, finder: f}
	known, file := s.openFile()
	if known != nil && s.current(known) {
		s.use(known, file)
		return s, nil
	}
	if guess := likelyCommand(words); len(guess) > 0 && !f.Serial && f.Described == nil && mayPublish(known, interagentic.Format) {
		s.ahead = f.fetchAhead(ctx, string(origin)+interagentic.DetailPath(guess))
	}
	s.file = file
	if err := s.discover(ctx, known); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// current reports whether a tree may be used unasked: everything that it was made of is still fresh.
func (s *Site) current(t *tree) bool {
	all := s.finder.dialects()
	if len(t.header.Sources) != len(all) {
		return false
	}
	usable := false
	for i, d := range all {
		source := &t.header.Sources[i]
		if source.Format != d.format {
			return false
		}
		if source.Sum == "" {
			if (!d.last || !usable) && !s.finder.stillAbsent(t, &Source{Format: d.format}) {
				return false
			}
			continue
		}
		doc, ok := s.finder.peek(&d, source.URL)
		if !ok || doc.Sum != source.Sum {
			return false
		}
		source.Document = doc
		usable = usable || source.Usable()
	}
	return usable
}

// mayPublish reports whether a site may have a format, going by what was found before.
func mayPublish(known *tree, format string) bool {
	if known == nil {
		return true
	}
	for _, source := range known.header.Sources {
		if source.Format == format {
			return source.Sum != ""
		}
	}
	return true
}

// use takes a tree for what the site publishes. The file behind it is nil when it is in memory.
func (s *Site) use(t *tree, file *os.File) {
	if s.file != nil && s.file != file {
		_ = s.file.Close()
	}
	s.tree, s.file = t, file
}

// Close releases the file behind the site and gives up what is still being fetched.
func (s *Site) Close() {
	if s.ahead != nil {
		s.ahead.stop()
	}
	if s.file != nil {
		_ = s.file.Close()
	}
}

// Sources tells of every format that was looked for, in the order in which they win a clash.
func (s *Site) Sources() []Source { return s.tree.header.Sources }

// Source returns what is known of a format that the site publishes, and can be read; nil when there is none.
func (s *Site) Source(format string) *Source {
	for i := range s.tree.header.Sources {
		if source := &s.tree.header.Sources[i]; source.Format == format && source.Usable() {
			return source
		}
	}
	return nil
}

// Offers returns what is known of a format, as [Site.Source] does, unless the site was narrowed down to another one.
func (s *Site) Offers(format string) *Source {
	if !s.inView(format) {
		return nil
	}
	return s.Source(format)
}

func (s *Site) inView(format string) bool { return s.view == "" || s.view == format }

// Published returns what the site publishes, format by format, when that has just been read and not been known before;
// else nil.
func (s *Site) Published() []*manifest.Site {
	var list []*manifest.Site
	for _, m := range s.manifests {
		if m != nil {
			list = append(list, m)
		}
	}
	return list
}

// Select narrows the site down to one format. It fails when the site does not publish that one, or it cannot be read.
func (s *Site) Select(format string) error {
	if s.Source(format) == nil {
		for _, source := range s.Sources() {
			if source.Format == format && !source.absent() {
				return source.err()
			}
		}
		return fault.New(fault.Manifest, "format_not_published", "%s does not publish the format %q", s.Origin.Host(), format)
	}
	if s.usable() > 1 {
		s.view = format
	}
	return nil
}

func (s *Site) usable() int {
	n := 0
	for i := range s.Sources() {
		if s.Sources()[i].Usable() {
			n++
		}
	}
	return n
}

// Overview is what a site says of itself as a whole.
type Overview struct {
	Name        string
	Description string
}

// Overview returns what the formats in view say of the site; the earlier one goes before.
func (s *Site) Overview() Overview {
	var o Overview
	for _, source := range s.Sources() {
		if source.Usable() && s.inView(source.Format) {
			o.Name, o.Description = cmp.Or(o.Name, source.Name), cmp.Or(o.Description, source.Description)
		}
	}
	return o
}

// Cached reports whether all that is known of the site was used unasked, so that it may have changed since.
func (s *Site) Cached() bool {
	for i := range s.Sources() {
		if source := &s.Sources()[i]; source.Usable() && source.Document.State != fetch.CacheHit {
			return false
		}
	}
	return true
}

// Find returns the node of a command, or nil when the site has none of that name.
func (s *Site) Find(ctx context.Context, command []string) (n *Node, err error) {
	err = s.read(ctx, func() error { n, err = s.tree.find(s.view, command); return err })
	return n, err
}

// Children lists what is directly below a node, in order of its words.
func (s *Site) Children(ctx context.Context, n *Node) (list []Entry, err error) {
	err = s.read(ctx, func() error { list, err = s.tree.children(n); return err })
	return list, err
}

// Issues lists what was found wrong in a format.
func (s *Site) Issues(ctx context.Context, format string) (list []manifest.Issue, err error) {
	err = s.read(ctx, func() error {
		if source := s.Source(format); source != nil {
			list, err = s.tree.issues(source)
		}
		return err
	})
	return list, err
}

// Flows lists the sequences of actions that the site publishes.
func (s *Site) Flows(ctx context.Context) (list []manifest.Flow, err error) {
	err = s.read(ctx, func() error {
		list = nil
		for i := range s.Sources() {
			source := &s.Sources()[i]
			if !source.Usable() || !s.inView(source.Format) {
				continue
			}
			more, err := s.tree.flows(source)
			if err != nil {
				return err
			}
			list = append(list, more...)
		}
		return nil
	})
	return list, err
}

// read runs a lookup, and runs it once more on a tree made anew if the one on disk turns out to be damaged.
func (s *Site) read(ctx context.Context, lookup func() error) error {
	err := lookup()
	if !errors.Is(err, errDamaged) || s.file == nil {
		return err
	}
	if err := s.discover(ctx, nil); err != nil {
		return err
	}
	return lookup()
}

// hostname is the host without its port.
func (o Origin) hostname() string {
	host := o.Host()
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	return host
}

// Sum identifies all that the site publishes: another one means that something changed.
func (s *Site) Sum() string {
	var sums []string
	for _, source := range s.Sources() {
		sums = append(sums, source.Format, source.Sum)
	}
	return strings.Join(sums, " ")
}

// Description returns the document of a format that the site publishes, out of the cache where it is there. Nil means that
// the site does not publish the format, or that it cannot be read.
func (s *Site) Description(ctx context.Context, format string) (*fetch.Document, error) {
	source := s.Source(format)
	if source == nil {
		return nil, nil
	}
	for _, d := range s.finder.dialects() {
		if d.format == format {
			return s.finder.get(ctx, &d, source.URL)
		}
	}
	return nil, nil
}
