package odpclient

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

func ignore(resource.Item[*resource.Offering]) error { return nil }

// search is a search by a word.
func (s *shed) search(ctx context.Context) error {
	_, err := s.SearchOfferings(ctx, odp.OfferingSearch{Query: "x"}, odp.Merge(), Wanted{}, ignore)
	return err
}

// Who asks depends on what the Service says of the operation (ODP-28).
func TestWhoAsks(t *testing.T) {
	for name, test := range map[string]struct {
		ask   func(*shed) error
		needs odp.Authentication // what the credential is asked for by; "" where it is not
	}{
		"one that needs nothing": {func(s *shed) error { _, err := s.Offerings(t.Context(), "", Wanted{}, ignore); return err }, ""},
		"one that gives more":    {func(s *shed) error { _, _, err := s.Offering(t.Context(), "drill"); return err }, odp.OptionalAuthentication},
		"one that needs it":      {func(s *shed) error { return s.search(t.Context()) }, odp.NeedsAuthentication},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShed(t, map[string][]answer{
				list: once(page("")), list + "/search": once(page("")), list + "/drill": once(answer{body: `{"odp_version":"1.0","id":"drill","name":"Drill"}`}),
			}, nil)
			var needs odp.Authentication
			s.Credential = func(_ context.Context, need odp.Authentication) (authorization, account string, err error) {
				needs = need
				return "Bearer secret", "somebody", nil
			}
			if err := test.ask(s); err != nil || needs != test.needs || (s.log[0].header.Get("Authorization") != "") != (test.needs != "") {
				t.Errorf("needs %q, %v: %v", needs, s.log, err)
			}
			missing := fault.New(fault.Auth, "credential_missing", "none")
			s.Credential = func(context.Context, odp.Authentication) (authorization, account string, err error) {
				return "", "", missing
			}
			s.log = nil
			if err := test.ask(s); (err != nil) != (test.needs != "") || err != nil && len(s.log) > 0 {
				t.Errorf("without a credential: %v\n%s", err, s.lines())
			}
		})
	}
}

// Nothing is asked for that the Service does not offer, or by an id that cannot be one (ODP-10, ODP-33).
func TestWhatIsNeverAsked(t *testing.T) {
	s := openShed(t, nil, nil)
	for name, ask := range map[string]func() error{
		"an operation": func() error {
			_, err := s.SearchCollections(t.Context(), odp.CollectionSearch{Query: "x"}, Wanted{}, nil)
			return err
		},
		"an id":        func() error { _, _, err := s.Offering(t.Context(), "a/b"); return err },
		"the parent":   func() error { _, _, err := s.Offering(t.Context(), ".."); return err },
		"a Collection": func() error { _, err := s.Offerings(t.Context(), "a?b", Wanted{}, nil); return err },
		"an empty search": func() error {
			_, err := s.SearchOfferings(t.Context(), odp.OfferingSearch{}, odp.Merge(), Wanted{}, nil)
			return err
		},
	} {
		if err := ask(); err == nil || fault.From(err).Kind != fault.Usage && fault.From(err).Code != "operation_not_offered" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.log) > 0 {
		t.Errorf("asked\n%s", s.lines())
	}
}

func TestAnswersAboutSomethingElse(t *testing.T) {
	s := openShed(t, map[string][]answer{
		list + "/drill":           once(answer{body: `{"odp_version":"1.0","id":"Drill","name":"Drill"}`}),
		"/shed/collections/tools": once(answer{body: `{"odp_version":"1.0","id":"drill","name":"Drill"}`}),
	}, nil)
	_, _, offering := s.Offering(t.Context(), "drill")
	_, _, collection := s.Collection(t.Context(), "tools")
	for _, err := range []error{offering, collection} {
		if e := fault.From(err); err == nil || e.Code != "wrong_resource" || e.Kind != fault.Manifest {
			t.Errorf("got %v", err)
		}
	}
}

// Answers are kept as long as they say, else by their class, and never for anybody else (ODP-125, ODP-126).
func TestHowLongAnswersAreKept(t *testing.T) {
	body := `{"odp_version":"1.0","id":"drill","name":"Drill"}`
	s := openShed(t, map[string][]answer{
		list: once(page("/p/2", "a")), "/p/2": once(page("", "b")), list + "/drill": once(answer{body: body}),
		"/shed/collections/tools": once(answer{body: strings.ReplaceAll(body, "drill", "tools")}),
		list + "/search":          once(page("/s/2", "a")), "/s/2": once(page("", "b")),
	}, func(f *fetch.Settings) { f.Cache = fetch.OpenCache(filepath.Join(t.TempDir(), "cache")) })
	account := "somebody"
	s.Credential = func(context.Context, odp.Authentication) (authorization, name string, err error) {
		return "Bearer secret", account, nil
	}
	offering := func() { _, _, _ = s.Offering(t.Context(), "drill") }
	collection := func() { _, _, _ = s.Collection(t.Context(), "tools") }
	everything := func() { _, _, _ = s.ids(t, Wanted{}) }
	search := func() { _ = s.search(t.Context()) }
	for _, step := range []struct {
		what     string
		do       func()
		requests int
	}{
		{"an offering", offering, 1},
		{"again", offering, 0},
		{"again, for somebody else", func() { account = "another"; offering(); account = "somebody" }, 1},
		{"again, in another language", func() { s.Language = "en"; offering(); s.Language = "fr" }, 1},
		{"after five minutes", func() { s.now = s.now.Add(5 * time.Minute); offering() }, 1},
		{"a list", everything, 2},
		{"again", everything, 0},
		{"a Collection", collection, 1},
		{"after less than an hour", func() { s.now = s.now.Add(59 * time.Minute); collection() }, 0},
		{"after an hour", func() { s.now = s.now.Add(time.Minute); collection() }, 1},
		{"a search", search, 2},
		{"again", search, 2},
	} {
		before := len(s.log)
		step.do()
		if got := len(s.log) - before; got != step.requests {
			t.Errorf("%s: %d requests, want %d", step.what, got, step.requests)
		}
	}
}

// Whether the Service was asked is told of all that was asked together: what came out of the cache sent nothing, and of a
// question without an answer nobody knows (contract, section 4).
func TestWhetherTheServiceWasAsked(t *testing.T) {
	s := openShed(t, map[string][]answer{
		list: once(page("/p/2", "a")), "/p/2": once(page("", "b")), list + "/drill": once(answer{body: `{"odp_version":"1.0","id":"drill","name":"Drill"}`}),
	}, func(f *fetch.Settings) { f.Cache = fetch.OpenCache(filepath.Join(t.TempDir(), "cache")) })
	again := func() { c := *s.Client; c.sent = ""; s.Client = &c }
	retrieve := func(ctx context.Context) { _, _, _ = s.Offering(ctx, "drill") }
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, step := range []struct {
		what string
		do   func()
		want fault.Sent
	}{
		{"nothing is asked", func() {}, fault.SentNo},
		{"it answers", func() { retrieve(t.Context()) }, fault.SentYes},
		{"the cache answers", func() { again(); retrieve(t.Context()) }, fault.SentNo},
		{"nothing can be sent", func() { again(); _, _, _ = s.Offering(cancelled, "saw") }, fault.SentNo},
		{"an id that cannot be", func() { _, _, _ = s.Offering(t.Context(), "..") }, fault.SentNo},
		{"the answer does not come", func() {
			ctx, stop := context.WithCancel(t.Context())
			s.stall = stop
			_, _, _ = s.Offering(ctx, "saw")
			s.stall = nil
		}, fault.SentUnknown},
		{"a later one does", func() { retrieve(t.Context()); _, _, _ = s.ids(t, Wanted{}) }, fault.SentYes},
		{"and the next does not", func() { _, _, _ = s.Offering(cancelled, "saw") }, fault.SentYes},
	} {
		if step.do(); s.Sent() != step.want {
			t.Errorf("%s: %s, want %s", step.what, s.Sent(), step.want)
		}
	}
}

// A Collection is not its own parent, in the value and in the document (ODP-55).
func TestACollectionIsNotItsOwnParent(t *testing.T) {
	for body, want := range map[string]string{
		`{"odp_version":"1.0","id":"tools","name":"Tools","parent_ids":["tools"]}`:         `{"odp_version":"1.0","id":"tools","name":"Tools"}`,
		`{"odp_version":"1.0","id":"tools","name":"Tools","parent_ids":["a","tools","b"]}`: `{"odp_version":"1.0","id":"tools","name":"Tools","parent_ids":["a","b"]}`,
		`{"odp_version":"1.0","id":"tools","name":"Tools", "parent_ids":["a"]}`:            `{"odp_version":"1.0","id":"tools","name":"Tools", "parent_ids":["a"]}`,
	} {
		s := openShed(t, map[string][]answer{"/shed/collections/tools": once(answer{body: body})}, nil)
		c, raw, err := s.Collection(t.Context(), "tools")
		if err != nil || string(raw) != want || strings.Contains(strings.Join(c.ParentIDs, " "), "tools") {
			t.Errorf("%s: %s, %q, %v", body, raw, c.ParentIDs, err)
		}
		if told := strings.Contains(strings.Join(s.issues, " "), "self_parent"); told != (want != body) {
			t.Errorf("%s: told %q", body, s.issues)
		}
	}
}
