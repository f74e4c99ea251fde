package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxShownRequest is how much of a request is shown, in bytes. A longer command line is not shown: no shell would take it.
const maxShownRequest = 1 << 20

// fill gives an action what a form holds, as if it had been typed behind its command.
func (a *published) fill(given explore.Given) {
	a.typed, a.Args = actionOptions{files: given.Files}, nil
	for _, v := range given.Values {
		if _, declared := a.action.Param(v.Name); !declared {
			a.Args = append(a.Args, strings.Join(append([]string{v.Name}, v.Path...), ".")+"="+v.Text)
			continue
		}
		a.typed.flags = append(a.typed.flags, input.Flag{Name: v.Name, Path: v.Path, Text: v.Text})
	}
}

// check tells what is wrong with a form, or which command line does what it holds. Files are looked at when the request is made.
func (s *screenSession) check(ctx context.Context, q explore.Request) explore.Reply {
	a := s.described
	if a == nil || a.siteWord != q.Site || !slices.Equal(a.node.Command, q.Command) {
		if reply := s.describe(ctx, q); reply.Failure != nil {
			return reply
		}
		a = s.described
	}
	a.fill(q.Given)
	words, err := a.commonWords(ctx)
	if err != nil {
		return explore.Reply{Failure: s.failure(ctx, a.place.run, err)}
	}
	values, problems := a.values(words)
	if len(problems) > 0 {
		return explore.Reply{Problems: problems}
	}
	return explore.Reply{Line: s.lineFor(a, values, q.Raw)}
}

// preview shows the request that a form leads to, and the command line that does the same. Nothing is sent.
func (s *screenSession) preview(ctx context.Context, q explore.Request) explore.Reply {
	if err := s.dropTypeAhead(); err != nil { // the screen asks next whether to send it
		return explore.Reply{Failure: s.failure(ctx, s.run, err)}
	}
	shown := &explore.Shown{}
	notes, failure := s.onAction(ctx, q, func(ctx context.Context, a *published) error {
		out := &captured{}
		a.Streams = out.streams(q.Width)
		a.fill(q.Given)
		a.JSON = q.Raw
		values, upload, err := a.arguments(ctx)
		if err != nil {
			return err
		}
		c, err := a.readyWith(values, upload)
		if err != nil {
			return err
		}
		shown.Line = s.lineFor(a, values, q.Raw)
		shown.Digest = a.facts(c).Digest()
		a.JSON = false // the request is shown as text, whatever form of the answer it asks for
		err = a.dryRun(c.Request)
		shown.Request = a.redact(out.out.String())
		if len(shown.Request) > maxShownRequest {
			shown.Request = strings.ToValidUTF8(shown.Request[:maxShownRequest], "") + "… (cut)"
		}
		return err
	})
	if failure != nil {
		return explore.Reply{Notes: notes, Failure: failure}
	}
	return explore.Reply{Notes: notes, Preview: shown}
}

// lineFor is the command line for what was filled in; "" where that is too long. A secret is not in it: a variable stands for it.
func (s *screenSession) lineFor(a *published, values *manifest.Values, raw bool) string {
	given, hidden := map[string]jsontext.Value{}, map[string]string{}
	for _, field := range a.fields(values, nil) {
		value, _ := values.Get(field.Name)
		given[field.Name] = value
		if field.Secret {
			hidden[field.Name] = `"$` + variableOf(field.Name, hidden) + `"`
		}
	}
	line := a.lineOf(given, hidden)
	for _, file := range a.typed.files {
		line = append(line, "--"+fileFlag, shellWord(file))
	}
	text := strings.Join(append(line, s.shownFlags(raw)...), " ")
	if len(text) > maxShownRequest {
		return ""
	}
	return text
}

// variableOf is the name of a shell variable for a parameter: another one than those that are taken already, by name of their parameter.
func variableOf(name string, taken map[string]string) string {
	word := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, name)
	if word == "" || word[0] >= '0' && word[0] <= '9' {
		word = "_" + word
	}
	for n, first := 2, word; slices.Contains(slices.Collect(maps.Values(taken)), `"$`+word+`"`); n++ {
		word = fmt.Sprintf("%s_%d", first, n)
	}
	return word
}

// call makes a call as the command line does: the same checks, the same question, the same gate, the same log.
func (s *screenSession) call(ctx context.Context, q explore.Request) explore.Reply {
	sub, out, err := s.newRun(q.Site, q.Width)
	var result *explore.Result
	if err == nil {
		sub.asks, sub.JSON = s.ask(q.ID), q.Raw
		err = sub.onSite(ctx, out.root, q.Command, func(ctx context.Context, p *place) error {
			if _, err := p.walk(ctx, wordsOf(q.Command), len(q.Command)); err != nil {
				return err
			}
			return s.withAction(ctx, p, func(ctx context.Context, a *published) error {
				a.fill(q.Given)
				a.present = func(_ context.Context, answer *call.Result) (err error) {
					result, err = s.keep(q.ID, answer, q.Raw)
					return err
				}
				c, err := a.ready(ctx)
				if err != nil {
					return err
				}
				if q.Digest != "" && a.facts(c).Digest() != q.Digest {
					return fault.New(fault.Usage, "request_changed", "the request is another one by now, for the site or a file has changed; look at it again")
				}
				return a.do(ctx, c, render.Options{})
			})
		})
	}
	reply := explore.Reply{Notes: out.notes(), Result: result}
	if err != nil {
		if ctx.Err() != nil {
			s.cutOff = err
		}
		reply.Failure = s.failure(ctx, sub, err)
		s.answers.failed(sub.redactFault(*fault.From(err)))
		return reply
	}
	if result == nil { // what agentctl itself says, such as where a page is that goes on
		text := out.out.Bytes()
		reply.Result = &explore.Result{ContentType: "text/plain", Body: text, Bytes: int64(len(text))}
		s.answers.add(answer{id: q.ID, contentType: "text/plain", body: text})
	}
	return reply
}

// keep reads an answer, whole or not at all, and remembers it.
func (s *screenSession) keep(id int, from *call.Result, raw bool) (*explore.Result, error) {
	body, err := io.ReadAll(from.Body)
	if err != nil {
		return nil, err
	}
	kept := answer{id: id, contentType: from.ContentType, body: body, raw: raw}
	r := &explore.Result{Status: from.Status, ContentType: render.CleanLine(from.ContentType), Body: body, Bytes: int64(len(body))}
	if !raw {
		kept.summary = from.Summary
		r.Summary = strings.ToValidUTF8(from.Summary[:min(len(from.Summary), explore.MaxBodyBytes)], "")
	}
	s.answers.add(kept)
	switch {
	case !utf8.Valid(body):
		r.Body, r.Binary = nil, true
	case strictjson.Check(body) == nil && len(body) <= explore.MaxBodyBytes:
		r.Table = s.tableOf(body)
	}
	if len(r.Body) > explore.MaxBodyBytes {
		r.Body = []byte(strings.ToValidUTF8(string(r.Body[:explore.MaxBodyBytes]), ""))
	}
	return r, nil
}

// tableOf is a list as a table for a person, and "" for what is none.
func (s *screenSession) tableOf(body []byte) string {
	if !render.IsList(body) {
		return ""
	}
	var b bytes.Buffer
	if err := render.Table(&b, body, render.TableOptions{Person: &render.Person{Now: s.Now()}}); err != nil {
		return ""
	}
	return b.String()
}

// save writes the answer of an earlier call to a file, as --save does.
func (s *screenSession) save(ctx context.Context, q explore.Request) explore.Reply {
	kept, ok := s.answers.get(q.Earlier)
	if !ok {
		return explore.Reply{Failure: explore.FailureOf(fault.New(fault.Usage, "forgotten", "that answer is not kept any more"))}
	}
	err := render.CheckSave(q.Text)
	if err == nil {
		out := &captured{}
		err = render.Save(ctx, out.streams(q.Width), kept.asBody(), q.Text, true)
	}
	if err != nil {
		return explore.Reply{Failure: s.failure(ctx, s.run, err)}
	}
	return explore.Reply{Saved: q.Text}
}
