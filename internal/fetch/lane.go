package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"
)

// errHeadTooLarge is a head of more than maxResponseHead bytes.
var errHeadTooLarge = errors.New("the head of the answer is too large")

// lane is one connection of [lanes]. It is used by one request at a time.
type lane struct {
	lanes *lanes
	key   string // in [lanes.idle]
	raw   net.Conn
	conn  net.Conn             // raw, or TLS over it
	tls   *tls.ConnectionState // nil without TLS
	out   *bufio.Writer
	in    *bufio.Reader // reads through [lane.Read]

	used    bool        // it has answered before
	since   time.Time   // when it became idle
	heard   bool        // something came for the request that it is used by
	left    int64       // bytes that may still be read
	unasked [1]byte     // what came without a request
	release func() bool // ends the watch over the request's context, unless that has ended
}

func newLane(l *lanes, key string, raw net.Conn) *lane {
	c := &lane{lanes: l, key: key, raw: raw, conn: raw}
	c.in, c.out = bufio.NewReader(c), bufio.NewWriter(laneWriter{c})
	return c
}

// Read is for the buffer: it reads no more than a head may have, until there is one.
func (c *lane) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errHeadTooLarge
	}
	n, err := c.conn.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// laneWriter is for the other buffer. The connection changes once, when TLS begins.
type laneWriter struct{ *lane }

func (w laneWriter) Write(p []byte) (int, error) { return w.conn.Write(p) }

// usable reports whether another request may be sent: neither was the connection idle for long, nor has the other side said
// anything, which could only be that it has closed it, or what nobody asked for. After a pause that is waited for; without one
// it is enough to look at what TLS has read already.
func (c *lane) usable(now time.Time) bool {
	switch idle := now.Sub(c.since); {
	case idle > idleTimeout:
		return false
	case idle <= shortIdle:
		c.interrupt()
	default:
		timer := time.AfterFunc(time.Millisecond, c.interrupt)
		defer timer.Stop()
	}
	_, err := c.conn.Read(c.unasked[:])
	return errors.Is(err, os.ErrDeadlineExceeded) && c.raw.SetDeadline(time.Time{}) == nil
}

// interrupt ends what is being written or read.
func (c *lane) interrupt() { _ = c.raw.SetDeadline(time.Unix(1, 0)) }

// exchange sends a request and returns the head of its answer. When that has been read to its end, the connection is idle
// again; what else may happen to it ends the connection.
func (c *lane) exchange(ctx context.Context, r *http.Request, w *wire) (*http.Response, error) {
	unpacks := askForGzip(r)
	c.heard, c.left = false, maxResponseHead
	c.release = context.AfterFunc(ctx, c.interrupt)
	w.known.wrote = true
	answer, err := c.talk(r)
	if err != nil {
		c.end(false)
		return nil, err
	}
	c.left = math.MaxInt64
	answer.TLS = c.tls
	again := !answer.Close && answer.StatusCode >= http.StatusOK
	if answer.Body == http.NoBody {
		c.end(again)
	} else {
		answer.Body = &laneBody{lane: c, source: answer.Body, again: again}
		if unpacks {
			unpack(answer)
		}
	}
	return answer, nil
}

// talk writes a request and reads the head of its answer. Heads that only announce it are passed over (RFC 9110 section 15.2); all
// together are no larger than one may be.
func (c *lane) talk(r *http.Request) (*http.Response, error) {
	if err := r.Write(c.out); err != nil {
		return nil, err
	}
	if err := c.out.Flush(); err != nil {
		return nil, err
	}
	runtime.Gosched() // the others write meanwhile: to look for an answer that cannot be there yet, and then to wait, costs 2 µs
	if _, err := c.in.Peek(1); err != nil {
		return nil, err
	}
	c.heard = true
	for {
		answer, err := http.ReadResponse(c.in, r)
		if err != nil || answer.StatusCode/100 != 1 || answer.StatusCode == http.StatusSwitchingProtocols {
			return answer, err
		}
	}
}

// end lets the connection go: to be used again, unless it is not known to be as it was.
func (c *lane) end(again bool) {
	if c.release() && again && c.in.Buffered() == 0 {
		c.lanes.keep(c)
		return
	}
	_ = c.conn.Close()
}

// laneBody is the body of an answer, which lets the connection go at its end.
type laneBody struct {
	lane   *lane
	source io.Reader
	again  bool  // the connection can be used again
	err    error // sticky
}

// Read implements [io.Reader].
func (b *laneBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.source.Read(p)
	if err != nil {
		b.err = err
		b.lane.end(b.again && err == io.EOF)
	}
	return n, err
}

// Close implements [io.Closer]. What was not read is not read any more.
func (b *laneBody) Close() error {
	if b.err == nil {
		b.err = http.ErrBodyReadAfterClose
		b.lane.end(false)
	}
	return nil
}
