package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/odpclient"
	"github.com/agentctl/agentctl/internal/render"
)

// listOptions are the flags of lists and searches.
type listOptions struct {
	limit  int
	all    bool
	full   bool
	ndjson bool
	set    *pflag.FlagSet
}

func (o *listOptions) register(set *pflag.FlagSet) {
	o.set = set
	set.IntVar(&o.limit, "limit", odp.DefaultLimit, "at most `N` items; pages follow by themselves")
	set.BoolVar(&o.all, "all", false, "every item, however many there are")
	set.BoolVar(&o.full, "full", false, "items with all that the Service says of them")
	set.BoolVar(&o.ndjson, "ndjson", false, "print one JSON item a line, as they come")
}

func (o *listOptions) wanted() (odpclient.Wanted, error) {
	switch {
	case o.all && o.set.Changed("limit"):
		return odpclient.Wanted{}, fault.New(fault.Usage, "invalid_flag", "--limit and --all exclude each other")
	case o.limit < 1:
		return odpclient.Wanted{}, fault.New(fault.Usage, "invalid_flag", "--limit must be 1 or more; --all has no limit")
	}
	w := odpclient.Wanted{Most: o.limit, Full: o.full}
	if o.all {
		w.Most = 0
	}
	return w, nil
}

func (s *service) offeringsCommand() *cobra.Command {
	cmd := group(&cobra.Command{Use: "offerings", Short: "What the Service offers"},
		s.listOfferingsCommand(), s.searchOfferingsCommand(), s.getOfferingCommand(), s.actionsCommand(), s.doCommand())
	s.withLanguage(cmd.PersistentFlags())
	return cmd
}

func (s *service) listOfferingsCommand() *cobra.Command {
	o := &listOptions{}
	var collection string
	cmd := &cobra.Command{
		Use: "list", Short: "List what is offered", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.listOfferings(cmd.Context(), collection, o) },
	}
	o.register(cmd.Flags())
	cmd.Flags().Var((*text)(&collection), "collection", "only what is directly in the Collection `ID`")
	return cmd
}

func (s *service) listOfferings(ctx context.Context, collection string, o *listOptions) error {
	p, w, err := s.printing(o)
	if err != nil {
		return err
	}
	outcome, err := s.client.Offerings(ctx, collection, w, func(item resource.Item[*resource.Offering]) error { return p.add(offeringRow(item)) })
	return p.end(outcome, err)
}

func offeringRow(item resource.Item[*resource.Offering]) (raw []byte, row []string) {
	price := ""
	if item.Value.Price != nil {
		price = item.Value.Price.String()
	}
	return item.Node.Value(), []string{item.ID, item.Value.Name, price}
}

// searchOptions are the flags of a search for offerings.
type searchOptions struct {
	listOptions
	odp.OfferingSearch
	filters []string
}

func (s *service) searchOfferingsCommand() *cobra.Command {
	o := &searchOptions{}
	cmd := &cobra.Command{
		Use: "search [WORDS…]", Short: "Search what is offered",
		Long: "Search what is offered, by words, by filters, or by both. A filter is\n" + odp.FilterSyntax + ";\nagentctl " + s.siteWord + " filters lists them.",
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 && o.Query != "" {
				return fault.New(fault.Usage, "invalid_arguments", "WORDS and --query exclude each other")
			}
			if len(words) > 0 {
				o.Query = strings.Join(words, " ")
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
	return cmd
}

func (s *service) searchOfferings(ctx context.Context, o *searchOptions) error {
	p, w, err := s.printing(&o.listOptions)
	if err != nil {
		return err
	}
	catalogue, err := s.client.Catalogue(ctx, o.Collection)
	if err != nil {
		return err
	}
	if o.Filters, err = parseFilters(catalogue, o.filters); err != nil {
		return err
	}
	if err := catalogue.CheckRefinements(o.Refinements); len(o.Refinements) > 0 && err != nil {
		return s.searchHint(err)
	}
	outcome, err := s.client.SearchOfferings(ctx, o.OfferingSearch, catalogue, w, func(item resource.Item[*resource.Offering]) error {
		return p.add(offeringRow(item))
	})
	if outcome != nil {
		p.refinements = refinementRows(outcome.Refinements)
	}
	return p.end(outcome, s.searchHint(err))
}

// searchHint says where the filters and sorts are listed, in a fault about the command line.
func (s *service) searchHint(err error) error {
	if err == nil || fault.From(err).Kind != fault.Usage || fault.From(err).Hint != "" {
		return err
	}
	return fault.From(err).WithHint("%s", s.pathTo("filters"))
}

// parseFilters reads every --filter; all that is wrong is told at once.
func parseFilters(catalogue *odp.Catalogue, texts []string) (filters []odp.Expression, err error) {
	var problems []fault.Problem
	for _, text := range texts {
		filter, err := catalogue.ParseFilterText(text)
		if err != nil {
			problems = append(problems, fault.Problem{Param: "filter", Keyword: "filter", Message: fault.From(err).Error()})
			continue
		}
		filters = append(filters, filter)
	}
	if len(problems) > 0 {
		e := fault.New(fault.Usage, "invalid_arguments", "the filters are not valid")
		e.Problems = problems
		return nil, e
	}
	return filters, nil
}

// refinementRows are the counted values, joined to what their filters say (ODP-72).
func refinementRows(groups []odp.Refinement) [][]string {
	var rows [][]string
	for _, group := range groups {
		title := group.Filter.Title + " (" + group.Filter.ID + ")"
		for _, bucket := range group.Buckets {
			count := fmt.Sprint(bucket.Count)
			if bucket.AtLeast {
				count += " or more"
			}
			rows = append(rows, []string{title, plain(bucket.Value), count})
			title = ""
		}
	}
	return rows
}

func (s *service) collectionsCommand() *cobra.Command {
	cmd := group(&cobra.Command{Use: "collections", Short: "The Collections that offerings are in"},
		s.listCollectionsCommand(), s.searchCollectionsCommand(), s.getCollectionCommand(), s.collectionOfferingsCommand())
	s.withLanguage(cmd.PersistentFlags())
	return cmd
}

func collectionRow(item resource.Item[*resource.Collection]) (raw []byte, row []string) {
	return item.Node.Value(), []string{item.ID, item.Value.Name, item.Value.Description}
}

func (s *service) listCollectionsCommand() *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use: "list", Short: "List the Collections", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, w, err := s.printing(o)
			if err != nil {
				return err
			}
			p.last = "DESCRIPTION"
			outcome, err := s.client.Collections(cmd.Context(), w, func(item resource.Item[*resource.Collection]) error { return p.add(collectionRow(item)) })
			return p.end(outcome, err)
		},
	}
	o.register(cmd.Flags())
	return cmd
}

func (s *service) searchCollectionsCommand() *cobra.Command {
	o := &listOptions{}
	search := odp.CollectionSearch{}
	var parent string
	var roots bool
	cmd := &cobra.Command{
		Use: "search [WORDS…]", Short: "Search the Collections",
		RunE: func(cmd *cobra.Command, words []string) error {
			p, w, err := s.printing(o)
			if err != nil {
				return err
			}
			if len(words) > 0 {
				search.Query = strings.Join(words, " ")
			}
			switch {
			case roots && parent != "":
				return fault.New(fault.Usage, "invalid_flag", "--parent and --roots exclude each other")
			case roots || parent != "":
				search.Parent = &parent
			}
			p.last = "DESCRIPTION"
			outcome, err := s.client.SearchCollections(cmd.Context(), search, w, func(item resource.Item[*resource.Collection]) error { return p.add(collectionRow(item)) })
			return p.end(outcome, err)
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().Var((*text)(&search.Query), "query", "look for `WORDS`")
	cmd.Flags().Var((*text)(&parent), "parent", "only what is directly below the Collection `ID`")
	cmd.Flags().BoolVar(&roots, "roots", false, "only what is below no other")
	return cmd
}

func (s *service) collectionOfferingsCommand() *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use: "offerings ID", Short: "List what is directly in a Collection", Args: takes("ID"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.listOfferings(cmd.Context(), args[0], o) },
	}
	o.register(cmd.Flags())
	return cmd
}

// listPrinter prints the items of a list: as lines while they come, as one array, or as a table for people.
type listPrinter struct {
	*service
	lines       *bufio.Writer // --ndjson
	array       bytes.Buffer
	rows        [][]string
	last        string // title of the last column
	refinements [][]string
	count       int
}

// printing checks the flags, and prepares to print what comes.
func (s *service) printing(o *listOptions) (*listPrinter, odpclient.Wanted, error) {
	p := &listPrinter{service: s, last: "PRICE"}
	w, err := o.wanted()
	if err == nil {
		err = s.ready()
	}
	if err == nil {
		_, err = s.output()
	}
	if err == nil && o.ndjson {
		if s.JQ != "" || s.Output != "" || s.Save != "" {
			err = fault.New(fault.Usage, "invalid_flag", "--ndjson goes without --jq, -o and --save")
		}
		p.lines = bufio.NewWriterSize(s.Out, 64<<10)
	}
	return p, w, err
}

// add takes one item.
func (p *listPrinter) add(raw []byte, row []string) error {
	p.count++
	switch {
	case p.lines != nil:
		_, _ = p.lines.Write(raw)
		return p.lines.WriteByte('\n')
	case p.structured():
		if p.array.Len() > 0 {
			p.array.WriteByte(',')
		}
		p.array.Write(raw)
	default:
		p.rows = append(p.rows, row)
	}
	return nil
}

// end prints what is left. Lines and rows that were got before a failure are good (ODP-51); an array is whole or not there.
func (p *listPrinter) end(outcome *odpclient.Outcome, err error) error {
	var printed error
	switch {
	case p.lines != nil:
		printed = p.lines.Flush()
	case p.structured() && err == nil:
		printed = p.printJSON([]byte("[" + p.array.String() + "]"))
	case !p.structured() && (err == nil || p.count > 0):
		if err != nil {
			outcome = nil // what is to be said is the error
		}
		printed = p.table(outcome)
	}
	if err != nil && !errors.Is(err, render.ErrOutputClosed) {
		return err
	}
	return printed
}

func (p *listPrinter) table(outcome *odpclient.Outcome) error {
	if len(p.rows) > 0 {
		columns := p.columns()
		columns.Header = p.Color
		if err := render.Columns(p.Out, append([][]string{{"ID", "NAME", p.last}}, p.rows...), columns); err != nil {
			return err
		}
	}
	if len(p.refinements) > 0 {
		h := p.newHelp()
		h.section("Counts")
		if err := render.Columns(&h.b, p.refinements, render.ColumnOptions{Indent: 2}); err != nil {
			return err
		}
		if _, err := p.Out.Write([]byte(h.b.String())); err != nil {
			return err
		}
	}
	switch {
	case outcome == nil:
		return nil
	case p.count == 0:
		return p.say("nothing found")
	case !outcome.Complete && p.count > 0:
		return p.say("the first %d; --limit N or --all gets more", p.count)
	case outcome.AuthExpands:
		return p.say("whoever is logged in may see more")
	}
	return nil
}
