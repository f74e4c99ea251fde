package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/schema/jsontree"
)

const identifierVector = `{"id":"local-identifier","title":"T","drafts":["d"],"category":"identity","subject":"local-identifier"}`

func line(sequence, role, vector, testcase string) string {
	return `{"protocol_version":"1","sequence":` + sequence + `,"role":"` + role + `","vector":` + vector + `,"case":` + testcase + `}`
}

// conversation sends lines to the adapter, and returns its responses by sequence.
func conversation(t *testing.T, in string) (responses map[int64]status, messages, diagnostics string, err error) {
	t.Helper()
	var out, errOut strings.Builder
	err = serve(strings.NewReader(in), &out, &errOut)
	responses = map[int64]status{}
	for text := range strings.Lines(out.String()) {
		var r response
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil || r.Version != "1" || len([]rune(r.Message)) > 1024 {
			t.Errorf("a response that is none: %s", text)
		}
		if _, twice := responses[r.Sequence]; twice {
			t.Errorf("%d is answered twice", r.Sequence)
		}
		responses[r.Sequence] = r.Status
		messages += r.Message + "\n"
	}
	return responses, messages, errOut.String(), err
}

func TestEachRequestGetsOneResponse(t *testing.T) {
	in := strings.Join([]string{
		line("1", "agent", identifierVector, `{"value":"a","valid":true}`),
		line("2", "agent", identifierVector, `{"value":"a","valid":false}`),
		"",
		line("7", "service", identifierVector, `{"value":"a","valid":true}`),
		line("3", "agent", identifierVector, `{"role":"service","value":"a","valid":true}`),
		line("4", "agent", identifierVector, `{"value":"a"}`),
		line("5", "agent", identifierVector, `{"valid":true}`),
		line("6", "agent", strings.Replace(identifierVector, "identity", "weather", 1), `{"value":"a","valid":true}`),
		line("8", "agent", strings.Replace(identifierVector, "identity", "pagination", 1), `{"operation":"validate-weather","valid":true}`) + "\r",
	}, "\n") // the last line has no end
	got, messages, diagnostics, err := conversation(t, in)
	if err != nil || diagnostics != "" {
		t.Errorf("%v %s", err, diagnostics)
	}
	want := map[int64]status{1: passed, 2: failed, 3: skipped, 4: failed, 5: failed, 6: failed, 7: skipped, 8: failed}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, part := range []string{"was accepted", "for a service", `no "valid"`, `no "value"`, "no code"} {
		if !strings.Contains(messages, part) {
			t.Errorf("no message says %q:\n%s", part, messages)
		}
	}
}

func TestLinesThatAreNoRequests(t *testing.T) {
	sound := line("9", "agent", identifierVector, `{"value":"a","valid":true}`)
	for name, bad := range map[string]string{
		"no JSON":            `{"protocol_version"`,
		"two values":         sound + sound,
		"an array":           `[]`,
		"another version":    strings.Replace(sound, `"1"`, `"2"`, 1),
		"version as number":  strings.Replace(sound, `"1"`, `1`, 1),
		"an unknown member":  strings.Replace(sound, `"role"`, `"x":1,"role"`, 1),
		"an unknown role":    strings.Replace(sound, `"role":"agent"`, `"role":"judge"`, 1),
		"sequence 0":         strings.Replace(sound, `:9,`, `:0,`, 1),
		"sequence 1.5":       strings.Replace(sound, `:9,`, `:1.5,`, 1),
		"no sequence":        strings.Replace(sound, `"sequence":9,`, ``, 1),
		"an empty case":      line("9", "agent", identifierVector, `{}`),
		"a case as text":     line("9", "agent", identifierVector, `"x"`),
		"no case":            strings.Replace(sound, `"case"`, `"cases"`, 1),
		"a vector with more": line("9", "agent", strings.Replace(identifierVector, "{", `{"x":1,`, 1), `{"valid":true}`),
		"a vector without drafts": line("9", "agent", strings.Replace(identifierVector, `"d"`, ``, 1),
			`{"valid":true}`),
		"an empty category": line("9", "agent", strings.Replace(identifierVector, "identity", "", 1), `{"valid":true}`),
	} {
		t.Run(name, func(t *testing.T) {
			got, _, diagnostics, err := conversation(t, bad+"\n"+line("1", "agent", identifierVector, `{"value":"a","valid":true}`)+"\n")
			if err == nil || !strings.HasPrefix(diagnostics, "line 1: ") {
				t.Errorf("%v, diagnostics %q", err, diagnostics)
			}
			if diff := cmp.Diff(map[int64]status{1: passed}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadingThatFails(t *testing.T) {
	if err := serve(iotest.ErrReader(errors.New("gone")), &strings.Builder{}, &strings.Builder{}); err == nil {
		t.Error("no error")
	}
}

func TestLongMessagesAreCut(t *testing.T) {
	in := line("1", "agent", identifierVector, `{"operation":"`+strings.Repeat("é", 5000)+`","left":{},"value":"a"}`)
	in += "\n" + line("2", "agent", strings.Replace(identifierVector, "identity", "pagination", 1), `{"operation":"`+strings.Repeat("é", 5000)+`"}`)
	if got, _, _, err := conversation(t, in); err != nil || len(got) != 2 {
		t.Errorf("%v %v", got, err)
	}
}

// Every suite survives cases whose members are of the wrong kind, and never passes them.
func TestSenselessCases(t *testing.T) {
	for _, s := range suites() {
		for _, value := range []string{`null`, `[]`, `{}`, `""`, `-1`, `1e300`, `[null,{}]`, `{"a":[]}`, `true`} {
			n := jsontree.Parse([]byte(`{}`))
			for _, name := range []string{
				"actions", "advertisement", "allowed", "behaviors", "bytes", "chain_length", "collections", "condition", "definition", "definitions",
				"document", "expression", "full", "href", "http_status", "input_fields", "lifetime_seconds", "limit", "next", "offerings", "page",
				"page_count", "pages", "problem", "protocols", "query_collection_id", "received", "reference", "request", "response", "responses",
				"schema_status", "service", "sort", "supported", "target", "terse", "top_level", "url", "value", "values", "left", "right",
			} {
				n.Set(name, jsontree.Parse([]byte(value)))
			}
			n.Set("operation", jsontree.String(s.operation))
			if s.input != "" && n.Member(s.input) == nil {
				n.Set(s.input, jsontree.Parse([]byte(value)))
			}
			c := testcase{vector{ID: s.vector, Category: s.category}, n}
			if verdict, message := judge(request{role: agent, testcase: c}); verdict != failed || strings.Contains(message, "broke down") {
				t.Errorf("%+v with %s: %s %s", s, value, verdict, message)
			}
		}
	}
}

func TestReport(t *testing.T) {
	results := []result{{"b", "x", passed, ""}, {"a", "y", failed, "why"}, {"b", "z", skipped, "not for us"}}
	var out, diagnostics strings.Builder
	err := report{"1.2", "r1", time.Unix(0, 0)}.write(&out, &diagnostics, results)
	if err == nil || diagnostics.String() != "failed: y: why\nskipped: z: not for us\n" {
		t.Errorf("%v, %q", err, diagnostics.String())
	}
	var got any
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal([]byte(`{"report_version":"1","generated_at":"1970-01-01T00:00:00Z","implementation":{"name":"agentctl","version":"1.2"},
		"role":"agent","odp_version":"1.0","vector_revision":"r1","suites":[
		{"category":"a","passed":0,"failed":1,"skipped":0},{"category":"b","passed":1,"failed":0,"skipped":1}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
