package demo

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

// drain is how long a stop waits for answers that are under way.
const drain = 200 * time.Millisecond

// Start serves [Handler] on a free loopback port until ctx ends or stop is called, whichever is first. addr is "HOST:PORT".
// stop may be called any number of times; it returns when nothing is served any more. The error is a [*fault.Error].
func Start(ctx context.Context, stateDir string, now func() time.Time) (addr string, stop func(), err error) {
	listener, err := listenLoopback(ctx)
	if err != nil {
		return "", nil, fault.New(fault.Internal, "demo_unavailable", "the demo cannot listen on a loopback port: %w", err)
	}
	server := &http.Server{
		Handler:           loopbackOnly(Handler(stateDir, now)),
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // a client that hangs up is no news; standard error belongs to the run
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // always ends with ErrServerClosed
	stop = sync.OnceFunc(func() {
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
		defer cancel()
		if server.Shutdown(patience) != nil {
			_ = server.Close()
		}
		serving.Wait()
	})
	context.AfterFunc(ctx, stop)
	return listener.Addr().String(), stop, nil
}

// listenLoopback prefers IPv4 and takes IPv6 on machines that have nothing else.
func listenLoopback(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err == nil {
		return listener, nil
	}
	if listener, err6 := config.Listen(ctx, "tcp6", "[::1]:0"); err6 == nil {
		return listener, nil
	}
	return nil, err
}

// loopbackOnly refuses requests that were addressed to another host name: a web page in a browser on this machine could
// point its own name at 127.0.0.1 and read the answers.
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		switch host {
		case "localhost", "127.0.0.1", "::1", "[::1]":
			next.ServeHTTP(w, r)
		default:
			writeError(w, failure(http.StatusMisdirectedRequest, "WRONG_HOST", "this site is not %q", r.Host))
		}
	})
}
