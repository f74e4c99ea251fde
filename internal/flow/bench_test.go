package flow

import (
	"context"
	"testing"
)

// What a flow of three steps costs beside its calls: planning, checking and keeping it on the disk.
func BenchmarkRunThreeSteps(b *testing.B) {
	s := newSite()
	r := s.runner(b.TempDir())
	r.Started, r.Finished = nil, nil
	r.Do = func(_ context.Context, call StepCall) ([]byte, error) {
		return []byte(s.answers[call.Name]), call.Sending()
	}
	for b.Loop() {
		if _, err := r.Run(b.Context(), planOf(b, buyProduct, shop()), valuesOf(paper)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	f, c := flowOf(b, buyProduct), shop()
	for b.Loop() {
		if _, err := Compile(f, c.lookup); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	p, inputs := planOf(b, buyProduct, shop()), valuesOf(paper)
	for b.Loop() {
		if problems := p.Check(inputs); problems != nil {
			b.Fatal(problems)
		}
	}
}
