package cli

import (
	"encoding/json"
	"fmt"

	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/render"
)

// countRows are the counted values, joined to what their filters say (ODP-72).
func countRows(groups []odp.Refinement) [][]string {
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

// countedValues are the counts for one filter, for programs.
type countedValues struct {
	Filter string        `json:"filter_id"`
	Title  string        `json:"title"`
	Unit   string        `json:"unit,omitempty"`
	Values []countedItem `json:"values"`
}

type countedItem struct {
	Value    json.RawMessage `json:"value"`
	Count    int64           `json:"count"`
	Relation string          `json:"count_relation,omitempty"`
}

// tellCounts tells the counts to programs: in a line on standard error, since the items alone are on standard output.
func (p *listPrinter) tellCounts() {
	if len(p.refinements) == 0 {
		return
	}
	var told struct {
		Refinements []countedValues `json:"refinements"`
	}
	for _, group := range p.refinements {
		counted := countedValues{Filter: group.Filter.ID, Title: group.Filter.Title, Unit: unitText(group.Filter.Unit)}
		for _, bucket := range group.Buckets {
			item := countedItem{Value: json.RawMessage(bucket.Value), Count: bucket.Count}
			if bucket.AtLeast {
				item.Relation = "lower_bound"
			}
			counted.Values = append(counted.Values, item)
		}
		told.Refinements = append(told.Refinements, counted)
	}
	line, err := json.Marshal(told)
	if err == nil {
		_ = p.say("%s", render.CleanLine(string(line)))
	}
}
