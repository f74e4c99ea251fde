package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/agentctl/agentctl/internal/fault"
)

// confirm gets a yes for a deed that cannot be undone, such as "delete the key": from --yes, or from the person at the terminal.
func (r *run) confirm(ctx context.Context, deed string) error {
	switch {
	case r.Yes:
		return nil
	case !r.canAsk():
		return fault.New(fault.Approval, "approval_required", "somebody has to approve: %s", deed).WithHint("add --yes")
	}
	answer, err := r.answer(ctx, "About to "+deed+". This cannot be undone.\nGo ahead? [y/N] ")
	if err == nil && !isYes(answer) {
		err = fault.New(fault.Approval, "declined", "not approved; nothing was deleted")
	}
	return err
}

// answer asks the person at the terminal, and returns the line that is typed from then on: what was typed before the question
// was there does not answer it. The end of input is an empty answer.
func (r *run) answer(ctx context.Context, question string) (string, error) {
	if r.asks != nil {
		return r.asks(ctx, question)
	}
	if r.DropTypeAhead != nil {
		if err := r.DropTypeAhead(); err != nil {
			return "", fmt.Errorf("cannot discard what was typed before the question: %w", err)
		}
	}
	if _, err := r.Err.Write([]byte(question)); err != nil {
		return "", err
	}
	answer := make(chan string, 1)
	go func() { // a read of a terminal cannot be cancelled; the process ends soon after
		text, err := bufio.NewReader(r.In).ReadString('\n') // a reader of its own: what it has read beyond the line goes with it
		if err != nil {
			_, _ = fmt.Fprintln(r.Err) // the line break that was not typed
		}
		answer <- strings.TrimSpace(text)
	}()
	select {
	case text := <-answer:
		return text, nil
	case <-ctx.Done():
		_, _ = fmt.Fprintln(r.Err)
		return "", ctx.Err()
	}
}

func isYes(answer string) bool {
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}
