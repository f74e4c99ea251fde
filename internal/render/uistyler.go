package render

import (
	"context"
	"fmt"
	"time"

	"github.com/agentctl/agentctl/internal/render/helper"
)

const styleTimeLimit = 5 * time.Second

// UIStyler renders markup with the program at path, agentctl-ui, which is started once per call and given five seconds.
// The arguments are added to its own: "--style=light", "--color=never". Without them the program decides from its
// environment.
func UIStyler(path string, args ...string) Styler {
	return func(ctx context.Context, markup Markup, source []byte, width int) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, styleTimeLimit)
		defer cancel()
		args := append([]string{string(markup), fmt.Sprintf("--width=%d", width)}, args...)
		return helper.Run(ctx, path, args, source)
	}
}
