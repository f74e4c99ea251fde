package demo

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// reportVersion is the only X-Api-Version that reports know; the description sends it as a literal.
const reportVersion = "2026-09"

// reportRequest is the body of a report, laid out by the request template in site/services/reports/sales.json.
type reportRequest struct {
	Title   string   `json:"title"`
	Columns []string `json:"columns"`
	Filter  struct {
		Minimum jsontext.Value `json:"minimum"`
		Count   struct {
			Refunded *bool `json:"refunded"` // absent: counted
			Gifts    *bool `json:"gifts"`    // absent: counted
		} `json:"count"`
	} `json:"filter"`
	Archive struct {
		Keep  bool   `json:"keep"`
		Token string `json:"token"` // "{{ARCHIVE_TOKEN}}", which is for a proxy to fill in and not for the client
	} `json:"archive"`
}

// reportQuery is what a report is asked for, checked.
type reportQuery struct {
	since    time.Time
	flavours []string // empty: all
	groupBy  string
	minimum  cents
	refunded bool
	gifts    bool
}

type report struct {
	Title    string       `json:"title"`
	Currency string       `json:"currency"`
	GroupBy  string       `json:"groupBy"`
	Rows     []*reportRow `json:"rows"`
	Total    cents        `json:"total"`
	Received received     `json:"received"`

	columns []string
}

type reportRow struct {
	Group    string `json:"group"`
	Orders   int    `json:"orders"`
	Bags     int    `json:"bags"`
	Total    cents  `json:"total"`
	Average  cents  `json:"average"` // of an order, rounded down
	Refunded cents  `json:"refunded"`
}

// received is the request as it arrived, to learn how templates become a request.
type received struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    jsontext.Value    `json:"body"`
}

func (s *shop) reportSales(r *http.Request) (document, error) {
	request, body, err := readBody[reportRequest](r, maxBody)
	if err != nil {
		return nil, err
	}
	query, err := s.readReportQuery(r, request)
	if err != nil {
		return nil, err
	}
	if err := firstError(checkText("title", request.Title, 200), checkWords("columns", request.Columns, columns())); err != nil {
		return nil, err
	}
	state, err := s.store.view()
	if err != nil {
		return nil, err
	}
	done := report{
		Title: cmp.Or(request.Title, "Sales"), Currency: "USD", GroupBy: query.groupBy, Rows: query.rows(state.Orders),
		Received: received{r.Method, r.URL.RequestURI(), headersStartingWithX(r.Header), body}, columns: request.Columns,
	}
	for _, row := range done.Rows {
		done.Total += row.Total
	}
	return done, nil
}

func columns() []string { return []string{"orders", "bags", "total", "average", "refunded"} }

func (s *shop) readReportQuery(r *http.Request, request reportRequest) (query reportQuery, err error) {
	if version := r.Header.Get("X-Api-Version"); version != reportVersion {
		return query, failure(http.StatusBadRequest, "UNSUPPORTED_VERSION", "X-Api-Version must be %q, not %q", reportVersion, clip(version))
	}
	given := r.URL.Query()
	if currency, ok, err := oneValue(given, "currency"); err != nil || ok && currency != "USD" {
		return query, invalid("INVALID_CURRENCY", "currency", "currency must be USD")
	}
	query = reportQuery{
		flavours: given["flavour"],
		groupBy:  cmp.Or(r.Header.Get("X-Report-Group"), "flavour"),
		refunded: request.Filter.Count.Refunded == nil || *request.Filter.Count.Refunded,
		gifts:    request.Filter.Count.Gifts == nil || *request.Filter.Count.Gifts,
	}
	if minimum := request.Filter.Minimum; minimum != nil {
		amount, ok := parseCents(minimum)
		if !ok || amount < 0 {
			return query, invalid("INVALID_MINIMUM", "minimum", "minimum must be dollars and whole cents")
		}
		query.minimum = amount
	}
	if err := firstError(checkWords("flavour", query.flavours, skus()), checkWord("groupBy", query.groupBy, []string{"flavour", "status"})); err != nil {
		return query, err
	}
	query.since, err = s.reportStart(r.PathValue("period"), given["since"])
	return query, err
}

// reportStart is the later one of the beginning of the period and an explicit day.
func (s *shop) reportStart(period string, days []string) (time.Time, error) {
	if err := checkWord("period", period, []string{"day", "week", "month", "all"}); err != nil {
		return time.Time{}, err
	}
	start := map[string]time.Time{
		"day": s.now().AddDate(0, 0, -1), "week": s.now().AddDate(0, 0, -7), "month": s.now().AddDate(0, -1, 0),
	}[period]
	for _, text := range days {
		since, err := time.Parse(time.DateOnly, text)
		if err != nil || len(days) > 1 {
			return time.Time{}, invalid("INVALID_SINCE", "since", "since must be one day such as 2026-01-31")
		}
		if since.After(start) {
			start = since
		}
	}
	return start, nil
}

func (q reportQuery) counts(o order) bool {
	return !o.Placed.Before(q.since) && o.Total >= q.minimum &&
		(q.refunded || o.Status != refunded) && (q.gifts || !o.Gift) &&
		(len(q.flavours) == 0 || slices.Contains(q.flavours, o.Flavour))
}

// rows adds up the orders, the best sellers first.
func (q reportQuery) rows(orders []order) []*reportRow {
	groups := make(map[string]*reportRow)
	var rows []*reportRow
	for _, o := range orders {
		if !q.counts(o) {
			continue
		}
		name := o.Flavour
		if q.groupBy == "status" {
			name = o.Status
		}
		row := groups[name]
		if row == nil {
			row = &reportRow{Group: name}
			groups[name], rows = row, append(rows, row)
		}
		row.Orders++
		row.Bags += o.Qty
		row.Total += o.Total
		row.Refunded += o.Refunded
		row.Average = row.Total / cents(row.Orders)
	}
	slices.SortFunc(rows, func(a, b *reportRow) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Group, b.Group))
	})
	return rows
}

func (row *reportRow) cell(column string) string {
	switch column {
	case "orders":
		return fmt.Sprint(row.Orders)
	case "bags":
		return fmt.Sprint(row.Bags)
	case "total":
		return dollars(row.Total)
	case "average":
		return dollars(row.Average)
	}
	return dollars(row.Refunded)
}

// headersStartingWithX returns the headers that a description may set for itself; nothing that could be a secret.
func headersStartingWithX(header http.Header) map[string]string {
	found := make(map[string]string)
	for name, values := range header {
		if strings.HasPrefix(name, "X-") {
			found[name] = strings.Join(values, ", ")
		}
	}
	return found
}

func (p report) markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# 📈 %s\n\n", escape(p.Title))
	if len(p.Rows) == 0 {
		out.WriteString("*Nothing was sold.*\n\n")
	} else {
		p.writeTable(&out)
	}
	out.WriteString("## The request that asked for it\n\n```\n" + p.Received.text() + "```\n")
	return out.String() + nextStep("reports sales all --groupBy status")
}

func (p report) writeTable(out *strings.Builder) {
	list := table{header: append([]string{p.GroupBy}, p.columns...), right: make(map[int]bool)}
	for i := range p.columns {
		list.right[i+1] = true
	}
	for _, row := range p.Rows {
		cells := []string{row.Group}
		for _, column := range p.columns {
			cells = append(cells, row.cell(column))
		}
		list.add(cells...)
	}
	list.write(out)
	fmt.Fprintf(out, "\n**%s** in all.\n\n", dollars(p.Total))
}

// text shows the request. Its body is JSON with one member a line, so no line of it can end the code block around it.
func (r received) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s\n", r.Method, r.URL)
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		fmt.Fprintf(&out, "%s: %s\n", name, r.Headers[name])
	}
	body := slices.Clone(r.Body)
	if body.Indent(jsontext.WithIndent("  ")) != nil {
		body = r.Body
	}
	fmt.Fprintf(&out, "\n%s\n", body)
	return out.String()
}
