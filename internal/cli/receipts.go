package cli

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/receipt"
	"github.com/agentctl/agentctl/internal/render"
)

// newReceipts makes "agentctl receipts": what is known of payments that were sent.
func (r *run) newReceipts() *cobra.Command {
	var about string
	list := &cobra.Command{
		Use: "list", Short: "List payments, the newest first", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return r.receiptsList(cmd.Root(), about) },
	}
	list.Flags().Var((*text)(&about), "site", "only those to the `SITE`")
	show := &cobra.Command{
		Use: "show ID", Short: "Tell what is known about one payment", Args: takes("ID"), ValidArgsFunction: r.completeReceipts,
		RunE: func(_ *cobra.Command, args []string) error { return r.receiptsShow(args[0]) },
	}
	return group(&cobra.Command{Use: "receipts", Short: "Payments that were sent, with what sites said of them"}, list, show)
}

func (r *run) completeReceipts(_ *cobra.Command, args []string, _ string) (ids []cobra.Completion, _ cobra.ShellCompDirective) {
	if records, err := r.receipts().List(); err == nil && len(args) == 0 {
		for _, record := range records {
			ids = append(ids, cobra.CompletionWithDesc(record.ID, shown(string(record.State)+" "+record.Amount+" to "+record.Site)))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (r *run) receiptsList(root *cobra.Command, about string) error {
	origin := ""
	if about != "" {
		site, _, err := r.resolve(about, root)
		if err != nil {
			return err
		}
		origin = string(site)
	}
	records, err := r.receipts().List()
	if err != nil {
		return err
	}
	all := []*receipt.Record{}
	rows := [][]string{{"ID", "TIME", "SITE", "COMMAND", "AMOUNT", "ASSET", "NETWORK", "STATE"}}
	for _, record := range records {
		if origin != "" && record.Site != origin {
			continue
		}
		all = append(all, record)
		rows = append(rows, []string{
			record.ID, r.when(record.At), strings.TrimPrefix(record.Site, "https://"), strings.Join(record.Command, " "),
			record.Amount, record.Asset, record.Network, strings.ReplaceAll(string(record.State), "_", " "),
		})
	}
	return r.print(all, func() error {
		if len(all) == 0 {
			return r.say("no payments yet")
		}
		o := r.columns()
		o.Header = r.Color
		return render.Columns(r.Out, rows, o)
	})
}

func (r *run) receiptsShow(id string) error {
	record, err := r.receipts().Get(id)
	if err != nil {
		return err
	}
	return r.print(record, func() error {
		h := r.newHelp()
		h.paragraph(r.heading(record.ID))
		var rows [][]string
		add := func(name, value string) {
			if value != "" {
				rows = append(rows, []string{name, render.CleanLine(value)})
			}
		}
		add("state", strings.ReplaceAll(string(record.State), "_", " "))
		add("why", record.Reason)
		add("sent", r.moment(&record.At))
		add("site", record.Site)
		add("command", strings.Join(record.Command, " "))
		add("for", record.Method+" "+record.URL)
		add("amount", record.Amount+", in base units")
		add("taken", record.Taken)
		add("asset", record.Asset)
		add("payee", record.Payee)
		add("network", record.Network)
		add("protocol", record.Protocol+", "+record.Scheme)
		add("challenge", record.Challenge)
		add("payer", record.Payer)
		add("approved by", record.By)
		if record.Status != 0 {
			add("answer", strconv.Itoa(record.Status))
		}
		add("reference", record.Reference)
		h.rows(rows)
		if json.Valid([]byte(record.Receipt)) {
			h.section("What the site says")
			h.line(render.CleanLine(record.Receipt))
		}
		return h.write(r.Out)
	})
}
