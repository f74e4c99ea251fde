// Agentctl calls the actions that web sites publish for agents.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/agentctl/agentctl/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	code := cli.Run(ctx, os.Args[1:], systemEnv())
	stop()
	os.Exit(code)
}
