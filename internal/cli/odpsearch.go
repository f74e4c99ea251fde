package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// searchOptions are the flags of a search for offerings.
type searchOptions struct {
	listOptions
	odp.OfferingSearch
	filters []string // as typed
}

func (s *service) searchOfferingsCommand() *cobra.Command {
	o := &searchOptions{}
	cmd := &cobra.Command{
		Use: "search [WORDS…]", Short: "Search what is offered",
		Long: "Search what is offered, by words, by filters, or by both. A filter is\n" + odp.FilterSyntax + ";\n" + s.pathTo("filters") + " lists them.",
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			if o.Query, err = queryOf(words, o.Query); err != nil {
				return err
			}
			return s.searchOfferings(cmd.Context(), o)
		},
	}
	set := cmd.Flags()
	o.register(set)
	set.Var((*text)(&o.Query), "query", "look for `WORDS`")
	set.StringArrayVar(&o.filters, "filter", nil, "only what fits `FILTER`, such as ID=VALUE; may repeat, and all must fit")
	set.Var((*text)(&o.Sort), "sort", "in the order `ID`")
	set.Var((*text)(&o.Collection), "collection", "only what is in the Collection `ID`")
	set.BoolVar(&o.Descendants, "include-descendants", false, "with --collection: and what is in the Collections below it")
	set.StringSliceVar(&o.Refinements, "refine", nil, "count the values of the filters `ID,…`")
	s.completeSearch(cmd, o)
	return cmd
}

// queryOf are the words of a search, given as words or by flag.
func queryOf(words []string, flag string) (string, error) {
	if len(words) > 0 && flag != "" {
		return "", fault.New(fault.Usage, "invalid_arguments", "WORDS and --query exclude each other")
	}
	if len(words) > 0 {
		return strings.Join(words, " "), nil
	}
	return flag, nil
}

func (s *service) searchOfferings(ctx context.Context, o *searchOptions) error {
	p, w, err := s.printing(ctx, &o.listOptions)
	if err != nil {
		return err
	}
	if o.Query == "" && len(o.filters) == 0 { // ODP-60
		return fault.New(fault.Usage, "invalid_arguments", "a search needs a query or a filter; what there is without one is listed").
			WithHint("%s", s.pathTo("offerings", "list"))
	}
	catalogue, err := s.catalogueOf(ctx, o)
	if err != nil {
		return err
	}
	if problems := o.resolve(catalogue); len(problems) > 0 {
		e := fault.New(fault.Usage, "invalid_arguments", "the search is not valid").WithHint("%s", s.pathTo("filters")+o.within())
		e.Problems = problems
		return e
	}
	outcome, err := s.client.SearchOfferings(ctx, o.OfferingSearch, catalogue, w, func(item resource.Item[*resource.Offering]) error {
		return p.add(offeringRow(item))
	})
	if outcome != nil {
		p.refinements = outcome.Refinements
	}
	return p.end(outcome, err)
}

// within is the flag that narrows a list of filters down as the search is.
func (o *searchOptions) within() string {
	if o.Collection == "" {
		return ""
	}
	return " --collection " + o.Collection
}

// catalogueOf fetches what a search is checked against. One by words alone needs none.
func (s *service) catalogueOf(ctx context.Context, o *searchOptions) (*odp.Catalogue, error) {
	if len(o.filters)+len(o.Refinements) == 0 && o.Sort == "" {
		return odp.Merge(), s.odp.Require(odp.SearchOfferings)
	}
	return s.client.Catalogue(ctx, o.Collection)
}

// resolve reads the filters and judges the whole search by a catalogue: everything that is wrong is told at once, and with
// it the names that may have been meant.
func (o *searchOptions) resolve(catalogue *odp.Catalogue) (problems []fault.Problem) {
	o.Filters = nil
	for _, text := range o.filters {
		filter, err := catalogue.ParseFilterText(text)
		if err == nil {
			o.Filters = append(o.Filters, filter)
			continue
		}
		id := text
		if end := strings.IndexAny(text, " =<>?"); end >= 0 {
			id = text[:end]
		}
		message := fault.From(err).Error() + didYouMean(id, filterIDs(catalogue))
		problems = append(problems, fault.Problem{Param: "filter", Keyword: "filter", Message: message})
	}
	rest := o.OfferingSearch
	if rest.Query == "" && len(rest.Filters) == 0 {
		rest.Query = "any" // its filters were told of already
	}
	if _, err := rest.Body(catalogue); err != nil {
		for _, problem := range fault.From(err).Problems {
			problem.Message += o.meant(problem, catalogue)
			problem.Pointer = "" // into what would be sent, which nobody sees
			problems = append(problems, problem)
		}
	}
	return problems
}

// meant suggests what the name in a problem may stand for.
func (o *searchOptions) meant(problem fault.Problem, catalogue *odp.Catalogue) string {
	switch problem.Param {
	case "sort":
		return didYouMean(o.Sort, sortIDs(catalogue))
	case "refine":
		for i, id := range o.Refinements {
			if problem.Pointer == "/refinements/"+strconv.Itoa(i) {
				return didYouMean(id, refinableIDs(catalogue))
			}
		}
	}
	return ""
}

// didYouMean suggests names for one that is not among them.
func didYouMean(typed string, known []string) string {
	near := nearest(typed, known)
	if len(near) == 0 || slices.Contains(known, typed) {
		return ""
	}
	return "; did you mean " + orList(near) + "?"
}

func filterIDs(catalogue *odp.Catalogue) []string {
	ids := make([]string, len(catalogue.Filters))
	for i, f := range catalogue.Filters {
		ids[i] = f.ID
	}
	return ids
}

func refinableIDs(catalogue *odp.Catalogue) (ids []string) {
	for _, f := range catalogue.Filters {
		if f.Refinable {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func sortIDs(catalogue *odp.Catalogue) []string {
	ids := make([]string, len(catalogue.Sorts))
	for i, s := range catalogue.Sorts {
		ids[i] = s.ID
	}
	return ids
}
