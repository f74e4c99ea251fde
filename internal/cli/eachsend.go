package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/render"
)

const (
	// maxEachAnswer is the most that is read of one answer, in bytes: several are held until those before them are printed.
	maxEachAnswer = 4 << 20
	// eachGrace is how long calls that run may go on after Ctrl-C.
	eachGrace = 5 * time.Second
)

// approve gets the credential, so that nobody approves what cannot be sent, and then the one yes.
func (b *eachRun) approve(ctx context.Context) (err error) {
	if b.plan.Calls == 0 {
		return nil
	}
	if b.account, err = b.accountOf(b.conn.origin); err != nil {
		return err
	}
	if err := b.conn.timed(ctx, func(ctx context.Context) (err error) {
		b.carried, err = b.credentials(ctx, b.account)
		return err
	}); err != nil {
		return err
	}
	var ask func(context.Context, *policy.Batch) (bool, error)
	if b.gate.Ask != nil && b.each.file != "-" {
		ask = b.askAll
	}
	b.by, err = b.plan.Approve(ctx, ask)
	return err
}

// askAll puts all calls to the person at the terminal.
func (b *eachRun) askAll(ctx context.Context, plan *policy.Batch) (bool, error) {
	answer, err := b.answer(ctx, b.questionForAll(plan))
	if err == nil && plan.Strong() {
		return answer == strings.Join(b.node.Command, " "), nil
	}
	return isYes(answer), err
}

// questionForAll tells how many calls there are and how much they cost, and shows the first one.
func (b *eachRun) questionForAll(plan *policy.Batch) string {
	var q strings.Builder
	f := plan.First
	if plan.Calls == 1 {
		fmt.Fprintf(&q, "This call %s at %s.\n", f.Consequence(), b.target(f.Site))
	} else {
		fmt.Fprintf(&q, "These %d calls %s at %s.\n", plan.Calls, plan.Consequence(), b.target(f.Site))
	}
	if plan.Asking < plan.Calls {
		fmt.Fprintf(&q, "  asking:  %d of them; the others go through\n", plan.Asking)
	}
	b.describe(&q, f, plan.Why)
	if len(f.Fields) > 0 {
		q.WriteString("  what the first of them sends\n")
	}
	b.fieldsOf(&q, f)
	q.WriteString(goAhead(f.Command, plan.Strong()))
	return q.String()
}

// eachResult is what became of one line.
type eachResult struct {
	line   int
	status int
	body   []byte
	fate   batch.Fate
	err    error
}

// send makes the calls, and prints what becomes of them in the order of the lines.
func (b *eachRun) send(ctx context.Context) error {
	next, err := b.spool.Each()
	if err != nil {
		return err
	}
	calls, cancel := graceful(ctx)
	defer cancel()
	out := bufio.NewWriterSize(b.Out, 64<<10)
	told, line := summary{}, []byte{}
	var stop atomic.Bool
	var lost error // of the output: no more calls are started then, and those that run are counted still
	written := func(err error) {
		if err != nil && lost == nil {
			lost = err
			stop.Store(true)
		}
	}
	var far eachProgress
	stopSpinning := b.spinEach(&far)
	var renewing sync.Mutex
	runner := batch.Runner[*batch.Kept, *eachResult]{
		Concurrency: b.each.concurrency,
		Next: func() (*batch.Kept, error) {
			if stop.Load() {
				return nil, io.EOF
			}
			return next()
		},
		Do: func(k *batch.Kept) *eachResult {
			result := b.do(calls, k, &renewing)
			if result.err != nil && b.each.failFast {
				stop.Store(true)
			}
			return result
		},
		Emit: func(r *eachResult) error {
			told.add(r)
			far.add(r)
			line = b.resultLine(line, r)
			_, err := out.Write(line)
			written(err)
			return nil
		},
		Show: func() error {
			written(out.Flush())
			return nil
		},
	}
	if b.action.Target.Tool {
		runner.Concurrency = 1
	}
	err = runner.Run(ctx)
	stopSpinning()
	written(out.Flush())
	switch {
	case err != nil:
		return answered(err)
	case lost != nil:
		return told.unwritten(b, lost)
	case ctx.Err() != nil:
		return told.fault(b, fault.New(fault.Interrupted, "interrupted", "interrupted"))
	case told.first != nil:
		return told.fault(b, told.first)
	}
	return nil
}

// graceful is a context that ends some time after ctx does.
func graceful(ctx context.Context) (later context.Context, cancel context.CancelFunc) {
	later, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(eachGrace)
		defer timer.Stop()
		select {
		case <-timer.C:
			end()
		case <-later.Done():
		}
	})
	return later, func() {
		stop()
		end()
	}
}

// do makes the call of one line.
func (b *eachRun) do(ctx context.Context, k *batch.Kept, renewing *sync.Mutex) *eachResult {
	result := &eachResult{line: k.Number, fate: k.Fate}
	if k.Fate == batch.Done {
		return result
	}
	if k.Fate == batch.Unknown && !b.each.retryUnknown {
		e := fault.New(fault.Unavailable, "outcome_unknown", "it was sent before, and nobody knows whether it had its effect").
			WithHint("check with the site; --retry-unknown sends it again")
		e.Sent = fault.SentUnknown
		result.err = e
		return result
	}
	p := b.alone()
	defer b.done(p)
	p.renewing = renewing
	if err := b.sendLine(ctx, p, k, result); err != nil {
		e := *fault.From(err)
		e.Site, e.Command = b.siteWord, b.node.Command
		if _, offered := e.Details["approval"]; offered { // of one call, which cannot be handed back here
			e.Details = maps.Clone(e.Details)
			delete(e.Details, "approval")
			e.Hint = "only a rule can allow it for a line of --each: agentctl policy edit"
		}
		result.err = p.redactFault(e)
	}
	return result
}

// sendLine takes one call past the rules again, which may have changed, and sends it.
func (b *eachRun) sendLine(ctx context.Context, p *published, k *batch.Kept, result *eachResult) error {
	c, err := b.again(p, k)
	if err != nil {
		return err
	}
	passage, err := b.plan.Pass(c.facts, b.by)
	if err != nil {
		return err
	}
	if c.facts.Audited() {
		c.facts.Fields = p.fields(c.values, b.upload)
	}
	done, err := p.record(c.facts, passage)
	if err != nil {
		return err
	}
	p.sending = func() error { return b.noteSending(c, k) }
	err = p.sendCleared(ctx, c.call, b.account, b.carried, done, func(_ context.Context, answer *call.Result) (err error) {
		result.status = answer.Status
		result.body, err = answer.Content()
		return err
	})
	if b.state == nil {
		return err
	}
	event, exit := c.became(err), 0
	if event == batch.Failed && k.Fate == batch.Unknown {
		event = batch.Doubtful // what became of the call before is as unknown as it was
	}
	if err != nil {
		exit = fault.From(err).Exit()
	}
	if event == "" {
		return err
	}
	return cmp.Or(err, answered(b.state.Note(k.Number, c.input, event, exit)))
}

// noteSending has the state know that a call with an effect is about to be sent.
func (b *eachRun) noteSending(c *madeCall, k *batch.Kept) error {
	if b.state == nil || c.call.Effect == manifest.Read {
		return nil
	}
	event := batch.Sending
	if k.Fate == batch.Unknown {
		event = batch.Again
	}
	return b.state.Note(k.Number, c.input, event, 0)
}

// became tells what the state is to know of a call; "" for nothing: reading can always be done again.
func (c *madeCall) became(err error) batch.Event {
	if err == nil {
		return batch.Finished
	}
	if c.call.Effect == manifest.Read {
		return ""
	}
	e, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok:
		return batch.Doubtful
	case e.Sent == "" || e.Sent == fault.SentNo:
		return batch.Failed
	case e.Sent == fault.SentYes && e.Status >= http.StatusMultipleChoices && e.Status < http.StatusInternalServerError:
		return batch.Failed // the site refused it
	}
	return batch.Doubtful
}

// summary counts what became of lines.
type summary struct {
	done, before, failed int
	first                *fault.Error // the first failure by the order of lines
	firstLine            int
	sent                 fault.Sent
}

func (s *summary) add(r *eachResult) {
	switch {
	case r.err == nil && r.fate == batch.Done:
		s.before++
		return
	case r.err == nil:
		s.done++
		s.sent = worse(s.sent, fault.SentYes)
		return
	}
	s.failed++
	e := fault.From(r.err)
	s.sent = worse(s.sent, e.Sent)
	if s.first == nil {
		s.first, s.firstLine = e, r.line
	}
}

// worse is what is true of both: unknown before yes before no.
func worse(a, b fault.Sent) fault.Sent {
	for _, sent := range []fault.Sent{fault.SentUnknown, fault.SentYes} {
		if a == sent || b == sent {
			return sent
		}
	}
	return fault.SentNo
}

// unwritten ends a run whose output takes no more. That its reader has gone is no failure where nothing was left to be done to
// the site.
func (s *summary) unwritten(b *eachRun, lost error) error {
	switch gone := errors.Is(lost, render.ErrOutputClosed); {
	case gone && s.failed == 0 && (s.left(b) == 0 || b.action.Effect == manifest.Read):
		return lost
	case gone:
		lost = fault.New(fault.Internal, "write_failed", "%w", lost)
	}
	return s.fault(b, fault.From(lost))
}

// left is how many lines were not started.
func (s *summary) left(b *eachRun) int { return b.lines - s.done - s.before - s.failed }

// fault ends a run of which not everything is done. Its kind, and so the exit status, is that of why.
func (s *summary) fault(b *eachRun, why *fault.Error) *fault.Error {
	left := s.left(b)
	code := why.Code
	var parts []string
	switch {
	case why == s.first:
		code = "lines_failed"
	case why.Kind != fault.Interrupted:
		parts = append(parts, why.Error())
	}
	if s.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d lines failed, the first is line %d: %s", s.failed, b.lines, s.firstLine, s.first.Error()))
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d lines were not started", left, b.lines))
	}
	if len(parts) == 0 {
		parts = []string{"interrupted when all lines were done"}
	}
	e := fault.New(why.Kind, code, "%s", strings.Join(parts, "; "))
	if b.state != nil && s.failed+left > 0 {
		e.Hint = "the same command goes on where it ended; what is done is not done again"
	}
	e.Sent = s.sent
	e.Details = map[string]any{"lines": b.lines, "done": s.done, "done_before": s.before, "failed": s.failed, "not_started": left}
	return e
}
