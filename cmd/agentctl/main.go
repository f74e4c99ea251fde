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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	code := cli.Run(ctx, os.Args[1:], systemEnv())
	stop()
	os.Exit(code)
}
