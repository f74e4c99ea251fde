package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/render"
)

// complete readies a helper's command for completion, which asks neither the Service nor a keyring for anything, and tells
// nothing but names (ODP-98).
func (s *service) complete(ctx context.Context, cmd *cobra.Command) {
	s.client.Note = nil
	s.client.Credential = func(context.Context, odp.Authentication) (authorization, account string, err error) {
		of, err := s.accountOf(s.conn.origin)
		if err != nil {
			return "", "", err
		}
		if parts, err := s.choose(of, nil); len(parts) == 0 || err != nil || s.environmentToken() != "" {
			return "", "", err
		}
		return "", of.String(), nil
	}
	for _, c := range cmd.Commands() {
		if c.Name() == "do" {
			cmd.RemoveCommand(c)
			cmd.AddCommand(s.completeDo(ctx, c.Short))
		}
	}
}

// completeSearch offers what a search can be made of.
func (s *service) completeSearch(cmd *cobra.Command, o *searchOptions) {
	offer := func(flag string, directive cobra.ShellCompDirective, names func(*odp.Catalogue) []cobra.Completion) {
		_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			catalogue, err := s.client.Catalogue(cmd.Context(), o.Collection)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var out []cobra.Completion
			for _, name := range names(catalogue) {
				if strings.HasPrefix(name, typed) {
					out = append(out, name)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp | directive
		})
	}
	offer("filter", cobra.ShellCompDirectiveNoSpace, filterStarts)
	offer("sort", 0, func(catalogue *odp.Catalogue) (out []cobra.Completion) {
		for _, sort := range catalogue.Sorts {
			out = append(out, cobra.CompletionWithDesc(sort.ID, render.CleanLine(sort.Title)))
		}
		return out
	})
	offer("refine", 0, refinableIDs)
}

// filterStarts are filters up to their values: "weight>=".
func filterStarts(catalogue *odp.Catalogue) (out []cobra.Completion) {
	for _, f := range catalogue.Filters {
		for _, operator := range f.Operators {
			var start string
			switch operator {
			case odp.Equal:
				start = "="
			case odp.In:
				if f.Has(odp.Equal) {
					continue
				}
				start = "="
			case odp.Less:
				start = "<"
			case odp.LessEqual:
				start = "<="
			case odp.Greater:
				start = ">"
			case odp.GreaterEqual:
				start = ">="
			case odp.Exists:
				start = "?"
			}
			out = append(out, cobra.CompletionWithDesc(f.ID+start, render.CleanLine(f.Title)))
		}
	}
	return out
}

// completeDo offers the Actions of an offering that is in the cache, and the flags and values of the one that is typed.
func (s *service) completeDo(ctx context.Context, short string) *cobra.Command {
	cmd := &cobra.Command{Use: "do", Short: short, Run: func(*cobra.Command, []string) {}}
	words := s.words
	if len(words) > 0 && !s.viaSite {
		words = words[1:]
	}
	if len(words) < 2 || words[0] != "do" {
		return cmd
	}
	offering, _, err := s.client.Offering(ctx, words[1])
	if err != nil {
		return cmd
	}
	of := &cobra.Command{Use: offering.ID, Run: func(*cobra.Command, []string) {}}
	cmd.AddCommand(of)
	for i := range offering.Actions {
		action := &offering.Actions[i]
		below := &cobra.Command{Use: action.ID, Run: func(*cobra.Command, []string) {}}
		if len(words) > 2 && words[2] == action.ID {
			if a, err := s.prepare(ctx, offering, action); err == nil {
				below = a.command()
				plainUsages(below.Flags())
				a.completeValues(below)
			}
		}
		below.Use, below.Short = action.ID, render.CleanLine(strings.TrimSuffix(action.Rel+": "+action.Description, ": "))
		of.AddCommand(below)
	}
	return cmd
}
