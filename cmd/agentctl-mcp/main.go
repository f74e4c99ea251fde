// Command agentctl-mcp speaks MCP for agentctl, which starts it when a tool of an MCP server is to be called. It is a
// program of its own because the protocol's library would cost every start of agentctl 2 to 4 ms.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader that has gone is an error of the write, not a death
	signal.Ignore(os.Interrupt)                             // agentctl gets it, too, and lets this program take leave of the server
	code := run(context.Background(), os.Args[1:], systemEnvironment())
	os.Exit(code)
}
