package cli

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agentctl/agentctl/internal/policy"
	"github.com/agentctl/agentctl/internal/render"
)

// maxShownValue is how much of one value a question shows, in bytes.
const maxShownValue = 200

// approver is how this run can get a yes: its flags, and a person if one is there.
func (r *run) approver() *policy.Approver {
	a := &policy.Approver{
		Yes: r.Yes, Digest: r.Approve,
		Pending: &policy.Pending{Dir: filepath.Join(r.StateDir, "approvals"), Now: r.Now},
	}
	if r.InTTY && r.ErrTTY && !r.NoInput {
		a.Ask = r.ask
	}
	return a
}

// ask puts a call to the person at the terminal. The layout is fixed: the consequence and the host come first, and what
// comes from the site or the arguments is cleaned, cut and indented, so it cannot look like a part of the question.
func (r *run) ask(ctx context.Context, f *policy.Facts) (bool, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "This %s at %s.\n", render.CleanLine(policy.Consequence(f)), r.target(f.Site))
	fmt.Fprintf(&b, "  %s\n", render.CleanLine(strings.Join(f.Command, " ")))
	for _, field := range f.Fields {
		fmt.Fprintf(&b, "    %s: %s\n", render.CleanLine(field.Name), shown(field.Value))
	}
	b.WriteString("Go ahead? [y/N] ")
	if _, err := r.Err.Write([]byte(b.String())); err != nil {
		return false, err
	}
	answer := make(chan string, 1)
	go func() { // a read of a terminal cannot be cancelled; the process ends soon after
		text, err := bufio.NewReader(r.In).ReadString('\n') // the end of input is a no
		if err != nil {
			_, _ = fmt.Fprintln(r.Err) // the line break that was not typed
		}
		answer <- strings.ToLower(strings.TrimSpace(text))
	}()
	select {
	case text := <-answer:
		return text == "y" || text == "yes", nil
	case <-ctx.Done():
		_, _ = fmt.Fprintln(r.Err)
		return false, ctx.Err()
	}
}

// target names the site as it was typed, and its origin where that says more.
func (r *run) target(origin string) string {
	host := strings.TrimPrefix(origin, "https://")
	if r.siteWord == host || r.siteWord == origin {
		return host
	}
	return render.CleanLine(r.siteWord) + " (" + host + ")"
}

func shown(value string) string {
	value = render.CleanLine(value)
	if len(value) > maxShownValue {
		return strings.ToValidUTF8(value[:maxShownValue], "") + "…"
	}
	return value
}
