package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentctl/agentctl/internal/explore"
)

// newSites lists the sites that are known.
func newSites(m *Model) *list {
	l := &list{
		heading: "agentctl", intro: "Sites that are known. Press / and type a name to open any other.", busy: true,
		empty: "No site is known yet.",
	}
	l.otherwise = func(query string) tea.Cmd {
		m.push(newSite(m, query, false))
		return nil
	}
	m.request(explore.Request{Op: explore.Sites}, func(r explore.Reply) tea.Cmd {
		rows := make([]row, 0, len(r.Sites))
		for _, s := range r.Sites {
			rows = append(rows, row{name: s.Name, what: s.What, open: func() tea.Cmd {
				m.push(newSite(m, s.Name, false))
				return nil
			}})
		}
		l.set(rows)
		return nil
	})
	return l
}

// newSite lists what a site publishes.
func newSite(m *Model, site string, refresh bool) *list {
	l := &list{heading: site, busy: true, empty: "Nothing is published here.", more: []binding{{"R", "ask the site again"}, {"h", "history"}}}
	load := func(refresh bool) {
		l.busy = true
		m.giveUp(l.load)
		l.load = m.request(explore.Request{Op: explore.Open, Site: site, Refresh: refresh}, func(r explore.Reply) tea.Cmd {
			if r.Failure != nil {
				l.busy, l.failure = false, failureText(r.Failure)
				return nil
			}
			l.intro = strings.TrimSuffix(r.Listing.Name+" – "+r.Listing.Description, " – ")
			l.all = allRows(m, r.Listing)
			l.set(rowsBelow(m, r.Listing, nil))
			l.peek(m)
			if len(r.Notes) > 0 {
				m.status = oneLine(r.Notes[0])
			}
			return nil
		})
	}
	l.onKey = func(_ *Model, key string) (tea.Cmd, bool) {
		if key != "R" {
			return nil, false
		}
		load(true)
		return nil, true
	}
	load(refresh)
	return l
}

// newGroup lists what is below a group.
func newGroup(m *Model, of *explore.Listing, command []string) *list {
	l := &list{heading: command[len(command)-1], empty: "Nothing is published here."}
	for _, item := range of.Items {
		if slices.Equal(item.Command, command) {
			l.intro = item.Description
			if item.Action { // the group is an action as well
				l.rows = append(l.rows, actionRow(m, of.Site, item, item.Command[len(item.Command)-1]))
			}
		}
	}
	l.set(append(l.rows, rowsBelow(m, of, command)...))
	l.peek(m)
	return l
}

// rowsBelow are the commands directly below one.
func rowsBelow(m *Model, of *explore.Listing, command []string) []row {
	var rows []row
	for _, item := range of.Items {
		if len(item.Command) != len(command)+1 || !slices.Equal(item.Command[:len(command)], command) {
			continue
		}
		word := item.Command[len(command)]
		if !item.Group {
			rows = append(rows, actionRow(m, of.Site, item, word))
			continue
		}
		below := &groupAside{about: item.Description, rows: func() []row { return rowsBelow(m, of, item.Command) }}
		rows = append(rows, row{name: word + " …", what: item.Description, note: item.Note, effect: item.Effect, aside: below, open: func() tea.Cmd {
			m.push(newGroup(m, of, item.Command))
			return nil
		}})
	}
	return rows
}

// allRows are all actions of a site, for the search.
func allRows(m *Model, of *explore.Listing) []row {
	var rows []row
	for _, item := range of.Items {
		if item.Action {
			rows = append(rows, actionRow(m, of.Site, item, strings.Join(item.Command, " ")))
		}
	}
	return rows
}

func actionRow(m *Model, site string, item explore.Item, name string) row {
	r := row{name: name, what: item.Description, note: item.Note, effect: item.Effect, aside: &actionAside{site: site, item: item, asked: !item.Usable}}
	if item.Usable {
		r.open = func() tea.Cmd {
			m.push(newDetail(m, site, item.Command, nil))
			return nil
		}
	}
	return r
}

// failureText is a failure as lines.
func failureText(f *explore.Failure) string {
	lines := []string{f.Message}
	for _, p := range f.Problems {
		lines = append(lines, "  "+strings.TrimPrefix(p.Param+": "+p.Message, ": "))
	}
	if f.Hint != "" {
		lines = append(lines, "hint: "+f.Hint)
	}
	return strings.Join(lines, "\n")
}
