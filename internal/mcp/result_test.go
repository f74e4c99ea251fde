package mcp

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/strictjson"
)

func keep(text string) string { return text }

func TestResults(t *testing.T) {
	for name, test := range map[string]struct {
		raw        string
		text       string
		structured string
	}{
		"text":              {`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "a\n\nb", ""},
		"structured alone":  {`{"structuredContent":{"b":0.1000,"a":12345678901234567890}}`, "", `{"b":0.1000,"a":12345678901234567890}`},
		"both":              {`{"content":[{"type":"text","text":"a"}], "structuredContent": [ 1 ]}`, "a", "[1]"},
		"nothing":           {`{"content":[]}`, "", ""},
		"an image":          {`{"content":[{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("A", 16_000) + `"}]}`, "[image image/png, 12 kB]", ""},
		"a small sound":     {`{"content":[{"type":"audio","mimeType":"audio/wav","data":"QUI="}]}`, "[audio audio/wav, 2 bytes]", ""},
		"a large image":     {`{"content":[{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("A", 2_000_000) + `"}]}`, "[image image/png, 1.5 MB]", ""},
		"a link":            {`{"content":[{"type":"resource_link","uri":"file:///x","name":"x"}]}`, "[link file:///x, x]", ""},
		"a resource":        {`{"content":[{"type":"resource","resource":{"uri":"file:///x","mimeType":"text/plain","text":"hello"}}]}`, "[resource file:///x, text/plain, 5 bytes]", ""},
		"bytes":             {`{"content":[{"type":"resource","resource":{"uri":"file:///x","blob":"QUJD"}}]}`, "[resource file:///x, 3 bytes]", ""},
		"what nobody knows": {`{"content":[{"type":"hologram"},{},7]}`, "[hologram]\n\n[content]\n\n[content]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := readResult(jsontext.Value(test.raw))
			if err != nil {
				t.Fatal(err)
			}
			if r.Text != test.text || string(r.Structured) != test.structured || r.IsError || r.fault(keep) != nil {
				t.Errorf("got %q, %s, %v", r.Text, r.Structured, r.IsError)
			}
		})
	}
}

func TestWhatIsNoResult(t *testing.T) {
	for name, test := range map[string]struct{ raw, code string }{
		"nothing":          {``, "protocol_error"},
		"null":             {`null`, "protocol_error"},
		"no content":       {`{}`, "protocol_error"},
		"content":          {`{"content":"x"}`, "protocol_error"},
		"twice":            {`{"content":[],"content":[]}`, "protocol_error"},
		"deep":             {`{"content":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}`, "protocol_error"},
		"questions":        {`{"content":[],"inputRequests":{}}`, "mcp_input_required"},
		"a kind that asks": {`{"content":[],"resultType":"input_required"}`, "mcp_input_required"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readResult(jsontext.Value(test.raw))
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != test.code || e.Sent != fault.SentYes {
				t.Errorf("got %+v", err)
			}
		})
	}
}

func TestAToolThatFails(t *testing.T) {
	r, err := readResult(jsontext.Value(`{"isError":true,"content":[{"type":"text","text":"no such s3cret"}]}`))
	if err != nil || !r.IsError {
		t.Fatalf("got %+v, %v", r, err)
	}
	e := fault.From(r.fault(func(text string) string { return strings.ReplaceAll(text, "s3cret", "<redacted>") }))
	if e.Kind != fault.Rejected || e.Code != "tool_error" || e.Message != "no such <redacted>" || e.Sent != fault.SentYes || e.Details["result"] == nil {
		t.Errorf("got %+v", e)
	}
	silent := Result{IsError: true, Raw: jsontext.Value(`{}`)}
	if e := fault.From(silent.fault(keep)); e.Message == "" {
		t.Error("a tool that says nothing is no error")
	}
}

// A result that is read is valid JSON, and reads the same again.
func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a"},{"type":"resource","resource":{"blob":"QUI="}}],"structuredContent":1.0,"isError":true}`))
	f.Add([]byte(`{"content":[{"type":"image","data":"===="}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := readResult(raw)
		if err != nil {
			if k := fault.From(err).Kind; k != fault.Unavailable && k != fault.Rejected {
				t.Fatalf("%v is of kind %s", err, k)
			}
			return
		}
		again, err := readResult(r.Raw)
		if err != nil || again.Text != r.Text || strictjson.Check(r.Raw) != nil {
			t.Fatalf("%s: %v", r.Raw, err)
		}
	})
}
