package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// row is one figure and its bound.
type row struct {
	what   string
	figure string
	bound  string
	good   bool
}

type table struct{ rows []row }

func (t *table) broken() bool {
	for _, r := range t.rows {
		if !r.good {
			return true
		}
	}
	return false
}

func (t *table) write(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "\twhat\tfigure\tbound")
	for _, r := range t.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", map[bool]string{true: "pass", false: "FAIL"}[r.good], r.what, r.figure, r.bound)
	}
	_ = w.Flush()
}

// ratio adds a row that compares with curl.
func (t *table) ratio(what string, ours, curl time.Duration, most float64) {
	times := float64(ours) / float64(curl)
	t.rows = append(t.rows, row{what, fmt.Sprintf("%s, curl %s: %.2f times", ms(ours), ms(curl), times), fmt.Sprintf("at most %.1f times", most), times <= most})
}

// difference adds a row that compares a large site with a small one.
func (t *table) difference(what string, small, large time.Duration, most time.Duration) {
	more := large - small
	t.rows = append(t.rows, row{
		what, fmt.Sprintf("%s and %s: %s more", ms(small), ms(large), ms(more)), fmt.Sprintf("at most %s more", ms(most)), more <= most,
	})
}

// limit adds a row for a time.
func (t *table) limit(what string, spent, most time.Duration) {
	t.rows = append(t.rows, row{what, ms(spent), "at most " + ms(most), spent <= most})
}

// memory adds a row for a peak size in bytes.
func (t *table) memory(what string, bytes, mostMiB int64) {
	figure := "not known on this system"
	if bytes > 0 {
		figure = fmt.Sprintf("%.1f MiB", mib(bytes))
	}
	t.rows = append(t.rows, row{what, figure, fmt.Sprintf("at most %d MiB", mostMiB), bytes <= mostMiB<<20})
}

// growth adds a row that compares two peaks in bytes.
func (t *table) growth(what string, small, large, mostMiB int64) {
	t.rows = append(t.rows, row{
		what, fmt.Sprintf("%.1f and %.1f MiB", mib(small), mib(large)), fmt.Sprintf("at most %d MiB more", mostMiB), large-small <= mostMiB<<20,
	})
}

// atLeast adds a row for a number that must not be less.
func (t *table) atLeast(what string, figure, least float64, unit string) {
	t.rows = append(t.rows, row{what, fmt.Sprintf("%.0f %s", figure, unit), fmt.Sprintf("at least %.0f %s", least, unit), figure >= least})
}

// times adds a row for calls a second beside those of another program.
func (t *table) times(what string, ours, theirs float64, name string, least float64) {
	t.rows = append(t.rows, row{
		what, fmt.Sprintf("%.0f, %s %.0f: %.2f times", ours, name, theirs, ours/theirs), fmt.Sprintf("at least %.1f times", least), ours/theirs >= least,
	})
}

// rate adds a row for a throughput beside curl's.
func (t *table) rate(what string, bytes int64, ours, curl time.Duration, least float64) {
	share := float64(curl) / float64(ours)
	perSecond := func(d time.Duration) float64 { return mib(bytes) / d.Seconds() }
	t.rows = append(t.rows, row{
		what, fmt.Sprintf("%.0f MiB/s, curl %.0f MiB/s: %.0f %%", perSecond(ours), perSecond(curl), share*100),
		fmt.Sprintf("at least %.0f %%", least*100), share >= least,
	})
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
