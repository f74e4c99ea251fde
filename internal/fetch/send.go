package fetch

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"sync"

	"github.com/agentctl/agentctl/internal/fault"
)

// send makes one exchange: no redirect, no retry.
func (c *Client) send(ctx context.Context, p *prepared) (*Response, error) {
	proxy, err := c.proxyFor(p.target)
	if err != nil {
		return nil, proxyFault(p.target.host, err)
	}
	way, err := c.wayFor(p, proxy)
	if err != nil {
		return nil, err
	}
	w := wire{stop: func() {}}
	url := p.target.String()
	told := c.exchange(p.method, url)

	answer, err := way.exchange(withProxy(ctx, proxy), p, &w)
	if err != nil {
		w.stop()
		failure := failed(ctx, p.target.host, &w, err)
		told.failed(failure)
		return nil, failure
	}
	told.answered(answer, w.state().reused)
	if answer.StatusCode < http.StatusOK { // 101, which was not asked for, or 000
		_ = answer.Body.Close()
		w.stop()
		e := unavailable(nil, codeHTTP, "%q answered with status %d, which settles nothing", p.target.host, answer.StatusCode)
		e.Status, e.Sent = answer.StatusCode, fault.SentUnknown
		return nil, e
	}
	done := func(n int64, err error) {
		w.stop()
		told.read(n, err)
	}
	return &Response{
		Status: answer.StatusCode, Proto: answer.Proto, Header: answer.Header, Method: p.method, URL: url,
		ContentLength: answer.ContentLength,
		RetryAfter:    retryAfter(answer.Header, c.settings.Now),
		Body:          newBody(ctx, answer, p, done),
		TLS:           answer.TLS,
	}, nil
}

// maxWrites is how many connections or streams one exchange may use. The second one is for a connection that died while it
// was idle; net/http itself would go on without end when a server closes each new HTTP/2 connection, or refuses each stream.
const maxWrites = 2

// wire knows how far a request got.
type wire struct {
	stop  func() // ends what still goes on for the request, when all of its answer is known
	mu    sync.Mutex
	known wireState
}

type wireState struct {
	connections  int  // or streams of one, that were there to write to
	wrote        bool // the request's head was written, at least into a buffer
	reused       bool
	handshakeErr error
}

// trace watches how far net/http gets with a request, and stops it when that is sent too often. Its hooks may be called from other
// goroutines, also after RoundTrip returned.
func (w *wire) trace() *httptrace.ClientTrace {
	set := func(change func(*wireState)) {
		w.mu.Lock()
		defer w.mu.Unlock()
		change(&w.known)
	}
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			set(func(s *wireState) {
				if s.connections++; s.connections > maxWrites {
					w.stop()
					return
				}
				s.reused = info.Reused
			})
		},
		WroteHeaders:     func() { set(func(s *wireState) { s.wrote = true }) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { set(func(s *wireState) { s.handshakeErr = err }) },
	}
}

func (w *wire) state() wireState {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known
}

// sent says whether a request without an answer can have had its effect. Without a connection it cannot. With one, an
// incomplete head has none either; but while ctx ends, the writing may still be going on, so there nobody knows.
func (s wireState) sent(ctx context.Context) fault.Sent {
	if s.connections == 0 || !s.wrote && ctx.Err() == nil {
		return fault.SentNo
	}
	return fault.SentUnknown
}
