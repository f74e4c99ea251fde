package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/render"
)

// listedAction is an Action as "offerings actions --json" has it.
type listedAction struct {
	ID             string             `json:"id"`
	Rel            string             `json:"rel"`
	Effect         manifest.Effect    `json:"effect"`
	Authentication odp.Authentication `json:"authentication"`
	Description    string             `json:"description,omitempty"`
	Target         string             `json:"target"`
	Operation      string             `json:"operation,omitempty"` // of the OpenAPI document that the target is from
	Price          string             `json:"price,omitempty"`
}

func (s *service) actionsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "actions OFFERING", Short: "List what can be done with an offering; nothing is called", Args: takes("OFFERING"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.ready(); err != nil {
				return err
			}
			var issues []odp.Issue
			s.client.Note = func(issue odp.Issue) { issues = append(issues, issue) }
			offering, _, err := s.client.Offering(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			usable, unusable, err := s.resolved(cmd.Context(), offering)
			if err != nil {
				return err
			}
			return s.listActions(offering, usable, append(issues, unusable...))
		},
	}
}

// resolvedAction is an Action whose schema or OpenAPI document is there.
type resolvedAction struct {
	*resource.Action
	call *resource.Invocation
}

// resolved tells which Actions "do" would take, and why it would not take the others: their documents are fetched and read, and
// nothing is called (ODP-96, ODP-98). All together they have the time of one call. The error is that of ctx.
func (s *service) resolved(ctx context.Context, o *resource.Offering) (usable []resolvedAction, unusable []odp.Issue, err error) {
	limited, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	for i := range o.Actions {
		a := &o.Actions[i]
		call, err := s.client.Invocation(limited, o, a)
		if err == nil {
			_, err = s.compiled(call, a)
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			e := fault.From(err)
			unusable = append(unusable, odp.Issue{Code: cmp.Or(e.Code, string(e.Kind)), Message: e.Error(), Command: []string{a.ID}})
		default:
			usable = append(usable, resolvedAction{a, call})
		}
	}
	return usable, unusable, nil
}

func (s *service) listActions(o *resource.Offering, usable []resolvedAction, issues []odp.Issue) error {
	list := struct {
		Offering string         `json:"offering"`
		Actions  []listedAction `json:"actions"`
		Unusable []odp.Issue    `json:"unusable"`
	}{o.ID, []listedAction{}, []odp.Issue{}}
	var rows [][]string
	for _, a := range usable {
		target := a.call.Method + " " + a.call.Endpoint
		l := listedAction{ID: a.ID, Rel: a.Rel, Effect: a.call.Effect, Authentication: a.Authentication, Description: a.call.Description, Target: target}
		if a.OpenAPI != nil {
			l.Operation = a.OpenAPI.OperationID
		}
		if o.Price != nil {
			l.Price = o.Price.String()
		}
		list.Actions = append(list.Actions, l)
		rows = append(rows, actionRow(o, a.Action, a.call.Description, target))
	}
	for _, issue := range issues {
		if len(issue.Command) > 0 || strings.HasPrefix(issue.Pointer, "/actions/") {
			list.Unusable = append(list.Unusable, issue)
		} else {
			s.note(issue)
		}
	}
	return s.print(list, func() error {
		h := s.newHelp()
		h.paragraph(s.heading(render.CleanLine(o.Name)))
		h.b.WriteString("\n")
		h.rows(cleanedRows(rows))
		if len(rows) == 0 {
			h.line("Nothing can be done with it here.")
		}
		if len(list.Unusable) > 0 {
			h.section("Cannot be used")
		}
		for _, issue := range list.Unusable {
			where := strings.TrimSpace(strings.Join(issue.Command, " ") + " " + issue.Pointer)
			h.line(render.CleanLine(where + ": " + issue.Message))
		}
		return h.write(s.Out)
	})
}

// advertisedRows are the Actions of an offering as it tells of them: none of their documents was looked at.
func (s *service) advertisedRows(o *resource.Offering) [][]string {
	var rows [][]string
	for i := range o.Actions {
		a := &o.Actions[i]
		target := ""
		if a.HTTP != nil {
			target = a.HTTP.Method + " " + s.odp.Origin.Resolve(a.HTTP.Href)
		} else {
			target = "operation " + a.OpenAPI.OperationID
		}
		rows = append(rows, actionRow(o, a, a.Description, target))
	}
	return rows
}

// actionRow is an Action for people: what it is for, and where it leads.
func actionRow(o *resource.Offering, a *resource.Action, description, target string) []string {
	about := a.Rel
	if !resource.KnownRelation(a.Rel) {
		about += " (nobody knows what that means)"
	}
	if o.Price != nil && a.Rel == resource.Purchase {
		about += ", " + o.Price.String()
	}
	if a.Authentication != odp.NoAuthentication {
		about += ", signing in " + string(a.Authentication)
	}
	if description != "" {
		about += ": " + description
	}
	return []string{a.ID, about + "  → " + target}
}
