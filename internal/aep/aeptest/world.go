// Package aeptest is the other side of the Agent Enrollment Protocol for tests: a Service written from the rules, and the
// hosts that it and the agents' documents live on. It shares no code with the agent's side, so that both cannot be wrong in
// the same way.
package aeptest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// World is a few hosts on one listener, with TLS under an authority of its own, and one clock.
type World struct {
	Roots  *x509.CertPool
	server *httptest.Server
	key    *ecdsa.PrivateKey
	ca     *x509.Certificate

	mu    sync.Mutex
	hosts map[string]http.Handler
	certs map[string]*tls.Certificate
	now   time.Time
	real  bool
}

// NewWorld starts a world that speaks TLS from a version on. It ends with the test.
func NewWorld(t testing.TB, minTLS, maxTLS uint16) *World {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	w := &World{
		Roots: x509.NewCertPool(), key: key, hosts: map[string]http.Handler{}, certs: map[string]*tls.Certificate{},
		now: time.Date(2026, 9, 1, 10, 0, 0, 0, time.UTC),
	}
	template := certificate("authority of a test", time.Now()) //nolint:forbidigo // certificates are judged by the real clock
	template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	w.ca, err = x509.ParseCertificate(der)
	must(t, err)
	w.Roots.AddCert(w.ca)

	w.server = httptest.NewUnstartedServer(w)
	w.server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are no news
	w.server.TLS = &tls.Config{MinVersion: minTLS, MaxVersion: maxTLS, GetCertificate: w.certify}
	w.server.StartTLS()
	t.Cleanup(w.server.Close)
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func certificate(name string, now time.Time) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, BasicConstraintsValid: true,
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
	}
}

// certify makes a certificate for the host that a client wants, once.
func (w *World) certify(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if known := w.certs[hello.ServerName]; known != nil {
		return known, nil
	}
	template := certificate(hello.ServerName, time.Now()) //nolint:forbidigo // certificates are judged by the real clock
	template.DNSNames = []string{hello.ServerName}
	der, err := x509.CreateCertificate(rand.Reader, template, w.ca, w.key.Public(), w.key)
	w.certs[hello.ServerName] = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: w.key}
	return w.certs[hello.ServerName], err
}

// Addr is where all hosts are.
func (w *World) Addr() net.Addr { return w.server.Listener.Addr() }

// Handle puts a handler on a host, in place of the one before. The host may have a port behind it.
func (w *World) Handle(host string, handler http.Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hosts[host] = handler
}

// ServeHTTP finds the host.
func (w *World) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	handler := w.hosts[r.Host]
	w.mu.Unlock()
	if handler == nil {
		http.Error(out, "no such host", http.StatusNotFound)
		return
	}
	handler.ServeHTTP(out, r)
	w.Between(func() {}) // what the handler looked at may be changed from now on
}

// Between changes something that handlers look at, while none is asked: a test does that between runs of a program, which the
// race detector cannot see the end of.
func (w *World) Between(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// Now is the world's clock. Only Pass moves it.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.real {
		return time.Now() //nolint:forbidigo // see RealTime
	}
	return w.now
}

// RealTime has the world's clock go like everybody's, for programs that look at that.
func (w *World) RealTime() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.real = true
}

// Authority is the certificate that all hosts are under, in PEM.
func (w *World) Authority() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.ca.Raw})
}

// Pass moves the clock.
func (w *World) Pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// Fetch gets a document from one of the hosts, as a Service does that resolves a DID: status 200 or an error.
func (w *World) Fetch(ctx context.Context, url string) ([]byte, error) {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, w.Addr().String())
	}
	client := &http.Client{Transport: &http.Transport{
		DialContext: dial, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: w.Roots, MinVersion: tls.VersionTLS12},
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, http.ErrMissingFile
	}
	return io.ReadAll(response.Body)
}
