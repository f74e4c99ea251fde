package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource/openapi"
	"github.com/agentctl/agentctl/internal/site"
)

func (s *service) doCommand() *cobra.Command {
	return &cobra.Command{
		Use: "do OFFERING ACTION [ARGS…] [--flags]", Short: "Do something with an offering",
		Long: "Do what an offering's Action is for. Its arguments come from the Action: --help behind it tells them.\n" +
			"A body that is not JSON is given with --input FILE.",
		DisableFlagParsing: true, // the flags are the Action's
		RunE: func(cmd *cobra.Command, args []string) error {
			set := newFlagSet()
			set.AddFlagSet(cmd.Root().PersistentFlags())
			s.withLanguage(set)
			read := readLine(args, set, nil)
			certain := read.words[:read.bound]
			if len(certain) < 2 {
				if slices.Contains(read.flags, "--help=true") {
					return cmd.Help()
				}
				if len(read.unknown) > 0 {
					return unknownFlags(read, set, s.pathTo("offerings", "do"))
				}
				return takes("OFFERING", "ACTION")(cmd, texts(certain))
			}
			for _, flag := range read.flags {
				if tag, ok := strings.CutPrefix(flag, "--language="); ok {
					s.language = tag
				}
			}
			if err := s.apply(globalsOf(read.flags)); err != nil && len(read.unknown) == 0 {
				return err
			}
			s.jsonErrors = s.errorsAsJSON()
			if err := s.ask(); err != nil {
				return err
			}
			return s.do(cmd.Context(), certain[0].text, certain[1].text, without(args, certain[:2]))
		},
	}
}

// globalsOf leaves out the flags that are not global ones.
func globalsOf(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(flag string) bool { return strings.HasPrefix(flag, "--language=") })
}

// do makes an Action of an offering a command, and runs it (ODP-99).
func (s *service) do(ctx context.Context, id, action string, args []string) error {
	s.command = []string{"offerings", "do", id, action}
	var issues []odp.Issue
	s.client.Note = func(issue odp.Issue) { issues = append(issues, issue) }
	offering, _, err := s.client.Offering(ctx, id)
	if err != nil {
		return unsent(err)
	}
	found, ok := offering.Action(action)
	if !ok {
		return s.noAction(offering, action, issues)
	}
	a, err := s.prepare(ctx, offering, found)
	if err != nil {
		return s.actionFault(err, id, action)
	}
	a.withEach(args)
	if a.conn == s.conn {
		return a.invoke(ctx, a.command(), args)
	}
	defer a.conn.close()
	return elsewhereTold(a.invoke(ctx, a.command(), args), a.conn.origin)
}

// unsent says of a failure before an Action is called that it was not, whatever was read for it.
func unsent(err error) error {
	e := *fault.From(err)
	e.Sent = fault.SentNo
	return &e
}

// actionFault says which Action it is that cannot be made ready.
func (s *service) actionFault(err error, offering, action string) error {
	e := *fault.From(unsent(err))
	if e.Kind == fault.Manifest {
		e.Message = fmt.Sprintf("the Action %q cannot be used: %s", cutWord(action), e.Error())
	}
	return e.WithHint("%s", s.pathTo("offerings", "actions", offering))
}

// elsewhereTold says to whoever has to approve a call that it goes to another origin than the one that was named.
func elsewhereTold(err error, target site.Origin) error {
	if err == nil || fault.From(err).Kind != fault.Approval {
		return err
	}
	e := *fault.From(err)
	e.Message = e.Error() + "; it goes to " + target.Host()
	e.Details = maps.Clone(e.Details)
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details["target"] = string(target)
	return &e
}

// prepare makes a call of an Action. Its target is not called (ODP-98).
func (s *service) prepare(ctx context.Context, offering *resource.Offering, action *resource.Action) (*published, error) {
	invocation, err := s.client.Invocation(ctx, offering, action)
	if err != nil {
		return nil, err
	}
	a, err := s.compiled(invocation, action)
	if err == nil && invocation.Foreign {
		a.conn, err = s.elsewhere(ctx, invocation.Origin)
	}
	return a, err
}

// compiled makes the command of an Action whose documents are there.
func (s *service) compiled(invocation *resource.Invocation, action *resource.Action) (*published, error) {
	at := *s.place
	at.node = &site.Node{Command: invocation.Command, Action: &invocation.Summary}
	at.command, at.stray, at.helper = invocation.Command, "", nil
	a := &published{place: &at, taken: map[string]bool{}, reach: &targetOptions{}, anonymous: invocation.Foreign || action.Authentication == odp.NoAuthentication}
	a.action = &site.Action{Action: invocation.Action, Request: func(g site.Given) (*call.Request, []fault.Problem) {
		return invocation.Request(g.Values, a.ownBody())
	}}
	a.takesBody = !takesArguments(invocation)
	a.own = newFlagSet()
	s.withLanguage(a.own)
	a.reach.registerSchema(a.own)
	a.offerEach()
	if err := a.compile(); err != nil {
		return nil, fmt.Errorf("the schema of its arguments: %w", err)
	}
	return a, nil
}

// ownBody is what the caller gave as a body of its own; nil for nothing.
func (a *published) ownBody() *openapi.Body {
	if a.body == nil {
		return nil
	}
	return &openapi.Body{Data: a.body}
}

// takesArguments reports whether --input holds the arguments as a JSON object, as everywhere, and not a body as it is: where
// a body can be made of arguments, or there is none.
func takesArguments(i *resource.Invocation) bool {
	return len(i.BodyTypes) == 0 || slices.ContainsFunc(i.BodyTypes, func(mediaType string) bool {
		essence := odp.Essence(mediaType)
		return openapi.IsJSON(mediaType) || openapi.IsForm(mediaType) || essence == "*/*" || essence == "application/*"
	})
}

// noAction tells why there is no Action of that id to use.
func (s *service) noAction(o *resource.Offering, id string, issues []odp.Issue) error {
	for _, issue := range issues {
		if len(issue.Command) > 0 && issue.Command[0] == id {
			return fault.New(fault.Manifest, issue.Code, "the Action %q cannot be used: %s %s", cutWord(id), issue.Pointer, issue.Message).
				WithHint("%s", s.pathTo("offerings", "actions", o.ID))
		}
	}
	var known []string
	for i := range o.Actions {
		known = append(known, o.Actions[i].ID)
	}
	e := fault.New(fault.Usage, "unknown_action", "the offering %q has no Action %q", cutWord(o.ID), cutWord(id)).
		WithHint("%s", s.pathTo("offerings", "actions", o.ID))
	if near := nearest(id, known); len(near) > 0 {
		e.Message += "; did you mean " + orList(near) + "?"
	}
	return e
}

// elsewhere is the way to an Action's target at another origin: checked by itself, and without anything secret (ODP-135,
// ODP-137).
func (s *service) elsewhere(ctx context.Context, origin odp.Origin) (*connection, error) {
	target, err := site.ParseOrigin(string(origin))
	if err != nil {
		return nil, err
	}
	return s.connect(ctx, target, site.Alias{})
}
