package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"

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
	return s.group(&cobra.Command{Use: "offerings", Short: "What the Service offers"},
		s.listOfferingsCommand(), s.unlessOffered(odp.SearchOfferings, s.searchOfferingsCommand()), s.getOfferingCommand(), s.actionsCommand(), s.doCommand())
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
	p, w, err := s.printing(ctx, o)
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

// listPrinter prints the items of a list: as lines while they come, as one array, or as a table for people.
type listPrinter struct {
	*service
	lines       bool         // --ndjson
	file        *lineFile    // of --save; nil where lines go to standard output
	content     bytes.Buffer // what is not printed yet: lines, or the array so far
	rows        [][]string
	last        string // title of the last column
	refinements []odp.Refinement
	count       int
}

// maxHeld is how many bytes of lines may wait for the end of their page.
const maxHeld = 64 << 10

// printing checks the flags, and prepares to print what comes.
func (s *service) printing(ctx context.Context, o *listOptions) (*listPrinter, odpclient.Wanted, error) {
	p := &listPrinter{service: s, last: "PRICE", lines: o.ndjson}
	w, err := o.wanted()
	if err == nil {
		err = s.ready()
	}
	if err == nil {
		_, err = s.output()
	}
	if err == nil && o.ndjson && (s.JQ != "" || s.Output != "" || s.Template != "") {
		err = fault.New(fault.Usage, "invalid_flag", "--ndjson goes without --jq, --template and -o")
	}
	if o.ndjson && s.Save != "" && err == nil {
		p.file = s.newLineFile(ctx)
	}
	if o.ndjson {
		w.Paged = p.flush // the next page may take its time, and somebody may be waiting for these
	}
	return p, w, err
}

// add takes one item.
func (p *listPrinter) add(raw []byte, row []string) error {
	p.count++
	switch {
	case p.lines:
		p.content.Write(raw)
		p.content.WriteByte('\n')
		if p.content.Len() >= maxHeld {
			return p.flush()
		}
	case p.structured():
		separator := byte(',')
		if p.count == 1 {
			separator = '['
		}
		p.content.WriteByte(separator)
		p.content.Write(raw)
	default:
		p.rows = append(p.rows, row)
	}
	return nil
}

// flush prints the lines so far. On a terminal what must not reach it is escaped, as in every other form of JSON.
func (p *listPrinter) flush() error {
	defer p.content.Reset()
	switch {
	case p.content.Len() == 0:
		return nil
	case p.file != nil:
		return p.file.write(p.content.Bytes())
	case !p.OutTTY:
		_, err := p.Out.Write(p.content.Bytes())
		return err
	}
	return render.Result(context.Background(), p.Streams, render.JSONBody(p.content.Bytes()), render.Options{Format: "json"})
}

// end prints what is left. Lines and rows that were got before a failure are good (ODP-51); an array is whole or not there.
func (p *listPrinter) end(outcome *odpclient.Outcome, err error) error {
	var printed error
	switch {
	case errors.Is(err, render.ErrOutputClosed):
		return err
	case p.file != nil:
		printed = p.file.end(cmp.Or(err, p.flush()))
	case p.lines:
		printed = p.flush()
	case p.structured() && err == nil:
		if p.count == 0 {
			p.content.WriteByte('[')
		}
		p.content.WriteByte(']')
		printed = p.printJSON(p.content.Bytes())
	case !p.structured() && (err == nil || p.count > 0):
		if err != nil {
			outcome = nil // what is to be said is the error
		}
		printed = p.table(outcome)
	}
	if err == nil && (p.lines || p.structured()) {
		p.tellCounts()
	}
	return cmp.Or(err, printed)
}

func (p *listPrinter) table(outcome *odpclient.Outcome) error {
	if len(p.rows) > 0 {
		columns := p.columns()
		columns.Header = p.Color
		if err := render.Columns(p.Out, append([][]string{{"ID", "NAME", p.last}}, p.rows...), columns); err != nil {
			return err
		}
	}
	if rows := countRows(p.refinements); len(rows) > 0 {
		h := p.newHelp()
		h.section("Counts")
		if err := render.Columns(&h.b, rows, render.ColumnOptions{Indent: 2}); err != nil {
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
