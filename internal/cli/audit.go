package cli

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/audit"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
)

// newAudit makes "agentctl audit": what was sent.
func (r *run) newAudit() *cobra.Command {
	var about string
	var limit int
	list := &cobra.Command{
		Use:   "list",
		Short: "List the calls that changed something, newest first",
		Args:  takes(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return r.auditList(cmd.Root(), about, limit) },
	}
	list.Flags().StringVar(&about, "site", "", "only calls to `SITE`")
	list.Flags().IntVar(&limit, "limit", 30, "the newest `N` calls; 0 lists all")
	show := &cobra.Command{
		Use:   "show ID",
		Short: "Tell what is known about one call",
		Args:  takes("ID"),
		RunE:  func(_ *cobra.Command, args []string) error { return r.auditShow(args[0]) },

		ValidArgsFunction: r.completeCalls,
	}
	verify := &cobra.Command{
		Use:   "verify",
		Short: "Check that no line was changed, taken out or put in",
		Args:  takes(),
		RunE:  func(*cobra.Command, []string) error { return r.auditVerify() },
	}
	return group(&cobra.Command{Use: "audit", Short: "What was sent: the log of all calls that do more than read"}, list, show, verify)
}

// completeCalls offers the newest calls of the audit log.
func (r *run) completeCalls(_ *cobra.Command, args []string, _ string) (ids []cobra.Completion, _ cobra.ShellCompDirective) {
	if records, err := r.auditLog().List(30, func(*audit.Record) bool { return true }); err == nil && len(args) == 0 {
		for i := range slices.Backward(records) {
			c := &records[i]
			ids = append(ids, cobra.CompletionWithDesc(strconv.Itoa(c.ID), shown(strings.Join(c.Command, " ")+" at "+strings.TrimPrefix(c.Site, "https://"))))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (r *run) auditList(root *cobra.Command, about string, limit int) error {
	if limit < 0 {
		return fault.New(fault.Usage, "invalid_flag", "--limit must not be negative")
	}
	match := func(*audit.Record) bool { return true }
	if about != "" {
		origin, _, err := r.resolve(about, root)
		if err != nil {
			return err
		}
		match = func(record *audit.Record) bool { return record.Site == string(origin) }
	}
	records, err := r.auditLog().List(limit, match)
	if err != nil {
		return err
	}
	slices.Reverse(records)
	return r.print(append([]audit.Record{}, records...), func() error {
		if len(records) == 0 {
			return r.say("no calls yet")
		}
		rows := [][]string{{"ID", "TIME", "SITE", "COMMAND", "EFFECT", "AMOUNT", "BY", "OUTCOME"}}
		for i := range records {
			c := &records[i]
			rows = append(rows, []string{
				strconv.Itoa(c.ID), r.when(c.Time), strings.TrimPrefix(c.Site, "https://"), strings.Join(c.Command, " "), c.Effect,
				strings.TrimSpace(c.Amount + " " + c.Currency), c.By, outcomeText(c.Outcome),
			})
		}
		o := r.columns()
		o.Header = r.Color
		return render.Columns(r.Out, rows, o)
	})
}

// outcomeText tells in a few words what became of a call.
func outcomeText(o *audit.Outcome) string {
	if o == nil {
		return "unknown: it was cut off"
	}
	failure := o.Kind
	if o.Code != "" && o.Code != o.Kind {
		failure += " " + o.Code
	}
	switch {
	case o.Kind == "":
		return strings.TrimSpace(fmt.Sprintf("done (%d %s)", o.Status, http.StatusText(o.Status)))
	case o.Sent == string(fault.SentNo):
		return "not sent: " + failure
	case o.Sent == string(fault.SentUnknown):
		return "unknown: " + failure
	}
	return fmt.Sprintf("%s (%d)", failure, o.Status)
}

func (r *run) auditShow(text string) error {
	id, err := strconv.Atoi(text)
	if err != nil || id < 1 {
		return fault.New(fault.Usage, "invalid_arguments", "%q is no ID", cutWord(text)).WithHint("agentctl audit list")
	}
	found, err := r.auditLog().List(0, func(record *audit.Record) bool { return record.ID == id })
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fault.New(fault.Usage, "unknown_id", "there is no call %d in the audit log", id).WithHint("agentctl audit list")
	}
	return r.print(found[0], func() error { return r.showRecord(&found[0]) })
}

func (r *run) showRecord(c *audit.Record) error {
	by := c.By
	if c.Rule > 0 {
		by += " " + strconv.Itoa(c.Rule)
	}
	rows := [][]string{
		{"site", c.Site},
		{"command", strings.Join(c.Command, " ")},
		{"request", c.Method + " " + c.Endpoint},
		{"effect", c.Effect},
		{"risk", c.Risk},
		{"consent", c.Consent},
		{"amount", strings.TrimSpace(c.Amount + " " + c.Currency)},
		{"let pass by", by},
		{"began", c.Time.Format(time.RFC3339)},
	}
	if c.Ended != nil {
		rows = append(rows, []string{"ended", c.Ended.Format(time.RFC3339)})
	}
	rows = append(rows, []string{"outcome", outcomeText(c.Outcome)})
	if c.Outcome != nil {
		for _, id := range c.Outcome.IDs {
			rows = append(rows, []string{render.CleanLine(id.Name) + " id", render.CleanLine(id.Value)})
		}
	}
	rows = slices.DeleteFunc(rows, func(row []string) bool { return row[1] == "" })
	h := r.newHelp()
	h.paragraph(r.heading(fmt.Sprintf("call %d", c.ID)))
	h.rows(rows)
	if len(c.Args) > 0 {
		h.section("Arguments, without their values")
	}
	var args [][]string
	for _, arg := range c.Args {
		length := "secret"
		if !arg.Secret {
			length = fmt.Sprintf("length %d", arg.Length)
		}
		args = append(args, []string{arg.Name, arg.Type, length})
	}
	h.rows(args)
	if c.MoreArgs > 0 {
		h.line(fmt.Sprintf("and %d more", c.MoreArgs))
	}
	return h.write(r.Out)
}

func (r *run) auditVerify() error {
	report, err := r.auditLog().Verify()
	if err != nil {
		return err
	}
	if broken := report.Err(); broken != nil {
		if r.structured() {
			if err := r.print(report, nil); err != nil {
				return err
			}
		}
		return broken
	}
	return r.print(report, func() error {
		h := r.newHelp()
		h.paragraph("The audit log holds: " + counted(report.Lines, "line") + " about " + counted(report.Calls, "call") + ".")
		if report.Open > 0 {
			h.line("Without an end, cut off or not over: " + counted(report.Open, "call") + ".")
		}
		if report.Torn > 0 {
			h.line("The last line is torn, by a crash or a full disk. The next call mends it.")
		}
		h.line("The hash of its last line is " + report.Head + ".")
		return h.write(r.Out)
	})
}

func counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}
