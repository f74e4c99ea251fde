package cli

import (
	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

func (s *service) collectionsCommand() *cobra.Command {
	return s.group(&cobra.Command{Use: "collections", Short: "The Collections that offerings are in"},
		s.unlessOffered(odp.ListCollections, s.listCollectionsCommand()),
		s.unlessOffered(odp.SearchCollections, s.searchCollectionsCommand()),
		s.unlessOffered(odp.GetCollection, s.getCollectionCommand()),
		s.unlessOffered(odp.ListCollectionOfferings, s.collectionOfferingsCommand()))
}

func collectionRow(item resource.Item[*resource.Collection]) (raw []byte, row []string) {
	return item.Node.Value(), []string{item.ID, item.Value.Name, item.Value.Description}
}

func (s *service) listCollectionsCommand() *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use: "list", Short: "List the Collections", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, w, err := s.printing(cmd.Context(), o)
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
			p, w, err := s.printing(cmd.Context(), o)
			if err == nil {
				search.Query, err = queryOf(words, search.Query)
			}
			switch {
			case err != nil:
				return err
			case roots && parent != "":
				return fault.New(fault.Usage, "invalid_flag", "--parent and --roots exclude each other")
			case roots || parent != "":
				search.Parent = &parent
			case search.Query == "":
				return fault.New(fault.Usage, "invalid_arguments", "a search needs words, --parent or --roots").WithHint("%s", s.pathTo("collections", "list"))
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
