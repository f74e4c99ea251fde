package cli

import (
	"errors"
	"io"
	"testing"

	"github.com/agentctl/agentctl/internal/batch"
)

// typedLines is a terminal: behind an end of input there may be more.
type typedLines struct{ chunks []string }

func (l *typedLines) Read(p []byte) (int, error) {
	chunk := l.chunks[0]
	l.chunks = l.chunks[1:]
	if chunk == "" {
		return 0, io.EOF
	}
	return copy(p, chunk), nil
}

func TestLinesThatAreTypedEndOnce(t *testing.T) {
	for _, typed := range [][]string{{"{}\n", "{}\n", "", "{}\n"}, {"qty\n", "1\n", "2\n", "", "3\n"}} {
		lines, err := batch.NewReader(&patientReader{ctx: t.Context(), in: &typedLines{typed}}, "")
		if err != nil {
			t.Fatal(err)
		}
		if all, err := readLines(lines); err != nil || len(all) != 2 {
			t.Fatalf("%q: %d lines, %v", typed, len(all), err)
		}
		if all, err := readLines(lines); !errors.Is(err, io.EOF) {
			t.Errorf("%q: behind the end there are %d lines, %v", typed, len(all), err)
		}
	}
}
