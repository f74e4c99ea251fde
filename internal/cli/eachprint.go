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

// resultLine is what became of a line as one line of JSON.
func (b *eachRun) resultLine(r *eachResult) []byte {
	members := []member{{"line", number(r.line)}, {"exit", number(0)}}
	if r.err != nil {
		e := fault.From(r.err)
		members[1].value = number(e.Exit())
		members = append(members, member{"kind", strictjson.Quote(string(e.Kind))})
		if e.Status > 0 {
			members = append(members, member{"status", number(e.Status)})
		}
		members = append(members, member{"error", render.FaultObject(e)})
		return render.JSONLine(b.Streams, object(members))
	}
	if r.fate == batch.Done {
		members = append(members, member{"done_before", jsontext.Value("true")})
		return render.JSONLine(b.Streams, object(members))
	}
	members = append(members, member{"status", number(r.status)})
	switch {
	case len(r.body) == 0:
	case strictjson.Check(r.body) == nil:
		members = append(members, member{"result", strictjson.Compact(r.body)})
	case utf8.Valid(r.body):
		members = append(members, member{"result", strictjson.Quote(string(r.body))})
	default:
		members = append(members, member{"result", strictjson.Quote(base64.StdEncoding.EncodeToString(r.body))},
			member{"encoding", jsontext.Value(`"base64"`)})
	}
	return render.JSONLine(b.Streams, object(members))
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
