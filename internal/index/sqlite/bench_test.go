package sqlite

import (
	"fmt"
	"testing"

	"github.com/agentctl/agentctl/internal/index"
	"github.com/agentctl/agentctl/internal/index/sample"
)

// filled returns an index with so many sites of ten actions each.
func filled(b *testing.B, sites int) *Store {
	b.Helper()
	s, err := Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	for i := range sites {
		if err := s.Put(b.Context(), sample.Site(i, 10)); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func BenchmarkSearch(b *testing.B) {
	s := filled(b, 10_000)
	for _, text := range []string{"order", "create order", "list all orders of a customer account", "order payment message report room", "bababa"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Search(b.Context(), index.Query{Text: text}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPut(b *testing.B) {
	s := filled(b, 500)
	b.Run("50 new actions", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := s.Put(b.Context(), sample.Site(1_000_000+i, 50)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("50 actions again", func(b *testing.B) {
		site := sample.Site(7, 50)
		for i := 0; b.Loop(); i++ {
			site.Sum = fmt.Sprint(i)
			if err := s.Put(b.Context(), site); err != nil {
				b.Fatal(err)
			}
		}
	})
}
