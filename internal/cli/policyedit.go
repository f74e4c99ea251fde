package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agentctl/agentctl/internal/atomicfile"
	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/policy"
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
// taken up by the next edit.
func (r *run) policyEdit(ctx context.Context) error {
	file := policy.Path(r.ConfigDir)
	if target, err := filepath.EvalSymlinks(file); err == nil { // a link to a file among others stays one
		file = target
	}
	draft := policy.Path(r.ConfigDir) + ".draft"
	if err := makeDraft(draft, file); err != nil {
		return fault.New(fault.Internal, "write_failed", "%w", err)
	}
	if err := r.edit(ctx, draft); err != nil {
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
	if err := atomicfile.Write(file, text); err != nil {
		return fault.New(fault.Internal, "write_failed", "%w", err)
	}
	if err := os.Remove(draft); err != nil {
		return fault.New(fault.Internal, "write_failed", "%w", err)
	}
	return r.say("in force: %s", counted(len(rules.Rules), "rule"))
}

// makeDraft copies the rules into a draft, unless one is there.
func makeDraft(draft, file string) error {
	if _, err := os.Stat(draft); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte(newPolicyText), nil
	}
	if err != nil {
		return err
	}
	return atomicfile.Write(draft, text)
}

// edit runs the editor on the terminal. Ctrl-C there is the editor's.
func (r *run) edit(ctx context.Context, file string) error {
	words := r.editor()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), words[0], append(words[1:], file)...) //nolint:gosec // the person names their editor
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.In, r.Out, r.Err
	return cmd.Run()
}

// editor is the command of VISUAL or EDITOR: a program, whose path may have spaces in it, or a program and its arguments.
func (r *run) editor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		text := strings.TrimSpace(r.Getenv(name))
		if text == "" {
			continue
		}
		if _, err := exec.LookPath(text); err == nil {
			return []string{text}
		}
		return strings.Fields(text)
	}
	if runtime.GOOS == "windows" {
		return []string{"notepad"}
	}
	return []string{"vi"}
}
