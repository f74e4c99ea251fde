package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxToldProblems is how many problems of a file are told; more are counted.
const maxToldProblems = 100

// eachRun is one run of --each.
type eachRun struct {
	*published
	common  input.Words     // what the command line gives to every line
	cells   []input.Flag    // where the columns of a CSV go: the text is each line's
	inline  map[string]bool // the parameters that have a column
	upload  jsontext.Value
	about   []byte       // what is the same in the digests of all inputs
	side    *connection  // for the calls
	ready   []*readyCall // the first lines, as far as they fit into maxReady
	room    int          // bytes that are left of it
	spool   *batch.Spool // the other lines
	state   *batch.State // nil for none
	gate    *policy.Gate
	plan    *policy.Batch
	by      policy.Authority
	account auth.Account
	carried []carried
	lines   int // in the file
}

// newEachRun reads what all lines have in common.
func (a *published) newEachRun(ctx context.Context) (*eachRun, error) {
	b := &eachRun{published: a, side: a.sideConnection(), room: maxReady, spool: &batch.Spool{Dir: filepath.Join(a.StateDir, "each")}}
	var err error
	if b.common, err = a.commonWords(ctx); err != nil {
		return nil, err
	}
	read := b.common.Read
	b.common.Read = func(name string) ([]byte, error) {
		if name == "-" && a.each.file == "-" {
			return nil, errors.New("standard input is the file of --each")
		}
		return read(name)
	}
	if err := b.positionsByName(); err != nil {
		return nil, err
	}
	if b.upload, err = a.upload(); err != nil {
		return nil, err
	}
	if b.gate, err = a.gate(); err != nil {
		return nil, err
	}
	b.plan = b.gate.Batch()
	if b.about, err = json.Marshal([]any{string(a.conn.origin), a.node.Command, len(b.upload), len(a.body)}); err != nil {
		return nil, err
	}
	if a.each.state != "" && !a.DryRun {
		if b.state, err = batch.OpenState(string(a.each.state), string(a.conn.origin), a.node.Command); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *eachRun) close() {
	b.spool.Close()
	if b.state != nil {
		b.state.Close()
	}
}

// positionsByName gives values by position their names, so that a line can have another value for one of them.
func (b *eachRun) positionsByName() error {
	positions := b.params.Positions()
	for i, word := range b.common.Positional {
		at := min(i, len(positions)-1)
		if at < 0 || i > at && !b.params.Describe(positions[at]).Repeatable {
			return invalidArguments([]fault.Problem{{Keyword: "args", Message: "too many arguments by position"}}, b.path())
		}
		b.common.Flags = append(b.common.Flags, input.Flag{Name: positions[at], Text: word})
	}
	b.common.Positional = nil
	return nil
}

// open begins to read the file.
func (b *eachRun) open(ctx context.Context) (lines *batch.Reader, done func(), err error) {
	done = func() {}
	in := b.In
	if name := string(b.each.file); name != "-" {
		file, err := patiently(ctx, func() (fs.File, error) { return b.Disk.Open(name) }) // a pipe that nobody writes to never opens
		if ctx.Err() != nil {
			return nil, done, ctx.Err()
		}
		if err != nil {
			return nil, done, fault.New(fault.Usage, "invalid_input", "--each: %w", err)
		}
		done = func() { _ = file.Close() }
		in = file
	}
	lines, err = batch.NewReader(&patientReader{ctx: ctx, in: in}, string(b.each.format))
	if err == nil {
		err = b.columns(lines.Header)
	}
	if err != nil {
		done()
		return nil, func() {}, eachFault(ctx, err)
	}
	return lines, done, nil
}

// eachFault says of a failure to read that it was about --each.
func eachFault(ctx context.Context, err error) error {
	switch e, ok := errors.AsType[*fault.Error](err); {
	case ctx.Err() != nil:
		return ctx.Err()
	case ok && e.Code == "invalid_input":
		return fault.New(fault.Usage, e.Code, "--each: %w", err)
	case ok:
		return err
	}
	return fault.New(fault.Usage, "invalid_input", "--each: %w", err)
}

// columns finds the parameters that the columns of a CSV stand for: by their exact names, by another spelling where that is
// clear, or dotted, for a part of one.
func (b *eachRun) columns(header []string) error {
	b.inline = map[string]bool{}
	var problems []fault.Problem
	for _, column := range header {
		flag, ok := b.column(column)
		if !ok {
			problems = append(problems, fault.Problem{Line: 1, Keyword: "unknown", Message: fmt.Sprintf("the column %q is no parameter", cutWord(column))})
			continue
		}
		b.cells = append(b.cells, flag)
		b.inline[flag.Name] = true
	}
	if len(problems) > 0 {
		return invalidArguments(problems, b.path())
	}
	return nil
}

func (b *eachRun) column(name string) (input.Flag, bool) {
	words := strings.Split(name, ".")
	var alike []input.Flag
	for _, param := range b.action.Params {
		if param.Name == name {
			return input.Flag{Name: name}, true
		}
		if fold(param.Name) == fold(name) {
			alike = append(alike, input.Flag{Name: param.Name})
		} else if fold(param.Name) == fold(words[0]) && len(words) > 1 && !slices.Contains(words, "") {
			alike = append(alike, input.Flag{Name: param.Name, Path: b.memberPath(param.Name, words[1:])})
		}
	}
	if len(alike) == 1 {
		return alike[0], true
	}
	return input.Flag{}, false
}

// words are the arguments of one line: its own, and the common ones that it does not have.
func (b *eachRun) words(in *batch.Input) input.Words {
	words := b.common
	if in.Object == nil {
		own := make([]input.Flag, 0, len(b.cells))
		taken := map[string]bool{}
		for i, cell := range in.Cells {
			if cell == "" { // not given: JSON Lines can give an empty text
				continue
			}
			flag := b.cells[i]
			flag.Text, flag.Literal = cell, true
			own = append(own, flag)
			taken[flag.Name] = true
		}
		words = b.without(words, taken)
		words.Flags = append(words.Flags, own...)
		return words
	}
	taken := map[string]bool{}
	for name := range strictjson.SharedMembers(in.Object) {
		taken[name] = true
	}
	words = b.without(words, taken)
	words.Object = merged(words.Object, in.Object, taken)
	return words
}

// without leaves the common values of the parameters that a line has itself.
func (b *eachRun) without(words input.Words, taken map[string]bool) input.Words {
	words.Flags = slices.DeleteFunc(slices.Clone(words.Flags), func(f input.Flag) bool { return taken[f.Name] })
	if len(words.Pairs) > 0 {
		words.Pairs = slices.DeleteFunc(slices.Clone(words.Pairs), func(pair string) bool {
			name, _, _ := strings.Cut(pair, "=")
			first, _, _ := strings.Cut(name, ".")
			return taken[name] || taken[first]
		})
	}
	if words.Object != nil && len(taken) > 0 {
		words.Object = merged(words.Object, jsontext.Value("{}"), taken)
	}
	return words
}

// merged puts the members of two objects together; those of the first that are taken are left out. Where one is no object it
// is left to the check of the arguments, which names what is wrong with it.
func merged(common, own jsontext.Value, taken map[string]bool) jsontext.Value {
	if common == nil || strictjson.Check(common) != nil || common.Kind() != '{' {
		if common != nil {
			return common
		}
		return own
	}
	var members []member
	for name, value := range strictjson.SharedMembers(common) {
		if !taken[name] {
			members = append(members, member{name, value})
		}
	}
	for name, value := range strictjson.SharedMembers(own) {
		members = append(members, member{name, value})
	}
	return object(members)
}

// readyCall is a line that can be sent.
type readyCall struct {
	number  int
	fate    batch.Fate
	call    *call.Call
	input   string   // the digest of its arguments
	digest  string   // of the call
	secrets []string // what must not be told of it: see [run]
}

// maxReady is how much of calls that were checked is kept ready to be sent, in bytes, more or less. Lines beyond that are kept
// as they came, and made ready once more.
const (
	maxReady     = 32 << 20
	aReadyCall   = 2 << 10 // bytes of one beside URL and body
	chunkOfLines = 64      // that are checked at a time, by one of several
)

func (c *readyCall) size() int { return aReadyCall + len(c.call.URL) + len(c.call.Body) }

// line checks the arguments of one line and makes its request. It may be called from several goroutines at once.
func (b *eachRun) line(in *batch.Input) (*readyCall, []fault.Problem) {
	a := b.apart(nil)
	values, problems := a.values(b.words(in))
	if len(problems) > 0 {
		return nil, problems
	}
	a.hideSecrets(values)
	c, err := a.prepare(values, b.upload)
	if err != nil {
		return nil, fault.From(err).Problems
	}
	c.MaxBytes = maxEachAnswer
	sum := sha256.New()
	for _, part := range [][]byte{b.about, values.Object(), b.upload, a.body} {
		_, _ = sum.Write(part)
	}
	return &readyCall{
		number: in.Number, call: c, input: hex.EncodeToString(sum.Sum(nil)), digest: a.facts(c).Digest(), secrets: a.secrets,
	}, nil
}

// sideConnection is a way to the same origin that is good for many calls at a time.
func (a *published) sideConnection() *connection {
	side := *a.conn
	side.settings.Parallel = a.each.concurrency
	side.client = fetch.New(side.settings)
	return &side
}

// apart is a copy of the action that nothing else uses: what it hides is its own. The yes to the batch was about what was known
// then: a payment that a site demands in the course of a call needs a rule that allows it.
func (a *published) apart(secrets []string) *published {
	r, p, one := *a.place.run, *a.place, *a
	if secrets == nil {
		secrets = r.secrets
	}
	r.secrets, r.sideBySide = slices.Clip(secrets), true
	r.Yes, r.Approve, r.NoInput = false, "", true
	p.run, one.place = &r, &p
	return &one
}

// alone is an action of its own for one call that is sent, with its own time limit.
func (b *eachRun) alone(c *readyCall) *published {
	a := b.apart(c.secrets)
	a.digest = c.digest
	if a.action.Target.Tool { // those have a connection to their server, and are called one by one
		a.conn.limit.renew()
		return a
	}
	conn := *b.side
	conn.limit = newTimeLimit(a.Timeout, a.Now)
	a.conn = &conn
	return a
}

// lineToCheck is a line that was read, or what is wrong with it.
type lineToCheck struct {
	in       *batch.Input
	number   int
	problems []fault.Problem
	ready    *readyCall
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
		Do: func(all []lineToCheck) []lineToCheck {
			for i := range all {
				if all[i].in != nil {
					all[i].ready, all[i].problems = b.line(all[i].in)
				}
			}
			return all
		},
		Emit: func(all []lineToCheck) error {
			for i := range all {
				b.lines++
				found.add(all[i].number, all[i].problems...)
				if found.lines == 0 && denied == nil {
					denied = b.keep(all[i].in, all[i].ready)
				}
			}
			return nil
		},
	}
	err = runner.Run(ctx)
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

// readLines reads some lines, to be checked together.
func readLines(lines *batch.Reader) (all []lineToCheck, err error) {
	for len(all) < chunkOfLines {
		in, err := lines.Next()
		if wrong, ok := errors.AsType[*batch.LineError](err); ok {
			all = append(all, lineToCheck{number: wrong.Number, problems: []fault.Problem{{Keyword: "input", Message: wrong.Message}}})
			continue
		}
		if errors.Is(err, io.EOF) && len(all) > 0 {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, lineToCheck{in: in, number: in.Number})
	}
	return all, nil
}

// keep decides about a line, and keeps it to be sent.
func (b *eachRun) keep(in *batch.Input, c *readyCall) error {
	if b.state != nil {
		c.fate = b.state.Fate(c.input)
	}
	if b.Verbose { // what is traced is redacted by the run that all have in common
		for i := 0; i < len(c.secrets); i += 2 {
			if !slices.Contains(b.secrets, c.secrets[i]) {
				b.hide(c.secrets[i])
			}
		}
	}
	if c.fate == batch.Send || c.fate == batch.Unknown && b.each.retryUnknown {
		if err := b.plan.Add(b.facts(c.call), c.digest); err != nil {
			e := *fault.From(err)
			e.Message = fmt.Sprintf("line %d: %s", in.Number, e.Error())
			return &e
		}
	}
	if b.room -= c.size(); b.room >= 0 {
		b.ready = append(b.ready, c)
		return nil
	}
	b.room = 0
	return b.spool.Add(batch.Kept{Input: *in, Fate: c.fate})
}

// kept gives the lines again, in their order: ready, or to be made so.
func (b *eachRun) kept() (next func() (*toSend, error), err error) {
	spooled, err := b.spool.Each()
	if err != nil {
		return nil, err
	}
	at := 0
	return func() (*toSend, error) {
		if at < len(b.ready) {
			at++
			return &toSend{ready: b.ready[at-1]}, nil
		}
		line, err := spooled()
		return &toSend{line: line}, err
	}, nil
}

// toSend is a line in the second pass.
type toSend struct {
	ready *readyCall  // nil where it is to be made
	line  *batch.Kept // what it is made of
}

// get makes the call ready. It was valid when it was checked: that it is not any more would be a fault of ours.
func (b *eachRun) get(t *toSend) (*readyCall, error) {
	if t.ready != nil {
		return t.ready, nil
	}
	c, problems := b.line(&t.line.Input)
	if c == nil {
		return nil, fault.New(fault.Internal, "internal", "line %d was valid before: %v", t.line.Number, problems)
	}
	c.fate = t.line.Fate
	return c, nil
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

// patientReader gives up when ctx ends, even where what it reads from never says that it has no more.
type patientReader struct {
	ctx context.Context
	in  io.Reader
}

func (r *patientReader) Read(p []byte) (int, error) {
	own := make([]byte, len(p)) // p is the caller's again when this one gives up
	n, err := patiently(r.ctx, func() (int, error) { return r.in.Read(own) })
	return copy(p, own[:n]), err
}

// patiently returns what do returns, or gives up waiting for it when ctx ends.
func patiently[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case got := <-done:
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
