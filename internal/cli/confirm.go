package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// confirm gets a yes for something that cannot be undone: from --yes, or from the person at the terminal.
func (r *run) confirm(ctx context.Context, question string) error {
	switch {
	case r.Yes:
		return nil
	case !r.InTTY || !r.ErrTTY || r.NoInput:
		return fault.New(fault.Approval, "approval_required", "somebody has to approve it: %s", question).WithHint("add --yes")
	}
	yes, err := r.yes(ctx, question+"\n")
	if err == nil && !yes {
		err = fault.New(fault.Approval, "declined", "not approved; nothing was deleted")
	}
	return err
}

// yes asks the person at the terminal.
func (r *run) yes(ctx context.Context, question string) (bool, error) {
	if _, err := fmt.Fprintf(r.Err, "%sGo ahead? [y/N] ", question); err != nil {
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
