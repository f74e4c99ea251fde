package main

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"runtime/debug"

	"golang.org/x/net/http/httpproxy"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/fetch"
	"github.com/agentctl/agentctl/internal/mcp"
	"github.com/agentctl/agentctl/internal/mcp/session"
)

const usage = `agentctl-mcp speaks MCP for agentctl.

  agentctl-mcp serve
      answers agentctl, in JSON lines on standard input and output, and asks MCP servers
  agentctl-mcp version
`

// run is the whole program: its result is the exit status (contract section 4).
func run(ctx context.Context, args []string, env environment) int {
	err := dispatch(ctx, args, env)
	if err == nil {
		return 0
	}
	e := fault.From(err)
	fmt.Fprintf(env.Err, "error: %s\n", e.Error())
	if e.Hint != "" {
		fmt.Fprintf(env.Err, "hint: %s\n", e.Hint)
	}
	return e.Exit()
}

func dispatch(ctx context.Context, args []string, env environment) error {
	command := "help"
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	switch {
	case command == "serve" && len(args) == 0:
		return mcp.Serve(ctx, env.In, env.Out, opener(env))
	case command == "version" || command == "--version":
		return write(env.Out, "agentctl-mcp "+version()+"\n")
	case command == "help" || command == "--help" || command == "-h":
		return write(env.Out, usage)
	}
	return fault.New(fault.Usage, "invalid_arguments", "%q is no command, or its arguments are wrong", command).WithHint("agentctl-mcp help")
}

// opener opens sessions over the client of fetch.
func opener(env environment) mcp.Open {
	return func(ctx context.Context, target mcp.Target, observer mcp.Observer) (mcp.Session, error) {
		settings, err := clientSettings(target.Settings, env)
		if err != nil {
			return nil, err
		}
		settings.Trace = observer.Trace
		return session.Open(ctx, fetch.New(settings), target, version(), observer)
	}
}

func clientSettings(s mcp.Settings, env environment) (fetch.Settings, error) {
	out := fetch.Settings{
		Resolve: s.Resolve, AllowPrivate: s.AllowPrivate, UserAgent: s.UserAgent, Retries: s.Retries, Now: env.Now, Roots: env.Roots,
	}
	if s.Proxy != (mcp.Proxy{}) {
		proxies := httpproxy.Config{HTTPSProxy: s.Proxy.HTTPS, HTTPProxy: s.Proxy.HTTP, NoProxy: s.Proxy.No}
		out.Proxy = proxies.ProxyFunc()
	}
	if s.Certificates != nil {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(s.Certificates) {
			return out, fault.New(fault.Usage, "invalid_flag", "there are no certificates to trust")
		}
		out.Roots = func() (*x509.CertPool, error) { return pool, nil }
	}
	return out, nil
}

// version is that of the module, as the Go tool recorded it in the program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
