package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/site"
)

// newSite makes "agentctl site": what is known of sites, and names for them.
func (r *run) newSite() *cobra.Command {
	show := &cobra.Command{
		ValidArgsFunction: r.completeSites,

		Use:   "show SITE",
		Short: "Tell what a site publishes, what is wrong with it, and how fresh it is",
		Args:  takes("SITE"),
		RunE:  func(cmd *cobra.Command, args []string) error { return r.siteShow(cmd.Context(), cmd.Root(), args[0]) },
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "List the aliases",
		Args:  takes(),
		RunE:  func(*cobra.Command, []string) error { return r.siteList() },
	}
	remove := &cobra.Command{
		Use:   "remove NAME",
		Short: "Forget a short name",
		Args:  takes("NAME"),
		RunE:  func(_ *cobra.Command, args []string) error { return r.siteRemove(args[0]) },
	}
	below := []*cobra.Command{show, list, r.newSiteAdd(), remove}
	for _, h := range allHelpers() {
		below = append(below, r.newSiteHelper(h))
	}
	return group(&cobra.Command{Use: "site", Short: "What a site publishes; short names for sites"}, below...)
}

// siteReport is "agentctl site show" as one document.
type siteReport struct {
	Site    string         `json:"site"`
	Origin  site.Origin    `json:"origin"`
	Formats []formatReport `json:"formats"`
}

type formatReport struct {
	Format      string           `json:"format"`
	URL         string           `json:"url"`
	Name        string           `json:"name,omitempty"`
	Description string           `json:"description,omitempty"`
	Version     string           `json:"version,omitempty"`
	Actions     int              `json:"actions"`
	Unusable    int              `json:"unusable"`
	Links       []manifest.Link  `json:"links,omitempty"` // further addresses that the format names (AA-9)
	Fetched     time.Time        `json:"fetched,omitzero"`
	Expires     time.Time        `json:"expires,omitzero"`
	Cache       fetch.CacheState `json:"cache"`
	Issues      []manifest.Issue `json:"issues"`
}

func (r *run) siteShow(ctx context.Context, root *cobra.Command, word string) error {
	r.siteWord = word
	origin, aliases, err := r.resolve(word, root)
	if err != nil {
		return err
	}
	conn, err := r.connect(ctx, origin, aliasOf(aliases, word))
	if err != nil {
		return err
	}
	defer conn.close()
	s, err := conn.open(ctx, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	r.seen(s)
	report := siteReport{Site: word, Origin: origin, Formats: []formatReport{}}
	for _, source := range s.Sources() {
		about, err := reportOf(ctx, s, &source)
		if err != nil {
			return err
		}
		if about != nil {
			report.Formats = append(report.Formats, *about)
		}
	}
	return r.print(report, func() error { return r.showReport(report) })
}

// reportOf tells about one format: nil when it is not published.
func reportOf(ctx context.Context, s *site.Site, source *site.Source) (*formatReport, error) {
	if !source.Usable() {
		if trouble := source.Failure(); trouble != nil {
			issue := manifest.Issue{Code: trouble.Code, Message: trouble.Message}
			return &formatReport{Format: source.Format, URL: source.URL, Cache: source.Document.State, Issues: []manifest.Issue{issue}}, nil
		}
		return nil, nil
	}
	issues, err := s.Issues(ctx, source.Format)
	if err != nil {
		return nil, err
	}
	doc := &source.Document
	return &formatReport{
		Format: source.Format, URL: source.URL, Name: source.Name, Description: source.Description, Version: source.Version,
		Actions: source.Actions, Unusable: source.Unusable, Links: source.Links,
		Fetched: doc.Fetched.UTC(), Expires: doc.Expires.UTC(), Cache: doc.State, Issues: append([]manifest.Issue{}, issues...),
	}, nil
}

func (r *run) showReport(report siteReport) error {
	h := r.newHelp()
	h.paragraph(r.heading(string(report.Origin)))
	for i, f := range report.Formats {
		if i > 0 {
			h.b.WriteString("\n")
		}
		actions := fmt.Sprintf("%d", f.Actions)
		if f.Unusable > 0 {
			actions += fmt.Sprintf(", %d of them cannot be used", f.Unusable)
		}
		rows := [][]string{
			{"format", f.Format},
			{"from", f.URL},
			{"name", f.Name},
			{"description", f.Description},
			{"version", f.Version},
			{"actions", actions},
			{"fetched", r.when(f.Fetched)},
			{"fresh until", r.when(f.Expires)},
		}
		for _, link := range f.Links {
			rows = append(rows, []string{"endpoint " + link.Name, link.URL})
		}
		h.rows(rows)
		if len(f.Issues) > 0 {
			h.section(fmt.Sprintf("Issues (%d)", len(f.Issues)))
		}
		for _, issue := range f.Issues {
			where := issue.Pointer
			if len(issue.Command) > 0 {
				where += " (" + strings.Join(issue.Command, " ") + ")"
			}
			h.line(render.CleanLine(strings.TrimSpace(issue.Code + " " + where + ": " + issue.Message)))
		}
	}
	return h.write(r.Out)
}

// when shows a time: in words on a terminal, as RFC 3339 in a pipe.
func (r *run) when(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	if !r.OutTTY {
		return t.Format(time.RFC3339)
	}
	return r.distance(t)
}

// distance says in words how far a time is from now.
func (r *run) distance(t time.Time) string {
	d := t.Sub(r.Now())
	switch {
	case d < -time.Minute:
		return roughly(-d) + " ago"
	case d > time.Minute:
		return "in " + roughly(d)
	}
	return "now"
}

func roughly(d time.Duration) string {
	switch {
	case d < 90*time.Minute:
		return counted(int(d.Round(time.Minute)/time.Minute), "minute")
	case d < 36*time.Hour:
		return counted(int(d.Round(time.Hour)/time.Hour), "hour")
	}
	return counted(int(d/(24*time.Hour)), "day")
}

// listedAlias is one line of "agentctl site list".
func (r *run) siteList() error {
	aliases, err := site.LoadAliases(r.ConfigDir)
	if err != nil {
		return err
	}
	all := []listedAlias{}
	rows := [][]string{}
	for _, name := range aliases.Names() {
		alias, _ := aliases.Get(name)
		all = append(all, listed(name, alias))
		var notes []string
		if alias.Described != nil {
			notes = append(notes, "described by "+render.CleanLine(alias.Described.Location))
		}
		if alias.AllowPrivate {
			notes = append(notes, "private addresses allowed")
		}
		rows = append(rows, []string{name, string(alias.Origin), strings.Join(notes, ", ")})
	}
	return r.print(all, func() error {
		if len(rows) == 0 && !r.Quiet {
			_, err := fmt.Fprintln(r.Err, "no aliases yet; agentctl site add NAME ORIGIN makes one")
			return err
		}
		return render.Columns(r.Out, rows, r.columns())
	})
}

func (r *run) siteRemove(name string) error {
	aliases, err := site.LoadAliases(r.ConfigDir)
	if err != nil {
		return err
	}
	ok, err := aliases.Remove(name)
	if err != nil {
		return err
	}
	if !ok {
		e := fault.New(fault.Usage, "unknown_alias", "there is no alias %q", name).WithHint("agentctl site list")
		if near := nearest(name, aliases.Names()); len(near) > 0 {
			e.Message += "; did you mean " + orList(near) + "?"
		}
		return e
	}
	return r.say("%s is forgotten", name)
}

// say tells on standard error what was done.
func (r *run) say(format string, args ...any) error {
	if r.Quiet {
		return nil
	}
	_, err := fmt.Fprintf(r.Err, format+"\n", args...)
	return err
}
