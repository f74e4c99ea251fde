package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/agentctl/agentctl/internal/manifest/odp"
)

// catalogueHost publishes a catalogue of so many offerings.
const (
	catalogueHost      = "catalogue.example"
	catalogueOfferings = 100_000
)

const catalogueService = `{"odp_version":"1.0","name":"Bench","description":"A catalogue to measure.","language":"en","localizations":["en"],
"operations":[{"name":"list-offerings","authentication":"not-required"},{"name":"get-offering","authentication":"not-required"}],
"http":{"endpoint_base":"/catalogue"}}`

func serveCatalogue(mux *http.ServeMux) {
	mux.HandleFunc(catalogueHost+odp.WellKnown, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", odp.MediaType)
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = w.Write([]byte(catalogueService))
	})
	mux.HandleFunc(catalogueHost+"/catalogue/offerings", func(w http.ResponseWriter, r *http.Request) {
		from, _ := strconv.Atoi(r.URL.Query().Get("from"))
		w.Header().Set("Content-Type", odp.MediaType)
		w.Header().Set("Cache-Control", "no-store")
		page := []byte(`{"odp_version":"1.0","items":[`)
		end := min(from+odp.MaxPageItems, catalogueOfferings)
		for i := from; i < end; i++ {
			if i > from {
				page = append(page, ',')
			}
			page = fmt.Appendf(page, `{"id":"offering-%d","name":"Offering number %d","price":{"type":"fixed","amount":"%d.50","currency":"EUR"},"detail_fields":["/description"]}`, i, i, i%100)
		}
		page = append(page, ']')
		if end < catalogueOfferings {
			page = fmt.Appendf(page, `,"next":"/catalogue/offerings?from=%d"`, end)
		}
		_, _ = w.Write(append(page, '}'))
	})
}

// catalogue lists a whole catalogue as lines.
func (b *bench) catalogue(ctx context.Context, t *table) error {
	const rounds = 5
	medians, err := takeTurns(ctx, rounds, b.ctl("warm", catalogueHost, "offerings", "list", "--all", "--ndjson"))
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%d offerings as lines", catalogueOfferings)
	t.atLeast(what, catalogueOfferings/medians[0].wall.Seconds(), 50_000, "a second")
	t.memory(what+", peak memory", medians[0].rss, 40)
	return nil
}
