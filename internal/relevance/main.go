// Relevance measures how well the index finds what people look for: hand-made queries with judged answers over made-up
// sites of all kinds. It prints a line a query and the means, and exits 1 when they are below what is promised.
//
//	go run ./internal/relevance [-results]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/sqlite"
)

// What is promised (issue 4).
const (
	leastNDCG   = 0.80
	leastRecall = 0.90
)

func main() {
	results := flag.Bool("results", false, "print the results of each query with their grades")
	flag.Parse()
	dir, err := os.MkdirTemp("", "agentctl-relevance-")
	if err == nil {
		var report *report
		if report, err = measure(context.Background(), dir); err == nil {
			if *results {
				report.list(os.Stdout)
			}
			err = report.write(os.Stdout)
		}
		_ = os.RemoveAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// outcome is how well one query was answered.
type outcome struct {
	query
	results      []string
	ndcg, recall float64
}

type report struct{ outcomes []outcome }

// measure makes an index in dir and asks it everything.
func measure(ctx context.Context, dir string) (*report, error) {
	sites, err := loadSites()
	if err != nil {
		return nil, err
	}
	queries, err := loadQueries(sites)
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer store.Close() //nolint:errcheck // its directory is about to be removed
	for _, s := range sites {
		if err := store.Put(ctx, s); err != nil {
			return nil, err
		}
	}
	r := new(report)
	for _, q := range queries {
		hits, err := store.Search(ctx, index.Query{Text: q.text, Limit: depth})
		if err != nil {
			return nil, fmt.Errorf("%q: %w", q.text, err)
		}
		o := outcome{query: q}
		for _, hit := range hits {
			o.results = append(o.results, key(strings.TrimPrefix(hit.Origin, "https://"), strings.Join(hit.Command, " ")))
		}
		o.ndcg, o.recall = ndcg(o.results, q.grades), recall(o.results, q.grades)
		r.outcomes = append(r.outcomes, o)
	}
	return r, nil
}

// means returns the means over the outcomes that keep wants.
func (r *report) means(keep func(query) bool) (ndcg, recall float64) {
	n := 0.0
	for _, o := range r.outcomes {
		if keep(o.query) {
			ndcg, recall, n = ndcg+o.ndcg, recall+o.recall, n+1
		}
	}
	return ndcg / n, recall / n
}

func tuned(q query) bool   { return q.tuned }
func heldOut(q query) bool { return !q.tuned }
func all(query) bool       { return true }

// list prints the results of each query.
func (r *report) list(out io.Writer) {
	for _, o := range r.outcomes {
		fmt.Fprintf(out, "%s\n", o.text)
		for _, result := range o.results {
			fmt.Fprintf(out, "  %d  %s\n", o.grades[result], result)
		}
	}
	fmt.Fprintln(out)
}

// write prints the figures. Its error says what is worse than promised.
func (r *report) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "nDCG@%d\trecall@%d\t\tquery\tfirst result\n", depth, depth)
	for _, o := range r.outcomes {
		set, first := "held out", "nothing"
		if o.tuned {
			set = "tuned"
		}
		if len(o.results) > 0 {
			first = o.results[0]
		}
		fmt.Fprintf(w, "%.2f\t%.2f\t%s\t%s\t%s\n", o.ndcg, o.recall, set, o.text, first)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		keep func(query) bool
	}{{"tuned", tuned}, {"held out", heldOut}, {"all", all}} {
		n, rec := r.means(part.keep)
		fmt.Fprintf(out, "%-8s  nDCG@%d %.3f  recall@%d %.3f\n", part.name, depth, n, depth, rec)
	}
	n, rec := r.means(all)
	if n < leastNDCG || rec < leastRecall {
		return fmt.Errorf("the means must be at least %.2f and %.2f", leastNDCG, leastRecall)
	}
	return nil
}
