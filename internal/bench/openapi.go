package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The documents that are added as sites. They have the operation `orders list` in common and differ in how many others
// there are; the larger one has the size of Stripe's.
const (
	fewOperations, manyOperations = 6, 5_000
	manyOperationsBytes           = 2_400_000
)

// openapi measures documents of OpenAPI that a user added: a call of the same operation in a small and in a large one, and
// what the large one costs before it is known.
func (b *bench) openapi(ctx context.Context, t *table) error {
	few, many, err := b.writeDocuments()
	if err != nil {
		return err
	}
	added := []command{b.addDocument("warm", "few", few), b.addDocument("warm", "many", many)}
	for _, c := range added {
		if _, _, err := c.once(ctx); err != nil {
			return err
		}
	}
	call := func(cache, name string) command { return b.ctl(cache, name, "orders", "list", "--json") }
	medians, err := takeTurns(ctx, b.rounds, call("warm", "few"), call("warm", "many"))
	if err != nil {
		return err
	}
	t.difference("the same call on OpenAPI documents of 6 and of 5,000 operations", medians[0].wall, medians[1].wall, 3*time.Millisecond)
	t.memory("its peak memory with 5,000 operations", medians[1].rss, 30)

	var walls []time.Duration
	var most int64
	for range min(b.rounds, 7) {
		if err := os.RemoveAll(filepath.Join(b.dir, "first")); err != nil {
			return err
		}
		var wall time.Duration
		for _, c := range []command{b.addDocument("first", "many", many), call("first", "many")} {
			spent, _, err := c.once(ctx)
			if err != nil {
				return err
			}
			wall, most = wall+spent.wall, max(most, spent.rss)
		}
		walls = append(walls, wall)
	}
	what := fmt.Sprintf("site add --openapi of %.1f MB and the first call", float64(manyOperationsBytes)/1e6)
	t.limit(what, median(walls), 1500*time.Millisecond)
	t.memory(what+", peak memory of the larger process", most, 300)
	return nil
}

// addDocument is a run that makes a document a site. Its calls go to the small host.
func (b *bench) addDocument(cache, name, file string) command {
	return b.ctl(cache, "site", "add", name, "--openapi", file, "--server", "https://"+smallHost+base)
}

func (b *bench) writeDocuments() (few, many string, err error) {
	few, many = filepath.Join(b.dir, "few.json"), filepath.Join(b.dir, "many.json")
	if err := os.WriteFile(few, newDocument(fewOperations, 0), 0o600); err != nil {
		return "", "", err
	}
	return few, many, os.WriteFile(many, newDocument(manyOperations, manyOperationsBytes), 0o600)
}

// newDocument describes so many operations: the one that is measured, and fillers in groups of ten that take and return
// objects of a schema that refers to others. Further schemas make it at least so many bytes long.
func newDocument(operations, bytes int) []byte {
	var out strings.Builder
	out.WriteString(`{"openapi":"3.1.0","info":{"title":"Bench","version":"1","description":"An API to measure"},"servers":[{"url":"https://small.example/api/v1"}],"paths":{` +
		`"/orders":{"get":{"tags":["orders"],"operationId":"listOrders","summary":"List orders","parameters":[` +
		`{"name":"status","in":"query","schema":{"enum":["confirmed","delivered"]}},{"$ref":"#/components/parameters/limit"}],` +
		`"responses":{"200":{"description":"Orders","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Order"}}}}}}}}`)
	for i := 1; i < operations; i++ {
		fmt.Fprintf(&out, `,"/group%d/things%d/{id}":{"put":{"tags":["group%d"],"operationId":"updateThing%d","summary":"Change the thing number %d of its group","parameters":[`+
			`{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Order"}}}},`+
			`"responses":{"200":{"description":"The thing"}}}}`, i/10, i, i/10, i, i)
	}
	out.WriteString(`},"components":{"parameters":{"limit":{"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":100}}},"schemas":{` +
		`"Order":{"type":"object","properties":{"id":{"type":"string","readOnly":true},"qty":{"type":"integer"},"buyer":{"$ref":"#/components/schemas/Person"}}},` +
		`"Person":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"friends":{"type":"array","items":{"$ref":"#/components/schemas/Person"}}}}`)
	for i := 0; out.Len() < bytes; i++ {
		fmt.Fprintf(&out, `,"Thing%d":{"type":"object","description":"What the thing number %d looks like","required":["id"],"properties":{"id":{"type":"string","maxLength":40},`+
			`"owner":{"$ref":"#/components/schemas/Person"},"parts":{"type":"array","items":{"$ref":"#/components/schemas/Thing%d"}}}}`, i, i, i/2)
	}
	out.WriteString(`}}}`)
	return []byte(out.String())
}
