package cli

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
	"github.com/agentctl/agentctl/internal/odpclient"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/schema/jsontree"
	"github.com/agentctl/agentctl/internal/strictjson"
)

func (s *service) getOfferingCommand() *cobra.Command {
	return &cobra.Command{
		Use: "get ID", Short: "Show one offering in full", Args: takes("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.ready(); err != nil {
				return err
			}
			offering, raw, err := s.client.Offering(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			had := offering.Attributes != nil
			if err := s.client.CheckAttributes(cmd.Context(), offering); err != nil {
				return err
			}
			if !s.structured() {
				return s.showOffering(offering)
			}
			if had && offering.Attributes == nil {
				tree := jsontree.Parse(raw)
				odpclient.DropAttributes(tree)
				raw = tree.Value()
			}
			return s.printJSON(raw)
		},
	}
}

func (s *service) showOffering(o *resource.Offering) error {
	h := s.newHelp()
	h.paragraph(s.heading(render.CleanLine(o.Name)))
	if o.Description != "" {
		h.paragraph(render.CleanLine(o.Description))
	}
	h.b.WriteString("\n")
	rows := [][]string{{"id", o.ID}}
	if o.Price != nil {
		rows = append(rows, []string{"price", o.Price.String()})
	}
	rows = append(rows, headRows(&o.Head)...)
	if len(o.CollectionIDs) > 0 {
		rows = append(rows, []string{"collections", strings.Join(o.CollectionIDs, ", ")})
	}
	h.rows(cleanedRows(rows))
	if o.Attributes != nil {
		h.section("Attributes")
		h.rows(cleanedRows(memberRows(o.Attributes)))
	}
	if len(o.Actions) > 0 {
		h.section("Actions")
		h.rows(cleanedRows(s.advertisedRows(o)))
		h.b.WriteString("\nRun " + s.strong(render.CleanLine(s.pathTo("offerings", "do", o.ID, o.Actions[0].ID)+" --help")) + "\n")
	}
	return h.write(s.Out)
}

// headRows are what Collections and Offerings have in common, for people.
func headRows(head *resource.Head) [][]string {
	var rows [][]string
	for _, row := range [][]string{
		{"language", head.Language}, {"languages", strings.Join(head.Localizations, ", ")}, {"web page", head.WebURL},
	} {
		if row[1] != "" {
			rows = append(rows, row)
		}
	}
	for _, image := range head.Images {
		rows = append(rows, []string{"image", strings.TrimSpace(image.Src + " " + image.Alt)})
	}
	return rows
}

// memberRows are the members of an object.
func memberRows(object jsontext.Value) [][]string {
	var rows [][]string
	for name, value := range strictjson.Members(object) {
		rows = append(rows, []string{name, plain(strictjson.Compact(value))})
	}
	return rows
}

// cleanedRows takes out of the cells what must not reach a terminal.
func cleanedRows(rows [][]string) [][]string {
	for _, row := range rows {
		for i := range row {
			row[i] = render.CleanLine(row[i])
		}
	}
	return rows
}

func (s *service) getCollectionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "get ID", Short: "Show one Collection in full", Args: takes("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.ready(); err != nil {
				return err
			}
			c, raw, err := s.client.Collection(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if s.structured() {
				return s.printJSON(raw)
			}
			h := s.newHelp()
			h.paragraph(s.heading(render.CleanLine(c.Name)))
			h.paragraph(render.CleanLine(c.Description))
			h.b.WriteString("\n")
			rows := append([][]string{{"id", c.ID}}, headRows(&c.Head)...)
			if len(c.ParentIDs) > 0 {
				rows = append(rows, []string{"below", strings.Join(c.ParentIDs, ", ")})
			}
			h.rows(cleanedRows(rows))
			h.b.WriteString("\nRun " + s.strong(render.CleanLine(s.pathTo("collections", "offerings", c.ID))) + "\n")
			return h.write(s.Out)
		},
	}
}

// listedFilter is a filter as "filters --json" has it.
type listedFilter struct {
	ID          string         `json:"id"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Type        odp.FilterType `json:"type"`
	Operators   []odp.Operator `json:"operators"`
	Unit        string         `json:"unit,omitempty"`
	Refinable   bool           `json:"refinable"`
}

func (s *service) filtersCommand() *cobra.Command {
	var collection string
	cmd := &cobra.Command{
		Use: "filters", Short: "List what a search can ask for", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			catalogue, err := s.catalogue(cmd.Context(), collection)
			if err != nil {
				return err
			}
			list := []listedFilter{}
			rows := [][]string{{"ID", "TYPE", "OPERATORS", "UNIT", "ABOUT"}}
			for _, f := range catalogue.Filters {
				l := listedFilter{f.ID, f.Title, f.Description, f.Type, f.Operators, unitText(f.Unit), f.Refinable}
				operators := make([]string, len(f.Operators))
				for i, o := range f.Operators {
					operators[i] = string(o)
				}
				list = append(list, l)
				rows = append(rows, []string{l.ID, string(l.Type), strings.Join(operators, " "), l.Unit, l.Title + ": " + l.Description})
			}
			return s.print(list, func() error { return s.definitionTable(rows) })
		},
	}
	s.definitionFlags(cmd, &collection)
	return cmd
}

func unitText(u *odp.Unit) string {
	switch {
	case u == nil:
		return ""
	case u.Title != "":
		return u.Title
	}
	return u.Code
}

// listedSort is a sort as "sorts --json" has it.
type listedSort struct {
	ID          string        `json:"id"`
	Title       string        `json:"title"`
	Description string        `json:"description"`
	Keys        []listedOrder `json:"keys"`
}

type listedOrder struct {
	Filter    string `json:"filter_id"`
	Direction string `json:"direction"`
	Missing   string `json:"missing"`
}

func (s *service) sortsCommand() *cobra.Command {
	var collection string
	cmd := &cobra.Command{
		Use: "sorts", Short: "List the orders that a search can have", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			catalogue, err := s.catalogue(cmd.Context(), collection)
			if err != nil {
				return err
			}
			list := []listedSort{}
			rows := [][]string{{"ID", "BY", "ABOUT"}}
			for _, sort := range catalogue.Sorts {
				l := listedSort{sort.ID, sort.Title, sort.Description, []listedOrder{}}
				var by []string
				for _, key := range sort.Keys {
					order := listedOrder{key.Filter, "ascending", key.Missing}
					if key.Descending {
						order.Direction = "descending"
					}
					l.Keys = append(l.Keys, order)
					by = append(by, order.Filter+" "+order.Direction)
				}
				list = append(list, l)
				rows = append(rows, []string{l.ID, strings.Join(by, ", "), l.Title + ": " + l.Description})
			}
			return s.print(list, func() error { return s.definitionTable(rows) })
		},
	}
	s.definitionFlags(cmd, &collection)
	return cmd
}

func (s *service) definitionFlags(cmd *cobra.Command, collection *string) {
	cmd.Flags().Var((*text)(collection), "collection", "and those that the Collection `ID` has besides")
	s.withLanguage(cmd.Flags())
}

func (s *service) catalogue(ctx context.Context, collection string) (*odp.Catalogue, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	return s.client.Catalogue(ctx, collection)
}

func (s *service) definitionTable(rows [][]string) error {
	if len(rows) == 1 {
		return s.say("the Service defines none")
	}
	columns := s.columns()
	columns.Header = s.Color
	return render.Columns(s.Out, rows, columns)
}

func (s *service) aboutCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "about", Short: "Show the Service Document", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.ready(); err != nil {
				return err
			}
			if s.structured() {
				return s.printJSON(strictjson.Compact(s.document))
			}
			return s.showService()
		},
	}
	return cmd
}

func (s *service) showService() error {
	o := s.odp
	h := s.newHelp()
	h.paragraph(s.heading(render.CleanLine(o.Name)))
	h.paragraph(render.CleanLine(o.Description))
	h.b.WriteString("\n")
	rows := [][]string{{"origin", string(o.Origin)}, {"version", o.Version}, {"languages", strings.Join(o.Localizations, ", ")}}
	for _, row := range [][]string{
		{"keywords", strings.Join(o.Keywords, ", ")}, {"website", o.Website}, {"documentation", o.Documentation}, {"support", o.Support}, {"status", o.Status},
	} {
		if row[1] != "" {
			rows = append(rows, row)
		}
	}
	h.rows(cleanedRows(rows))
	h.section("Operations")
	rows = nil
	for _, operation := range o.Operations {
		rows = append(rows, []string{string(operation.Name), "signing in is " + strings.ReplaceAll(string(operation.Authentication), "-", " ")})
	}
	h.rows(cleanedRows(rows))
	if rows = protocolRows(o); len(rows) > 0 {
		h.section("Protocols")
		h.rows(cleanedRows(rows))
	}
	return h.write(s.Out)
}

// protocolRows are what the Service says it supports, which asks for nothing and allows nothing (ODP-31).
func protocolRows(o *odp.Service) [][]string {
	var rows [][]string
	if o.Protocols.Enrollment {
		rows = append(rows, []string{"enrollment", "aep"})
	}
	for _, payment := range o.Protocols.Payments {
		rows = append(rows, []string{"payment", strings.TrimSpace(payment.Name + " " + strings.Join(payment.Options, " "))})
	}
	return rows
}
