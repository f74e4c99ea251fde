package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/auth"
	"github.com/agentctl/agentctl/internal/batch"
	"github.com/agentctl/agentctl/internal/call"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/input"
	"github.com/agentctl/agentctl/internal/manifest"
	"github.com/agentctl/agentctl/internal/policy"
)

// eachRun is one run of --each.
type eachRun struct {
	*published
	common  input.Words      // what the command line gives to every line
	shared  *manifest.Values // the same, typed
	cells   []input.Flag     // where the columns of a CSV go: the text is each line's
	upload  jsontext.Value
	about   []byte       // what is the same in the digests of all inputs
	side    *connection  // for the calls
	spool   *batch.Spool // the lines that were checked
	packed  []byte       // the last of them
	state   *batch.State // nil for none
	gate    *policy.Gate
	plan    *policy.Batch
	by      policy.Authority
	account auth.Account
	carried []carried
	lines   int       // in the file
	spare   sync.Pool // of what [eachRun.alone] returns
	told    []string  // secrets of the lines, for the trace that all calls have in common
}

// newEachRun reads what all lines have in common.
func (a *published) newEachRun(ctx context.Context) (*eachRun, error) {
	b := &eachRun{published: a, side: a.sideConnection(), spool: &batch.Spool{Dir: filepath.Join(a.StateDir, "each")}}
	var err error
	if b.common, err = a.commonWords(ctx); err != nil {
		return nil, err
	}
	b.common.Read = onceForAll(func(name string) ([]byte, error) {
		if name == "-" && a.each.file == "-" {
			return nil, errors.New("standard input is the file of --each")
		}
		return a.ReadFile(ctx, name)
	})
	if err := b.positionsByName(); err != nil {
		return nil, err
	}
	a.open = a.openNames()
	if b.shared, _ = a.values(b.common); b.shared == nil { // what is wrong is told of the lines that have it
		b.shared = &manifest.Values{}
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

// onceForAll reads a file once, for all lines.
func onceForAll(read func(name string) ([]byte, error)) func(string) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	var mu sync.Mutex
	known := map[string]content{}
	return func(name string) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		c, ok := known[name]
		if !ok {
			c.data, c.err = read(name)
			known[name] = c
		}
		return c.data, c.err
	}
}

func (b *eachRun) close() {
	b.spool.Close()
	if b.state != nil {
		b.state.Close()
	}
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
func (a *published) apart() *published {
	copied := new(struct {
		run
		place
		published
	})
	copied.run, copied.place, copied.published = *a.place.run, *a.place, *a
	r := &copied.run
	r.secrets, r.sideBySide = slices.Clip(r.secrets), true
	r.Yes, r.Approve, r.NoInput = false, "", true
	copied.place.run, copied.published.place = r, &copied.place
	return &copied.published
}

// alone is an action of its own for one call that is sent, with its own time limit. It is given back by [eachRun.done].
func (b *eachRun) alone() *published {
	a, ok := b.spare.Get().(*published)
	if !ok {
		a = b.apart()
		conn := *b.side
		if !a.action.Target.Tool { // those have a connection to their server, and are called one by one
			conn.limit = newTimeLimit(a.Timeout, a.Now).forMany()
			a.conn = &conn
		}
	}
	a.secrets, a.opened = slices.Clip(b.secrets), false
	a.conn.limit.renew()
	return a
}

// done gives back what a call had for itself.
func (b *eachRun) done(a *published) { b.spare.Put(a) }

// madeCall is the call of one line.
type madeCall struct {
	call    *call.Call
	values  *manifest.Values
	facts   *policy.Facts // without the fields
	input   string        // the digest of its arguments; "" without --state
	digest  string        // of the call
	secrets []string      // what must not be told of it: see [run]
	opened  bool          // it rests on a file that its arguments name
}

// make makes the call of checked arguments. The action is used by nothing else meanwhile, and hides what is secret in them.
func (b *eachRun) make(a *published, values *manifest.Values) (*madeCall, error) {
	a.hideSecrets(values)
	c, err := a.bare(values, b.upload)
	if err != nil {
		return nil, err
	}
	c.MaxBytes = maxEachAnswer
	made := &madeCall{call: c, values: values, facts: a.facts(c), secrets: a.secrets, opened: a.opened}
	if b.state != nil {
		made.input = b.inputOf(values)
	}
	return made, nil
}

// inputOf is the digest of the arguments of a line.
func (b *eachRun) inputOf(values *manifest.Values) string {
	sum := sha256.New()
	for _, part := range [][]byte{b.about, values.Object(), b.upload, b.body} {
		_, _ = sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
