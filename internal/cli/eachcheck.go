package cli

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

const (
	maxToldProblems = 100 // of a file that are told; more are counted
	chunkOfLines    = 64  // that are checked at a time, by one of several
)

// lineToCheck is a line that was read, and what became of it.
type lineToCheck struct {
	in       *batch.Input
	number   int
	problems []fault.Problem
	made     *madeCall // nil where there are problems
}

// check reads all lines, tells all that is wrong with them, and decides about the calls. Nothing is sent.
func (b *eachRun) check(ctx context.Context) error {
	lines, done, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	found := faulty{}
	var denied error
	runner := batch.Runner[[]lineToCheck, []lineToCheck]{
		Concurrency: runtime.GOMAXPROCS(0),
		Next:        func() ([]lineToCheck, error) { return readLines(lines) },
		Do:          b.checkAll,
		Emit: func(all []lineToCheck) error {
			for i := range all {
				b.lines++
				found.add(all[i].number, all[i].problems...)
				if found.lines == 0 && denied == nil {
					denied = b.keep(all[i].number, all[i].made)
				}
			}
			return nil
		},
	}
	err = runner.Run(ctx)
	for i := 0; i < len(b.told); i += 2 { // what is traced is redacted by the run that all have in common
		if !slices.Contains(b.secrets, b.told[i]) {
			b.hide(b.told[i])
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return eachFault(ctx, err)
	case found.lines > 0:
		return found.fault(b.lines, b.path())
	case b.lines == 0:
		return fault.New(fault.Usage, "invalid_input", "--each: the file has no lines")
	}
	return denied
}

// checkAll checks the arguments of some lines and makes their requests. It may be called from several goroutines at once.
func (b *eachRun) checkAll(all []lineToCheck) []lineToCheck {
	a := b.apart()
	common := a.secrets
	for i := range all {
		if all[i].in == nil {
			continue
		}
		var values *manifest.Values
		a.secrets, a.opened = common, false
		if values, all[i].problems = a.values(b.words(all[i].in)); len(all[i].problems) > 0 {
			continue
		}
		var err error
		if all[i].made, err = b.make(a, values); err != nil {
			all[i].problems = fault.From(err).Problems
			continue
		}
		all[i].made.digest = all[i].made.facts.Digest()
	}
	return all
}

// keep decides about a line, and keeps it to be sent.
func (b *eachRun) keep(number int, c *madeCall) error {
	kept := batch.Kept{Number: number}
	if b.state != nil {
		kept.Fate = b.state.Fate(c.input)
	}
	if b.Verbose {
		b.told = append(b.told, c.secrets...)
	}
	if kept.Fate == batch.Send || kept.Fate == batch.Unknown && b.each.retryUnknown {
		if err := b.plan.Add(c.facts, c.digest); err != nil {
			e := *fault.From(err)
			e.Message = fmt.Sprintf("line %d: %s", number, e.Error())
			return &e
		}
		if b.plan.First == c.facts { // it is shown to a person
			c.facts.Fields = b.fields(c.values, b.upload)
		}
	}
	if c.opened {
		kept.Digest = c.digest
	}
	b.packed = b.pack(b.packed[:0], c.values)
	kept.Values = b.packed
	return b.spool.Add(kept)
}

// faulty collects what is wrong with lines.
type faulty struct {
	problems []fault.Problem
	more     int // that are not among them
	lines    int
}

func (f *faulty) add(line int, problems ...fault.Problem) {
	if len(problems) > 0 {
		f.lines++
	}
	for _, p := range problems {
		if len(f.problems) == maxToldProblems {
			f.more++
			continue
		}
		p.Line = line
		f.problems = append(f.problems, p)
	}
}

func (f *faulty) fault(lines int, path string) *fault.Error {
	e := invalidArguments(f.problems, path)
	e.Message = fmt.Sprintf("%d of %d lines are not valid; nothing was sent", f.lines, lines)
	if f.more > 0 {
		e.Message += fmt.Sprintf(" (%d more problems are not shown)", f.more)
	}
	return e
}
