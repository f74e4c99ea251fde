// Package helper runs a program of ours that sits beside the running one.
package helper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxOutput is the most that is taken from a helper; styled text is a few times longer than its source.
const maxOutput = 64 << 20

// Run starts the program at path with stdin as its input and returns its output. The path is taken as it is, never looked
// up. When ctx ends the program is killed.
func Run(ctx context.Context, path string, args []string, stdin []byte) ([]byte, error) {
	name := filepath.Base(path)
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("%s is not named by an absolute path", name)
	}
	out := limitedBuffer{limit: maxOutput}
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // the path is ours, the arguments are numbers and words
	cmd.Stdin, cmd.Stdout = bytes.NewReader(stdin), &out
	cmd.WaitDelay = time.Second
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "AGENTCTL_") }) //nolint:forbidigo // all of it but our own, which may hold a token
	err := cmd.Run()
	switch {
	case err == nil:
		return out.buf.Bytes(), nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s, which styles it, is not beside this program", name)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s took too long", name)
	}
	return nil, fmt.Errorf("%s failed: %w", name, err)
}

// limitedBuffer refuses more than limit bytes.
type limitedBuffer struct {
	limit int
	buf   bytes.Buffer // not embedded: its ReadFrom would know no limit
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > b.limit {
		return 0, errors.New("the output is too long")
	}
	return b.buf.Write(p)
}
