package odpclient

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/manifest/odp"
	"github.com/agentctl/agentctl/internal/manifest/odp/resource"
)

// virtual is a Service whose offerings are made up when they are asked for.
type virtual struct {
	offerings int
	asked     int
}

const virtualDocument = `{"odp_version":"1.0","name":"Virtual","description":"A catalogue without end.","language":"en","localizations":["en"],
"operations":[{"name":"list-offerings","authentication":"not-required"},{"name":"get-offering","authentication":"not-required"},
{"name":"search-offerings","authentication":"not-required"}],"http":{"endpoint_base":"/"},
"search_capabilities":{"filters":{"inline":[{"id":"number","title":"Number","description":"Its number.","type":"integer","operators":["gte","lt"]}]}}}`

func (v *virtual) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.asked++
	w.Header().Set("Content-Type", odp.MediaType)
	w.Header().Set("Cache-Control", "no-store")
	from, to, limit := 0, v.offerings, 100
	if text := r.URL.Query().Get("from"); text != "" {
		from, _ = strconv.Atoi(text)
		to, _ = strconv.Atoi(r.URL.Query().Get("to"))
	}
	if r.Method == http.MethodPost {
		body, _ := io.ReadAll(r.Body)
		for part := range strings.SplitSeq(string(body), `"operator":`) {
			if value, ok := strings.CutPrefix(part, `"gte","value":`); ok {
				_, _ = fmt.Sscan(strings.TrimRight(value, `"},]`), &from)
			}
			if value, ok := strings.CutPrefix(part, `"lt","value":`); ok {
				_, _ = fmt.Sscanf(value, "%d", &to)
			}
		}
	}
	page := []byte(`{"odp_version":"1.0","items":[`)
	end := min(from+limit, to)
	for i := from; i < end; i++ {
		if i > from {
			page = append(page, ',')
		}
		page = fmt.Appendf(page, `{"id":"offering-%d","name":"Offering number %d","price":{"type":"fixed","amount":"%d.50","currency":"EUR"},"detail_fields":["/description"]}`, i, i, i%100)
	}
	page = append(page, ']')
	if end < to {
		page = fmt.Appendf(page, `,"next":"/pages?from=%d&to=%d"`, end, to)
	}
	_, _ = w.Write(append(page, '}'))
}

func virtualClient(t testing.TB, offerings int) (*Client, *virtual) {
	t.Helper()
	v := &virtual{offerings: offerings}
	server := httptest.NewServer(v)
	t.Cleanup(server.Close)
	service, err := odp.ParseService([]byte(virtualDocument), odp.Origin(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	return &Client{HTTP: fetch.New(fetch.Settings{Now: time.Now}), Service: service, Note: func(issue odp.Issue) { t.Errorf("%+v", issue) }}, v
}

// A list takes as much memory whether it has a thousand items or a million.
func TestAMillionOfferings(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("it takes some ten seconds, and a minute with the race detector")
	}
	const million = 1_000_000
	c, v := virtualClient(t, million)
	var most uint64
	count, bytesOut := 0, 0
	out, err := c.Offerings(t.Context(), "", Wanted{}, func(item resource.Item[*resource.Offering]) error {
		bytesOut += len(item.Node.Value())
		if count++; count%50_000 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		return nil
	})
	if err != nil || count != million || !out.Complete || v.asked != million/100 {
		t.Fatalf("%d offerings in %d pages, complete %v: %v", count, v.asked, out != nil && out.Complete, err)
	}
	if most > 32<<20 {
		t.Errorf("%d MiB of heap at most", most>>20)
	}
	t.Logf("%d MiB of heap at most, %d MB of items", most>>20, bytesOut/1_000_000)
}

func TestPartsOfAMillion(t *testing.T) {
	c, v := virtualClient(t, 1_000_000)
	var ids []string
	use := func(item resource.Item[*resource.Offering]) error { ids = append(ids, item.ID); return nil }
	out, err := c.Offerings(t.Context(), "", Wanted{Most: 250}, use)
	if err != nil || len(ids) != 250 || out.Complete || v.asked != 3 {
		t.Fatalf("%d offerings in %d pages: %v", len(ids), v.asked, err)
	}
	catalogue, err := c.Catalogue(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var search odp.OfferingSearch
	for _, text := range []string{"number>=999700", "number<999950"} {
		filter, err := catalogue.ParseFilterText(text)
		if err != nil {
			t.Fatal(err)
		}
		search.Filters = append(search.Filters, filter)
	}
	ids, v.asked = nil, 0
	out, err = c.SearchOfferings(t.Context(), search, catalogue, Wanted{}, use)
	if err != nil || len(ids) != 250 || ids[0] != "offering-999700" || !out.Complete || v.asked != 3 {
		t.Fatalf("%d offerings from %q in %d pages: %v", len(ids), ids[:min(1, len(ids))], v.asked, err)
	}
}

func BenchmarkStream(b *testing.B) {
	c, _ := virtualClient(b, 10_000)
	var out bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		out.Reset()
		if _, err := c.Offerings(b.Context(), "", Wanted{}, func(item resource.Item[*resource.Offering]) error {
			out.Write(item.Node.Value())
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "offerings/s")
}

// A sequence of pages with nothing on them ends, however long the Service goes on (ODP-120).
func TestPagesWithNothingNewEnd(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", odp.MediaType)
		_, _ = fmt.Fprintf(w, `{"odp_version":"1.0","items":[],"next":"/pages?%d"}`, asked)
	}))
	defer server.Close()
	service, err := odp.ParseService([]byte(virtualDocument), odp.Origin(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	c := &Client{HTTP: fetch.New(fetch.Settings{Now: time.Now}), Service: service}
	_, err = c.Offerings(t.Context(), "", Wanted{}, func(resource.Item[*resource.Offering]) error { return nil })
	if e := fault.From(err); err == nil || e.Kind != fault.Unavailable || e.Code != resource.CodeLimitExceeded || asked != maxVainPages {
		t.Errorf("%v after %d pages", err, asked)
	}
}
