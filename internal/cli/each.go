package cli

import (
	"context"
	"runtime/debug"
	"slices"

	"github.com/spf13/pflag"

	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/fault"
)

// Limits and defaults of --concurrency.
const (
	defaultConcurrency = 4
	maxConcurrency     = 64
)

// While lines are checked and calls are made, memory may grow further between collections: few things outlive a line, and
// looking for them costs a fifth of the time. More than gcPercent gains nothing, since fresh memory costs what collecting it
// does. Beyond memoryLimit, which many large answers come to, collections are as frequent as they need be.
const (
	gcPercent   = 800
	memoryLimit = 256 << 20 // bytes
)

// eachFlag calls an action for each line of a file.
const eachFlag = "each"

// eachOptions are the flags of a call for each line of a file. Only --each itself is always there: the others have names that
// actions like for their parameters, such as "state", and are the batch's where --each is on the line.
type eachOptions struct {
	file         text
	format       text
	state        text
	concurrency  int
	failFast     bool
	retryUnknown bool
}

// used tells whether the line asks for it. It works on nil.
func (o *eachOptions) used() bool { return o != nil && o.file != "" }

// offerEach declares --each.
func (a *published) offerEach() {
	if a.action.Target.HandOver {
		return
	}
	a.each = &eachOptions{concurrency: defaultConcurrency}
	a.own.Var(&a.each.file, eachFlag, "call it for each line of JSON or CSV in `FILE` (- is standard input)")
}

// withEach declares the flags that go with --each, where that is among the arguments.
func (a *published) withEach(args []string) {
	if a.each == nil {
		return
	}
	set := newFlagSet()
	a.register(set)
	set.AddFlagSet(a.own)
	if slices.ContainsFunc(readLine(args, set, nil).flags, func(flag string) bool { return isFlag(flag, eachFlag) }) {
		a.each.register(a.own)
	}
}

// ownInHelp are the flags of the command itself that its help shows. Those that every action has are told of at its end, but
// for --each where it is on the line.
func (a *published) ownInHelp() *pflag.FlagSet {
	shown := newFlagSet()
	a.own.VisitAll(func(f *pflag.Flag) {
		if f.Name != schemaFlag && f.Name != interactiveFlag && (f.Name != eachFlag || a.own.Lookup("fail-fast") != nil) {
			shown.AddFlag(f)
		}
	})
	return shown
}

func isFlag(flag, name string) bool {
	return len(flag) > len(name)+2 && flag[:len(name)+3] == "--"+name+"="
}

func (o *eachOptions) register(set *pflag.FlagSet) {
	set.Var(&o.format, "each-format", "read the file of --each as `FORMAT`, jsonl or csv, whatever it begins with")
	set.IntVar(&o.concurrency, "concurrency", defaultConcurrency, "make up to `N` calls at a time, at most 64")
	set.BoolVar(&o.failFast, "fail-fast", false, "start no more calls when one has failed")
	set.Var(&o.state, "state", "keep in `FILE` what was done, and go on there")
	set.BoolVar(&o.retryUnknown, "retry-unknown", false, "with --state: call again where nobody knows whether the call before had its effect")
}

// check refuses what cannot go together, before anything is read or sent.
func (a *published) checkEach() error {
	o := a.each
	conflict := func(flag string) error {
		return fault.New(fault.Usage, "invalid_flag", "--each and %s exclude each other", flag)
	}
	switch {
	case a.Save != "":
		return conflict("--save")
	case a.JQ != "":
		return conflict("--jq")
	case a.Template != "":
		return conflict("--template")
	case a.Output != "" && a.Output != "json" && a.Output != "ndjson":
		return conflict("-o " + a.Output)
	case a.reach.all:
		return conflict("--all")
	case a.checking:
		return fault.New(fault.Usage, "invalid_flag", "policy check is about one call: give it without --each")
	case o.format != "" && o.format != batch.JSONLines && o.format != batch.CSV:
		return fault.New(fault.Usage, "invalid_flag", "--each-format %q: the formats are jsonl and csv", string(o.format))
	case o.concurrency < 1 || o.concurrency > maxConcurrency:
		return fault.New(fault.Usage, "invalid_flag", "--concurrency must be from 1 to %d", maxConcurrency)
	case o.retryUnknown && o.state == "":
		return fault.New(fault.Usage, "invalid_flag", "--retry-unknown goes with --state")
	case o.file == "-" && a.Input == "-":
		return fault.New(fault.Usage, "invalid_flag", "--each and --input cannot both be standard input")
	}
	return nil
}

// forEach calls the action for each line of a file: all lines are checked first, then approved by one yes, then sent.
func (a *published) forEach(ctx context.Context) error {
	if err := a.checkEach(); err != nil {
		return err
	}
	if err := a.signedIn(); err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	limit := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(limit)
	debug.SetMemoryLimit(min(limit, memoryLimit))
	b, err := a.newEachRun(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.check(ctx); err != nil {
		return err
	}
	if a.DryRun {
		return b.show()
	}
	if err := b.approve(ctx); err != nil {
		return err
	}
	return b.send(ctx)
}
