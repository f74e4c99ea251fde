package fetch

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

const site = "https://shop.example"

// authority is a certificate authority of a test's own.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	cert, err := x509.ParseCertificate(der)
	must(t, err)
	return &authority{key, cert}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// issue returns a server certificate for names that is valid until an hour after expiry.
func (a *authority) issue(t testing.TB, until time.Time, names ...string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: names, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is a site at https://shop.example, a client that reaches it, a clock that only sleeping moves, and what was traced.
type world struct {
	settings Settings
	ca       *authority
	mu       sync.Mutex
	now      time.Time
	sleeps   []time.Duration
	events   []Event
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{ca: newAuthority(t), now: time.Now()}
	w.settings = Settings{
		UserAgent: "agentctl/test", Roots: func() (*x509.CertPool, error) { return w.ca.pool(), nil },
		Now: func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.now = w.now.Add(d)
			w.sleeps = append(w.sleeps, d)
			return ctx.Err()
		},
		Trace: func(e Event) { w.mu.Lock(); defer w.mu.Unlock(); w.events = append(w.events, e) },
	}
	if strings.HasPrefix(t.Name(), overLanes) {
		w.settings.Parallel = 4
	}
	return w
}

func (w *world) pass(d time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.now = w.now.Add(d) }

func (w *world) kinds(kind EventKind) (found []Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

// resolve sends connections for "host:port" to a listener.
func (w *world) resolve(host string, port uint16, to net.Addr) {
	w.settings.Resolve = append(w.settings.Resolve, Override{Host: host, Port: port, Addr: to.(*net.TCPAddr).AddrPort()})
}

// serve runs a handler as https://shop.example over HTTP/2 and HTTP/1.1.
func (w *world) serve(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	return w.serveAs(t, handler, true)
}

func (w *world) serveAs(t testing.TB, handler http.HandlerFunc, http2 bool) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = http2
	server.TLS = &tls.Config{Certificates: []tls.Certificate{w.ca.issue(t, time.Now().Add(time.Hour), "shop.example")}}
	server.StartTLS()
	t.Cleanup(server.Close)
	w.resolve("shop.example", 443, server.Listener.Addr())
	return server
}

// raw runs a server that speaks TLS and then whatever talk says, one call for each connection.
func (w *world) raw(t testing.TB, talk func(conn net.Conn)) {
	t.Helper()
	config := &tls.Config{Certificates: []tls.Certificate{w.ca.issue(t, time.Now().Add(time.Hour), "shop.example")}}
	w.rawTCP(t, func(conn net.Conn) { talk(tls.Server(conn, config)) })
}

func (w *world) rawTCP(t testing.TB, talk func(conn net.Conn)) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wait.Go(func() {
				defer conn.Close()
				talk(conn)
			})
		}
	})
	t.Cleanup(func() { listener.Close(); wait.Wait() })
	w.resolve("shop.example", 443, listener.Addr())
}

// readRequest reads what a client sends up to the end of its head.
func readRequest(conn net.Conn) string {
	var head []byte
	b := make([]byte, 1)
	for len(head) < 4 || string(head[len(head)-4:]) != "\r\n\r\n" {
		if n, err := conn.Read(b); n == 0 || err != nil {
			return string(head)
		}
		head = append(head, b[0])
	}
	return string(head)
}

// reset closes a connection with a TCP RST.
func reset(conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// get sends a read and returns its body.
func get(ctx context.Context, c *Client, r Request) (string, *Response, error) {
	r.Read = true
	response, err := c.Do(ctx, r)
	if err != nil {
		return "", nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return string(content), response, err
}

func wantFault(t *testing.T, err error, kind fault.Kind, code string, sent fault.Sent) *fault.Error {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("got %v, want a *fault.Error with code %s", err, code)
	}
	if e.Sent == "" {
		e.Sent = fault.SentNo
	}
	if e.Kind != kind || e.Code != code || e.Sent != sent {
		t.Errorf("got kind %s, code %s, sent %s (%v; cause %v); want %s, %s, %s", e.Kind, e.Code, e.Sent, e, e.Err, kind, code, sent)
	}
	return e
}

func lookupTable(table map[string][]string) func(context.Context, string) ([]netip.Addr, error) {
	return func(_ context.Context, host string) ([]netip.Addr, error) {
		texts, ok := table[host]
		if !ok {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		var addresses []netip.Addr
		for _, text := range texts {
			addresses = append(addresses, netip.MustParseAddr(text))
		}
		return addresses, nil
	}
}

// closeIdle closes the connections that wait for another request.
func (c *Client) closeIdle() {
	c.plain.shared.CloseIdleConnections()
	if secure, err := c.secure(); err == nil {
		secure.shared.CloseIdleConnections()
		if secure.lanes != nil {
			secure.lanes.closeIdle()
		}
	}
}
