package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
)

// echo is a session whose only tool returns its arguments.
type echo struct {
	observer Observer
	closed   *int
}

func (echo) Tools(context.Context) ([]jsontext.Value, error) {
	return raws(`{"name":"x","inputSchema":{"const":1.000}}`), nil
}

func (e echo) Call(_ context.Context, call Call) (jsontext.Value, error) {
	e.observer.Sending()
	return call.Arguments, nil
}

func (e echo) Close() { *e.closed++ }

func opener(closed *int) Open {
	return func(_ context.Context, target Target, observer Observer) (Session, error) {
		if target.URL == "" {
			return nil, fault.New(fault.Usage, "invalid_url", "no URL")
		}
		if observer.Trace != nil {
			observer.Trace(fetch.Event{Kind: fetch.EventFailure, Err: errors.New("<gone>")})
			observer.Note("hello")
		}
		return echo{observer, closed}, nil
	}
}

func TestRequestsAreAnsweredInTurn(t *testing.T) {
	closed := 0
	var out bytes.Buffer
	err := Serve(t.Context(), strings.NewReader(`{"op":"tools"}
{"op":"connect","connect":{"url":"","settings":{}}}
{"op":"connect","connect":{"url":"u","settings":{},"verbose":true}}
{"op":"tools"}
{"op":"call","call":{"tool":"x","arguments":{"b":"<","a":0.1000}}}
{"op":"dance"}
`), &out, opener(&closed))
	if err != nil || closed != 1 {
		t.Errorf("%v, closed %d times", err, closed)
	}
	want := `{"done":true,"failure":{"kind":"internal","code":"invalid_request","message":"\"tools\" is no request, or it is not its turn"}}
{"done":true,"failure":{"kind":"usage","code":"invalid_url","message":"no URL"}}
{"event":{"kind":"failure","err":"<gone>"}}
{"note":"hello"}
{"done":true}
{"done":true,"tools":[{"name":"x","inputSchema":{"const":1.000}}]}
{"sending":true}
{"done":true,"result":{"b":"<","a":0.1000}}
{"done":true,"failure":{"kind":"internal","code":"invalid_request","message":"\"dance\" is no request, or it is not its turn"}}
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// hanging is a session that works until it is given up.
type hanging struct{ echo }

func (hanging) Call(ctx context.Context, _ Call) (jsontext.Value, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestTheEndOfTheRequestsEndsWhatIsBeingDone(t *testing.T) {
	closed := 0
	var out bytes.Buffer
	err := Serve(t.Context(), strings.NewReader(`{"op":"connect","connect":{"url":"u","settings":{}}}
{"op":"call","call":{"tool":"x","arguments":{}}}
`), &out, func(context.Context, Target, Observer) (Session, error) { return hanging{echo{closed: &closed}}, nil })
	if err != nil || closed != 1 || !strings.Contains(out.String(), `"kind":"interrupted"`) {
		t.Errorf("%v, closed %d times: %s", err, closed, out.String())
	}
}

func TestARequestThatCannotBeRead(t *testing.T) {
	for _, in := range []string{"{", `{"op":7}`, strings.Repeat("x", maxLineBytes+1)} {
		closed := 0
		if err := Serve(t.Context(), strings.NewReader(in+"\n"), io.Discard, opener(&closed)); fault.From(err).Kind != fault.Usage {
			t.Errorf("%.20q: %v", in, err)
		}
	}
}

// Whatever comes in, every line that goes out is one that agentctl can read.
func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"op":"connect","connect":{"url":"u","settings":{},"verbose":true}}` + "\n" + `{"op":"tools"}` + "\n" + `{"op":"call","call":{"tool":"x","arguments":{}}}`))
	f.Add([]byte(`{"op":"connect","connect":{"url":"u","settings":{"resolve":[{"Host":"a","Port":1,"Addr":"[::1]:1"}]}}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		closed := 0
		var out bytes.Buffer
		if err := Serve(t.Context(), bytes.NewReader(in), &out, opener(&closed)); err != nil && fault.From(err).Kind != fault.Usage {
			t.Fatal(err)
		}
		for lines := newLines(&out); ; {
			var l line
			err := readLine(lines, &l)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%v in %q", err, out.Bytes())
			}
		}
	})
}

// Whatever the program writes, agentctl reads it or says that it cannot.
func FuzzLine(f *testing.F) {
	f.Add([]byte(`{"event":{"kind":"request"}}` + "\n" + `{"done":true,"failure":{"kind":"auth","details":{"a":1}}}`))
	f.Add([]byte(`{"done":true,"tools":[{"name":"x"}],"result":{"content":[]}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		for lines := newLines(bytes.NewReader(in)); ; {
			var l line
			if err := readLine(lines, &l); err != nil {
				return
			}
			if l.Event != nil {
				_ = l.Event.event()
			}
			if l.Failure != nil && l.Failure.Fault().Exit() == 0 {
				t.Fatalf("a failure without a status: %+v", l.Failure)
			}
			_ = readTools(l.Tools)
			_, _ = readResult(l.Result)
		}
	})
}
