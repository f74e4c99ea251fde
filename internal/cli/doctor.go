package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
)

const doctorLong = `Look for what keeps calls from working, and tell how to mend it.

Without a site it looks at this machine: programs, directories, keyring, certificates, proxy,
clock, terminal, policy, audit log, credentials, and the way to each site that has an alias.
With a site it looks at the way there and at what calls to it need. The exit status is 0 when
nothing has to be mended.`

// health says how bad a finding is.
type health string

const (
	healthy health = "ok"
	warning health = "warning" // calls work, but not everything does, or not for long
	problem health = "problem" // something that calls need does not work
)

// finding is one thing that was looked at.
type finding struct {
	Name    string `json:"name"`
	Site    string `json:"site,omitempty"` // as one would type it; "" for what is about this machine
	State   health `json:"state"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // the command that mends it
}

// checkup collects findings.
type checkup struct {
	site  string
	found []finding
}

func (c *checkup) add(state health, name, message, hint string) {
	c.found = append(c.found, finding{name, c.site, state, message, hint})
}

func (c *checkup) ok(name, message string) { c.add(healthy, name, message, "") }

// failed adds a fault as it would be told by the call that meets it.
func (c *checkup) failed(state health, name string, err error) {
	e := fault.From(err)
	c.add(state, name, e.Error(), e.Hint)
}

// newDoctor makes "agentctl doctor".
func (r *run) newDoctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor [SITE]", Short: "Look for what keeps calls from working", Long: doctorLong, ValidArgsFunction: r.completeSites,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return takes("SITE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var found []finding
			var err error
			if len(args) > 0 {
				found, err = r.examineSite(cmd.Context(), cmd.Root(), args[0])
			} else {
				found, err = r.examineMachine(cmd.Context())
			}
			if err != nil {
				return err
			}
			return r.showFindings(found)
		},
	}
}

// doctorReport is "agentctl doctor" as a document.
type doctorReport struct {
	Findings []finding `json:"findings"`
	Problems int       `json:"problems"`
	Warnings int       `json:"warnings"`
}

func (r *run) showFindings(found []finding) error {
	report := doctorReport{Findings: found}
	for i := range found {
		f := &found[i]
		f.Message = render.CleanLine(r.redact(f.Message))
		switch f.State {
		case problem:
			report.Problems++
		case warning:
			report.Warnings++
		case healthy:
		}
	}
	if err := r.print(report, func() error { return r.listFindings(found) }); err != nil {
		return err
	}
	if report.Problems == 0 {
		return nil
	}
	return fault.New(fault.Internal, "problems_found", "%s to mend", counted(report.Problems, "problem"))
}

// marks stand before findings on a terminal; elsewhere a word does, which can be searched for.
func (r *run) mark(state health) string {
	if !r.OutTTY {
		return string(state)
	}
	switch state {
	case problem:
		return "✗"
	case warning:
		return "!"
	case healthy:
	}
	return "✓"
}

func colorOf(state health) string {
	switch state {
	case problem:
		return "\x1b[31m"
	case warning:
		return "\x1b[33m"
	case healthy:
	}
	return "\x1b[32m"
}

// listFindings prints a line for each finding, and the command that mends it below.
func (r *run) listFindings(found []finding) error {
	h := r.newHelp()
	var rows [][]string
	var states []health // of the rows
	site := ""
	flush := func() {
		h.painted(rows, func(row, column int, text string) string {
			switch {
			case column == 0 && r.OutTTY:
				return r.styled(text, colorOf(states[row]))
			case column == 2 && rows[row][1] == "":
				return r.strong(text)
			}
			return text
		})
		rows, states = nil, nil
	}
	for _, f := range found {
		if r.Quiet && f.State == healthy {
			continue
		}
		if f.Site != site {
			flush()
			site = f.Site
			h.section(render.CleanLine(site))
		}
		rows, states = append(rows, []string{r.mark(f.State), f.Name, f.Message}), append(states, f.State)
		if f.Hint != "" {
			rows, states = append(rows, []string{"", "", "→ " + f.Hint}), append(states, f.State)
		}
	}
	flush()
	return h.write(r.Out)
}

// examineMachine looks at everything that calls to any site need.
func (r *run) examineMachine(ctx context.Context) ([]finding, error) {
	c := &checkup{}
	r.examinePrograms(c)
	r.examineDirectories(c)
	r.examineFiles(c)
	r.examineKeyring(ctx, c)
	r.examineTrust(ctx, c)
	r.examineClock(c)
	r.examineTerminal(c)
	ways, err := r.examineKnownSites(ctx)
	return append(c.found, ways...), err
}
