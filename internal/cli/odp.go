package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/odpclient"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// odpHelpers are the commands that an ODP Service adds to a site.
func odpHelpers() []*helper {
	return []*helper{
		odpHelper("offerings", "What the Service offers: list, search and get it, act on it", (*service).offeringsCommand),
		odpHelper("collections", "The Collections that offerings are in", (*service).collectionsCommand),
		odpHelper("filters", "What a search for offerings can ask for", (*service).filtersCommand),
		odpHelper("sorts", "The orders that a search for offerings can have", (*service).sortsCommand),
		aboutHelper(odpHelper("about", "What the site says of itself", (*service).aboutCommand)),
	}
}

// odpHelper makes a helper of a Cobra command.
func odpHelper(name, short string, command func(*service) *cobra.Command) *helper {
	return &helper{
		name: name, short: short, calls: name == "offerings",
		offered: func(s *site.Site) bool { return s.Offers(odp.Format) != nil },
		run: func(ctx context.Context, p *place, args []string) error {
			s, err := p.openService(ctx)
			if err != nil {
				return err
			}
			return s.run(ctx, command(s), args)
		},
		mount: func(ctx context.Context, p *place) *cobra.Command {
			s, err := p.openService(ctx)
			if err != nil {
				return &cobra.Command{Use: name, Short: short}
			}
			cmd := command(s)
			cmd.Short = short
			s.complete(ctx, cmd)
			return cmd
		},
	}
}

// service is an ODP Service at a place.
type service struct {
	*place
	odp      *odp.Service
	document []byte // the Service Document as it came
	client   *odpclient.Client
	language string
	noted    int
	asking   bool   // the command asks the Service, and is done with its answer
	refused  string // what to try when the Service wants another credential; "" where none was to be sent
}

// maxNotes is how many faults of parts are told one by one.
const maxNotes = 20

// openService reads the Service Document, which is in the cache.
func (p *place) openService(ctx context.Context) (*service, error) {
	doc, err := p.description(ctx, odp.Format)
	if err != nil {
		return nil, err
	}
	parsed, err := odp.ParseService(doc.Body, odp.Origin(p.conn.origin))
	if err != nil {
		return nil, err
	}
	s := &service{place: p, odp: parsed, document: doc.Body}
	s.client = &odpclient.Client{HTTP: p.conn.client, Service: parsed, Credential: s.credentialOf, Note: s.note, Timed: func(ctx context.Context, request func(context.Context) error) error {
		p.conn.limit.renew() // the time limit is for each request: a list may have any number of pages
		return p.conn.timed(ctx, request)
	}}
	return s, nil
}

// run reads what is typed behind a helper, and lets Cobra run the command that it leads to.
func (s *service) run(ctx context.Context, cmd *cobra.Command, args []string) error {
	s.rootOfSite().AddCommand(cmd)
	set := newFlagSet()
	s.register(set)
	below, words := cmd, readLine(args, set, nil)
	s.command = []string{cmd.Name()}
	if first := words.words[:words.bound]; len(first) > 0 {
		if i := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Name() == first[0].text }); i >= 0 {
			below = cmd.Commands()[i]
			args = without(args, first[:1])
			s.command = append(s.command, below.Name())
		}
	}
	line := append([]string{s.siteWord}, s.command...)
	if !below.DisableFlagParsing {
		set.AddFlagSet(below.Flags())
		read := readLine(args, set, nil)
		switch {
		case len(read.unknown) > 0:
			return unknownFlags(read, set, s.pathTo(s.command...))
		case len(read.problems) > 0:
			return invalidArguments(read.problems, s.pathTo(s.command...))
		}
		args = slices.Concat(read.flags, []string{"--"}, texts(read.words))
	}
	return s.withSent(s.withHint(s.execute(ctx, s.root, append(line, args...))))
}

// withSent says in a failure whether the Service was asked: of what a list or a retrieval wanted, that was the request.
func (s *service) withSent(err error) error {
	if err == nil || !s.asking || errors.Is(err, render.ErrOutputClosed) {
		return err
	}
	e := *fault.From(err)
	switch e.Kind {
	case fault.Internal, fault.Interrupted, fault.Unavailable:
		e.Sent = s.client.Sent()
	case fault.Usage, fault.Manifest, fault.Auth, fault.Approval, fault.Payment, fault.Rejected: // tell it themselves
	}
	return &e
}

// withHint says in a refusal how to come by another credential, where one could be sent.
func (s *service) withHint(err error) error {
	if e := fault.From(err); err != nil && e.Kind == fault.Auth && e.Hint == "" && s.refused != "" {
		return e.WithHint("%s", s.refused)
	}
	return err
}

// group makes a command of those below it. Alone it lists them, as groups of a site's own commands do.
func (s *service) group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd = group(cmd, below...)
	for _, c := range below {
		if !c.DisableFlagParsing { // else it does so itself
			s.withLanguage(c.Flags())
		}
	}
	explain := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		switch {
		case len(words) > 0:
			return explain(cmd, words)
		case s.checking:
			return s.notCalled()
		case !s.raw():
			return explain(cmd, words)
		}
		l := listing{Site: s.siteWord, Command: []string{cmd.Name()}, Description: cmd.Short}
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				l.Commands = append(l.Commands, listedCommand{Command: []string{cmd.Name(), c.Name()}, Description: c.Short, Helper: true})
			}
		}
		return s.place.print(l, nil)
	}
	return cmd
}

// unlessOffered hides a command whose operation the Service does not offer. Whoever types it is told so (ODP-33).
func (s *service) unlessOffered(op odp.Operation, cmd *cobra.Command) *cobra.Command {
	cmd.Hidden = s.odp.Require(op) != nil
	return cmd
}

// withLanguage adds the flag that every question to a Service has.
func (s *service) withLanguage(set *pflag.FlagSet) {
	set.Var((*text)(&s.language), "language", "ask for the language `TAG` (the Service's own where it has no such)")
}

// ready checks what flags say before the Service is asked something that only reads.
func (s *service) ready() error {
	switch {
	case s.checking:
		return s.notCalled()
	case s.DryRun:
		return fault.New(fault.Usage, "invalid_flag", "--dry-run is for calls; this only asks what is offered")
	case s.Input != "" || len(s.Args) > 0:
		return fault.New(fault.Usage, "invalid_arguments", "there are no arguments here for --input and --arg")
	}
	s.asking = true
	return s.ask()
}

// tabular tells whether the table for people was asked for. What it leaves out of a document does not fit into a table.
func (s *service) tabular() bool {
	return s.Output == "table" && s.JQ == "" && s.Save == "" && s.Columns == ""
}

func (s *service) structured() bool { return s.raw() && !s.tabular() }

// print shows document to programs and calls human for people, and for tables.
func (s *service) print(document any, human func() error) error {
	if s.tabular() {
		return human()
	}
	return s.place.print(document, human)
}

// notCalled is the answer to "policy check" where nothing would be called.
func (s *service) notCalled() error {
	return fault.New(fault.Usage, "not_an_action", "this only asks what is offered: policy is about what is done with it").WithHint("%s", s.pathTo("offerings", "do"))
}

// ask checks the language that is asked for.
func (s *service) ask() error {
	if s.language != "" && !odp.ValidTag(s.language) {
		return fault.New(fault.Usage, "invalid_flag", "--language %q is no language tag", cutWord(s.language))
	}
	s.client.Language = s.language
	return nil
}

// note tells of a fault that takes away a part of an answer, on standard error.
func (s *service) note(issue odp.Issue) {
	s.noted++
	switch {
	case s.noted <= maxNotes:
		text := issue.Code
		if issue.Pointer != "" {
			text += " " + issue.Pointer
		}
		_ = s.say("warning: %s", render.CleanLine(text+": "+issue.Message))
	case s.noted == maxNotes+1:
		_ = s.say("warning: there is more that is wrong with this answer")
	}
}

// credentialOf is what an operation is asked with. An operation that only gives more to those who are signed in works
// without; one that needs it does not (ODP-28).
func (s *service) credentialOf(ctx context.Context, need odp.Authentication) (authorization, partition string, err error) {
	account, err := s.accountOf(s.conn.origin)
	if err != nil {
		return "", "", err
	}
	credentials, err := s.carry(ctx, account, nil)
	if err != nil {
		return "", "", err
	}
	s.refused = s.refusedHint(credentials)
	if len(credentials) == 0 {
		if need == odp.NeedsAuthentication {
			return "", "", auth.Missing(account)
		}
		return "", "", nil
	}
	secrets, err := s.secretsOf(ctx, s.conn.client, credentials)
	if err != nil {
		return "", "", err
	}
	if secrets[0].Name != "Authorization" {
		return "", "", fault.New(fault.Auth, "scheme_unsupported", "this format has no place for an API key in the %s field %q", secrets[0].In, secrets[0].Name)
	}
	if s.environmentToken() == "" { // a token of the environment has no name to keep answers under
		partition = account.String()
	}
	return secrets[0].Value, partition, nil
}
