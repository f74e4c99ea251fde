// Command agentctl-index keeps the index of actions for agentctl, which starts it when there is something to find or to
// remember. It is a program of its own because the database in it costs every start 1.5 ms.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader that has gone is an error of the write, not a death
	signal.Ignore(os.Interrupt)                             // agentctl gets it, too, and ends this program when it has what it needs
	code := run(context.Background(), os.Args[1:], environment{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	os.Exit(code)
}
