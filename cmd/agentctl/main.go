// Agentctl calls the actions that web sites publish for agents.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/agentctl/agentctl/internal/cli"
)

func main() {
	log.SetOutput(io.Discard)                               // net/http reports oddities of a server there, with text of the server's
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader that has gone is an error of a write, not the end of the program
	ctx, stop := signal.NotifyContext(context.Background(), ends()...)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	code := cli.Run(ctx, os.Args[1:], systemEnv())
	stop()
	os.Exit(code)
}

// ends are the signals that end a run in order: what was sent is written down, and programs that were started are stopped. A terminal that
// is closed is one, unless nohup says otherwise.
func ends() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
