package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Whatever a line holds, it gets a response or an error, never both, and the response is one.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		line("1", "agent", identifierVector, `{"value":"a","valid":true}`),
		line("2", "service", identifierVector, `{"value":1}`),
		line("3", "agent", strings.ReplaceAll(identifierVector, "identity", "pagination"), `{"operation":"validate-limit","limit":5,"valid":true}`),
		line("4", "agent", strings.ReplaceAll(identifierVector, "identity", "errors-limits"), `{"operation":"validate-limit","resource":"page","bytes":9,"valid":true}`),
		line("5", "agent", strings.ReplaceAll(identifierVector, "identity", "representation"), `{"terse":{"detail_fields":["/a"]},"full":{"a":1},"valid":true}`),
		line("6", "agent", strings.ReplaceAll(identifierVector, "identity", "refinements"), `{"operation":"compute-counts","filter_id":"f","offerings":[{"f":["x"]}],"expected":{"x":1}}`),
		`{}`, ``, `[1`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var out bytes.Buffer
		err := answer(line, &out)
		if err != nil {
			if out.Len() > 0 {
				t.Fatalf("an error and a response: %v, %s", err, out.String())
			}
			return
		}
		var r response
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Sequence < 1 || bytes.Count(out.Bytes(), []byte("\n")) != 1 {
			t.Fatalf("%v: %q", err, out.String())
		}
		if strings.Contains(r.Message, "broke down") {
			t.Fatalf("%s: %s", line, r.Message)
		}
	})
}
