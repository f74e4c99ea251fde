package main

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/manifest"
)

//go:embed testdata/*.txt
var data embed.FS

// query is what somebody types, with the grade of each action that serves them.
type query struct {
	text   string
	tuned  bool           // it was used for tuning
	grades map[string]int // by key
}

// key names an action: "popcorn.club orders create".
func key(host, command string) string { return host + " " + command }

// lines calls read with each line of a file that says something.
func lines(file string, read func(line string) error) error {
	content, err := data.ReadFile("testdata/" + file)
	if err != nil {
		return err
	}
	scanner := bufio.NewScanner(bytes.NewReader(content))
	for number := 1; scanner.Scan(); number++ {
		line := strings.TrimSpace(scanner.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := read(line); err != nil {
			return fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	return scanner.Err()
}

// loadSites reads what the sites publish. A site's line has three parts, an action's four.
func loadSites() (sites []index.Site, err error) {
	err = lines("sites.txt", func(line string) error {
		parts := strings.Split(line, "|")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		switch {
		case len(parts) == 3:
			sites = append(sites, index.Site{Origin: "https://" + parts[0], Name: parts[1], Description: parts[2], Seen: time.Unix(0, 0)})
		case len(parts) == 4 && len(sites) > 0:
			s := &sites[len(sites)-1]
			a := index.Action{Command: strings.Fields(parts[0]), Effect: manifest.Effect(parts[1]), Description: parts[2]}
			if parts[3] != "" {
				a.Params = strings.Split(parts[3], ",")
			}
			s.Actions = append(s.Actions, a)
		default:
			return fmt.Errorf("%q is neither a site nor an action", line)
		}
		return nil
	})
	return sites, err
}

// loadQueries reads the judgements. Each must be about an action that there is.
func loadQueries(sites []index.Site) (queries []query, err error) {
	known := map[string]bool{}
	for _, s := range sites {
		for _, a := range s.Actions {
			known[key(strings.TrimPrefix(s.Origin, "https://"), strings.Join(a.Command, " "))] = true
		}
	}
	err = lines("queries.txt", func(line string) error {
		first, rest, _ := strings.Cut(line, " ")
		if first == "?" || first == "??" {
			queries = append(queries, query{rest, first == "?", map[string]int{}})
			return nil
		}
		grade, err := strconv.Atoi(first)
		switch {
		case err != nil || grade < 1 || grade > 3 || len(queries) == 0:
			return fmt.Errorf("%q is no judgement", line)
		case !known[rest]:
			return fmt.Errorf("no site has the action %q", rest)
		}
		queries[len(queries)-1].grades[rest] = grade
		return nil
	})
	return queries, err
}
