package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/interagentic"
)

// Finder opens sites: from what is known where that is fresh, from the network where it is not.
type Finder struct {
	Client *fetch.Client
	Dir    string // where compiled trees are kept; "" keeps none
}

// Site is what one origin publishes, opened for lookup. Close it after use.
type Site struct {
	Origin Origin
	Index  fetch.Document // where the index came from and how fresh it is; its Body may be absent
	finder *Finder
	tree   *tree
	file   *os.File // behind tree; nil when the tree is in memory
	ahead  *fetching
}

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

// Open discovers what an origin publishes. words are the words typed behind the site: as an action's detail file mirrors
// its command, the likely one is fetched beside the index (without waiting for it) when the index has to be fetched.
// Nothing that may be an argument is part of the guess.
func (f *Finder) Open(ctx context.Context, origin Origin, words []string) (*Site, error) {
	s := &Site{Origin: origin, finder: f}
	indexURL := string(origin) + interagentic.IndexPath
	if known, ok := f.Client.Peek(indexURL); ok {
		if s.Index = known; s.openFile(known.Sum) {
			return s, nil
		}
	}
	if guess := likelyCommand(words); len(guess) > 0 {
		s.ahead = f.fetchAhead(ctx, string(origin)+interagentic.DetailPath(guess))
	}
	if err := s.discover(ctx, indexURL); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// discover fetches or revalidates the index, and compiles it unless what was compiled before still holds.
func (s *Site) discover(ctx context.Context, indexURL string) error {
	doc, err := s.finder.Client.Document(ctx, indexURL, interagentic.MaxIndexBytes)
	if err != nil {
		return err
	}
	if err := published(doc, s.Origin); err != nil {
		return err
	}
	s.Index = *doc
	if s.openFile(doc.Sum) {
		return nil
	}
	return s.compile(doc)
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

// published tells whether the answer is an index at all (IA-3).
func published(doc *fetch.Document, origin Origin) error {
	nothing := func(code, format string, args ...any) error {
		return &fault.Error{
			Kind: fault.Manifest, Code: code, Status: doc.Status,
			Message: fault.New(fault.Manifest, "", format, args...).Message,
		}
	}
	switch {
	case doc.Status == http.StatusNotFound || doc.Status == http.StatusGone:
		return nothing("not_published", "%s publishes nothing for agents (%s: %d)", origin.Host(), doc.URL, doc.Status)
	case doc.Status == http.StatusTooManyRequests || doc.Status >= 500:
		return &fault.Error{Kind: fault.Unavailable, Code: "site_unavailable", Status: doc.Status, Message: doc.URL + " answered " + statusText(doc.Status)}
	case doc.Status != http.StatusOK:
		return nothing("not_published", "%s answered %s", doc.URL, statusText(doc.Status))
	}
	mediaType, _, _ := mime.ParseMediaType(doc.ContentType)
	switch {
	case mediaType == "text/html" || mediaType == "application/xhtml+xml":
		return nothing("not_published", "%s publishes nothing for agents (%s is a web page)", origin.Host(), doc.URL)
	case mediaType != "application/json" && !strings.HasSuffix(mediaType, "+json"):
		return nothing("wrong_media_type", "%s has the media type %q, not application/json", doc.URL, doc.ContentType)
	}
	return nil
}

func statusText(status int) string {
	return strings.TrimSpace(http.StatusText(status) + " (" + strconv.Itoa(status) + ")")
}

// treePath is where the compiled tree of the origin is kept, or "" for nowhere.
func (s *Site) treePath() string {
	if s.finder.Dir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s.Origin))
	name := strings.Map(func(r rune) rune {
		if r == ':' || r == '[' || r == ']' {
			return '_'
		}
		return r
	}, s.Origin.Host())
	return filepath.Join(s.finder.Dir, name[:min(len(name), 100)]+"-"+hex.EncodeToString(sum[:8])+".tree")
}

// openFile opens the compiled tree on disk if it was made from the document with that sum.
func (s *Site) openFile(source string) bool {
	path := s.treePath()
	if path == "" {
		return false
	}
	file, err := atomicfile.Open(path)
	if err != nil {
		return false
	}
	t, err := openTree(file)
	if err != nil || t.header.Source != source {
		_ = file.Close()
		return false
	}
	s.tree, s.file = t, file
	return true
}

// compile parses the index, makes its tree and keeps it. A tree that cannot be kept (a full disk) is used all the same.
func (s *Site) compile(doc *fetch.Document) error {
	m, err := interagentic.ParseIndex(doc.Body)
	if err != nil {
		e := *fault.From(err)
		e.Message = doc.URL + ": " + e.Error()
		return &e
	}
	compiled, err := compileTree(m, doc.Sum)
	if err != nil {
		return err
	}
	if path := s.treePath(); path != "" && doc.Kept {
		sweepTrees(s.finder.Dir)
		_ = atomicfile.WriteCache(path, compiled)
	}
	s.tree, err = openTree(bytes.NewReader(compiled))
	return err
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

// Overview is what an index says of its site as a whole.
type Overview struct {
	Format      string
	Name        string
	Description string
	Version     string
	Actions     int // all of them
	Unusable    int // those that cannot be used
}

// Overview returns what the index says of the site as a whole.
func (s *Site) Overview() Overview {
	h := &s.tree.header
	return Overview{h.Format, h.Name, h.Description, h.Version, h.Actions, h.Unusable}
}

// Find returns the node of a command, or nil when the site has none of that name.
func (s *Site) Find(ctx context.Context, command []string) (n *Node, err error) {
	err = s.read(ctx, func() error { n, err = s.tree.find(command); return err })
	return n, err
}

// Children lists what is directly below a node, in order of its words.
func (s *Site) Children(ctx context.Context, n *Node) (list []Entry, err error) {
	err = s.read(ctx, func() error { list, err = s.tree.children(n); return err })
	return list, err
}

// Issues lists what was found wrong in the index.
func (s *Site) Issues(ctx context.Context) (list []manifest.Issue, err error) {
	err = s.read(ctx, func() error { list, err = s.tree.issues(); return err })
	return list, err
}

// read runs a lookup, and runs it once more on a tree made anew if the one on disk turns out to be damaged.
func (s *Site) read(ctx context.Context, lookup func() error) error {
	err := lookup()
	if !errors.Is(err, errDamaged) || s.file == nil {
		return err
	}
	_ = s.file.Close()
	s.file = nil
	doc, err := s.finder.Client.Document(ctx, string(s.Origin)+interagentic.IndexPath, interagentic.MaxIndexBytes)
	if err != nil {
		return err
	}
	if err := s.compile(doc); err != nil {
		return err
	}
	return lookup()
}

// Action is one action in full, ready to be turned into a request.
type Action struct {
	manifest.Action
	Detail fetch.Document // where the detail came from
	parsed *interagentic.Action
	origin Origin
}

// Action loads the action of a node. Its faults are of kind [fault.Manifest].
func (s *Site) Action(ctx context.Context, n *Node) (*Action, error) {
	if issue := n.Action.Issue; issue != nil {
		return nil, fault.New(fault.Manifest, issue.Code, "%s", issue.Message)
	}
	doc, err := s.detail(ctx, string(s.Origin)+interagentic.DetailPath(n.Command))
	if err != nil {
		return nil, err
	}
	if err := published(doc, s.Origin); err != nil {
		if e := fault.From(err); e.Kind == fault.Manifest {
			e.Code, e.Message = "detail_missing", "its description is missing at "+doc.URL
		}
		return nil, err
	}
	parsed, err := interagentic.ParseDetail(doc.Body, *n.Action, s.tree.header.BaseURL)
	if err != nil {
		return nil, err
	}
	return &Action{Action: parsed.Action, Detail: *doc, parsed: parsed, origin: s.Origin}, nil
}

// detail fetches a detail file, or waits for the one that was asked for ahead.
func (s *Site) detail(ctx context.Context, url string) (*fetch.Document, error) {
	if s.ahead != nil && s.ahead.url == url {
		select {
		case <-s.ahead.done:
			if s.ahead.err == nil {
				return s.ahead.doc, nil
			}
		case <-ctx.Done(): // the client makes the error of it
		}
	}
	return s.finder.Client.Document(ctx, url, interagentic.MaxDetailBytes)
}

// Request renders the action with checked arguments. upload is the value made from --file, or nil; human asks for the
// form for people. The problems are values that must not go where the action puts them.
func (a *Action) Request(values *manifest.Values, upload jsontext.Value, human bool) (*call.Request, []fault.Problem) {
	return a.parsed.Request(string(a.origin), values, upload, human)
}
