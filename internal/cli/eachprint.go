package cli

import (
	"bufio"
	"encoding/base64"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// resultLine is what became of a line as one line of JSON, in place of another one.
func (b *eachRun) resultLine(last []byte, r *eachResult) []byte {
	out := last[:0]
	out = append(strconv.AppendInt(append(out, `{"line":`...), int64(r.line), 10), `,"exit":`...)
	switch {
	case r.err != nil:
		out = appendFailure(out, fault.From(r.err))
	case r.fate == batch.Done:
		out = append(out, `0,"done_before":true`...)
	default:
		out = strconv.AppendInt(append(out, `0,"status":`...), int64(r.status), 10)
		out = appendAnswer(out, r.body)
	}
	return render.JSONLine(b.Streams, append(out, '}'))
}

func appendFailure(out []byte, e *fault.Error) []byte {
	out = append(strconv.AppendInt(out, int64(e.Exit()), 10), `,"kind":`...)
	out = append(out, strictjson.Quote(string(e.Kind))...)
	if e.Status > 0 {
		out = strconv.AppendInt(append(out, `,"status":`...), int64(e.Status), 10)
	}
	return append(append(out, `,"error":`...), render.FaultObject(e)...)
}

// appendAnswer appends the body of an answer: as it is where it is JSON, else as a string.
func appendAnswer(out, body []byte) []byte {
	if len(body) == 0 {
		return out
	}
	out = append(out, `,"result":`...)
	switch {
	case strictjson.Check(body) == nil:
		return strictjson.AppendCompact(out, body)
	case utf8.Valid(body):
		return append(out, strictjson.Quote(string(body))...)
	}
	return append(append(out, strictjson.Quote(base64.StdEncoding.EncodeToString(body))...), `,"encoding":"base64"`...)
}

func number(n int) jsontext.Value { return strconv.AppendInt(nil, int64(n), 10) }

// show prints the requests that would be sent, each as one line of JSON.
func (b *eachRun) show() error {
	parts, err := b.carries()
	if err != nil {
		return err
	}
	next, err := b.spool.Each()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(b.Out, 64<<10)
	for {
		k, err := next()
		if errors.Is(err, io.EOF) {
			return out.Flush()
		}
		if err != nil {
			return err
		}
		c, err := b.again(b.apart(), k)
		if err != nil {
			return err
		}
		request, header := withRedacted(c.call.Request, parts)
		members := append([]member{{"line", number(k.Number)}}, dryRunMembers(request, header)...)
		if _, err := out.Write(render.JSONLine(b.Streams, object(members))); err != nil {
			return err
		}
	}
}
