package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/program"
)

// newPolicyText is what an editor shows where there are no rules yet.
const newPolicyText = `# What agentctl may send without asking, what asks, and what is denied.
#
# Among the rules about a call the first one decides; a rule that denies wins
# wherever it stands. Without a rule, reading and writing go through, and sending,
# spending, deleting and everything risky ask. Members:
#
#   site        "popcorn.club", "*.example", an origin, an alias, or "*"
#   action      the words of a command: "orders create", "orders *"
#   effect      read, write, send, spend or delete
#   risk        low, medium, high or critical
#   max_amount  a limit such as "20.00", with a currency, per "call", "day" or "month"
#   decision    allow, ask or deny
#
# agentctl policy check SITE COMMAND tells which rule would decide, and why.
#
# [[rule]]
# site = "popcorn.club"
# effect = "spend"
# max_amount = "20"
# currency = "credits"
# per = "day"
# decision = "allow"
`

// policyEdit lets a person change a draft of the rules. They count when they hold: an invalid draft stays a draft, and is
// taken up by the next edit, unless the rules in force were changed in the meantime.
func (r *run) policyEdit(ctx context.Context) error {
	file := policy.Path(r.ConfigDir)
	draft := file + ".draft"
	if target, err := filepath.EvalSymlinks(file); err == nil { // a link to a file among others stays one
		file = target
	}
	before, err := readRules(file)
	if err != nil {
		return fault.New(fault.Internal, "write_failed", "%w", err)
	}
	takenUp, err := makeDraft(draft, file, before)
	if err != nil {
		return err
	}
	if takenUp {
		_ = r.say("taking up the draft of an earlier edit: %s", draft)
	}
	if err := r.edit(ctx, draft); err != nil {
		if !takenUp {
			removeUnchanged(draft, before)
		}
		return errNoEditor(err)
	}
	text, err := os.ReadFile(draft)
	if err != nil {
		return fault.New(fault.Internal, "write_failed", "%w", err)
	}
	loader := r.policyLoader()
	loader.Path = draft
	rules, err := loader.Parse(text)
	if err != nil {
		e := *fault.From(err)
		e.Message += "; the rules in force are as before"
		e.Hint = "agentctl policy edit takes the draft up again; remove it to begin anew"
		return &e
	}
	if after, err := readRules(file); err != nil || !bytes.Equal(after, before) {
		return outdated(draft, file)
	}
	if err := atomicfile.Write(file, text); err != nil {
		return fault.New(fault.Internal, "write_failed", "%w", err)
	}
	if err := os.Remove(draft); err != nil {
		return fault.New(fault.Internal, "write_failed", "%w", err)
	}
	return r.say("in force: %s", counted(len(rules.Rules), "rule"))
}

// readRules returns the text of the rules in force, or of none.
func readRules(file string) ([]byte, error) {
	text, err := atomicfile.Read(file, policy.MaxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte(newPolicyText), nil
	}
	return text, err
}

// makeDraft copies the rules in force into a draft, unless there is one already. One that is older than the rules would
// undo what was changed since.
func makeDraft(draft, file string, rules []byte) (takenUp bool, err error) {
	info, err := os.Stat(draft)
	if err == nil {
		if inForce, err := os.Stat(file); err == nil && inForce.ModTime().After(info.ModTime()) {
			return true, outdated(draft, file)
		}
		return true, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = atomicfile.Write(draft, rules)
	}
	if err != nil {
		return false, fault.New(fault.Internal, "write_failed", "%w", err)
	}
	return false, nil
}

// outdated says that a draft was not made of the rules that are in force now.
func outdated(draft, file string) *fault.Error {
	return fault.New(fault.Usage, "draft_outdated", "%s was changed after %s was begun; the rules in force are as before", file, draft).
		WithHint("take over from %s what you need, and remove it", draft)
}

// removeUnchanged removes a draft that nobody wrote into.
func removeUnchanged(draft string, rules []byte) {
	if text, err := atomicfile.Read(draft, policy.MaxFileBytes); err == nil && bytes.Equal(text, rules) {
		_ = os.Remove(draft)
	}
}

// edit runs the editor on the terminal. Ctrl-C there is the editor's.
func (r *run) edit(ctx context.Context, file string) error {
	words := program.Editor(r.Getenv)
	cmd := exec.CommandContext(context.WithoutCancel(ctx), words[0], append(words[1:], file)...) //nolint:gosec // the person names their editor
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.In, r.Out, r.Err
	return cmd.Run()
}
