// Command agentctl-ui paints what agentctl shows on a terminal. It is a program of its own because the libraries it
// needs cost more time at start than a whole call of agentctl, which starts it only when there is something to paint.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience leaves time for the plain text within what agentctl gives this program.
const patience = 2500 * time.Millisecond

func main() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader that has gone is an error of the write, not a death
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], environment{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Environ: os.Environ, Now: time.Now, Patience: patience})
	stop()
	os.Exit(code)
}
