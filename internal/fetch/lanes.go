package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// maxLaneBody is the largest body that goes over a lane, in bytes. It is written before anything is read, so it has to fit into
	// what the system takes from a program at once: a site may answer before it has read all, and wait for that to be noticed.
	maxLaneBody = 16 << 10
	// shortIdle is how long a connection may have been idle to be used as if it had not been.
	shortIdle = 20 * time.Millisecond
)

// lanes is the way for many small requests at a time: each request has a connection for itself while it lasts, writes to it and
// reads from it. What is written and read is net/http's ([http.Request.Write], [http.ReadResponse]); left out are its two
// goroutines for each connection, since to hand a request to them and back takes longer than all the rest of it.
type lanes struct {
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	config *tls.Config // nil: without TLS
	now    func() time.Time
	most   int // connections that are kept for one host

	mu   sync.Mutex
	idle map[string][]*lane // by "host:port", the one that was used last at the end
}

// exchange sends a request over a connection that is idle, or a new one. Where that turns out to have been closed meanwhile, a read is
// sent once more, as net/http does; what has an effect never is.
func (l *lanes) exchange(ctx context.Context, p *prepared, w *wire) (*http.Response, error) {
	c, err := l.take(ctx, p.target, w)
	if err != nil {
		return nil, err
	}
	answer, err := c.exchange(ctx, p.httpRequest(), w)
	if err != nil && c.used && !c.heard && p.read && safeMethod(p.method) && ctx.Err() == nil {
		if c, err = l.open(ctx, p.target, w); err != nil {
			return nil, err
		}
		answer, err = c.exchange(ctx, p.httpRequest(), w)
	}
	return answer, err
}

// safeMethod reports whether a request of the method changes nothing, whatever is known of it (RFC 9110 section 9.2.1).
func safeMethod(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// take returns a connection to a target that nothing else uses.
func (l *lanes) take(ctx context.Context, t target, w *wire) (*lane, error) {
	for {
		c := l.last(t.hostPort)
		if c == nil {
			return l.open(ctx, t, w)
		}
		if c.usable(l.now()) {
			w.known.connections++
			w.known.reused = true
			return c, nil
		}
		_ = c.conn.Close()
	}
}

// last takes the connection out of those that are idle that was used last; nil for none.
func (l *lanes) last(key string) *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.idle[key]
	if len(all) == 0 {
		return nil
	}
	c := all[len(all)-1]
	all[len(all)-1] = nil
	l.idle[key] = all[:len(all)-1]
	return c
}

// keep has a connection wait for another request.
func (l *lanes) keep(c *lane) {
	c.used, c.since = true, l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.idle[c.key]) >= l.most {
		_ = c.conn.Close()
		return
	}
	l.idle[c.key] = append(l.idle[c.key], c)
}

// open makes a connection.
func (l *lanes) open(ctx context.Context, t target, w *wire) (*lane, error) {
	key := t.hostPort
	raw, err := l.dial(ctx, "tcp", key)
	if err != nil {
		return nil, err
	}
	c := newLane(l, key, raw)
	if l.config != nil {
		config := l.config.Clone()
		config.ServerName = t.host
		secure := tls.Client(raw, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			w.known.handshakeErr = err
			_ = raw.Close()
			return nil, err
		}
		state := secure.ConnectionState()
		c.conn, c.tls = secure, &state
	}
	w.known.connections++
	w.known.reused = false
	return c, nil
}

// closeIdle closes what waits for another request.
func (l *lanes) closeIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, all := range l.idle {
		for _, c := range all {
			_ = c.conn.Close()
		}
		delete(l.idle, key)
	}
}
