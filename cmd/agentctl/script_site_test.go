package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptHosts are the names that lead to a script's site.
var scriptHosts = []string{"popcorn.club", "shop.example", "elsewhere.example"}

type siteKey struct{}

// scriptSite answers from the files of a script:
//
//	site/PATH                  GET and HEAD; the media type comes from the name, .json or .html or .md
//	site/PATH@METHOD           any method; header fields, an empty line, then the body. "Status: 404" sets the status,
//	                           "Behave: reset|stall|half|bomb|endless|echo" makes the server misbehave, and "Paywall: x402-2 2500"
//	                           has it want a payment first, which it verifies (see paywall)
//	site/PATH@METHOD.human     the same where the request has humanReadable=true
//
// It writes every request into a log: the line, the fields that matter, and the body.
type scriptSite struct {
	root string
	wall paywall
	mu   sync.Mutex
	log  bytes.Buffer
}

// authority signs the certificates of the tests' sites.
type authority struct {
	pem  []byte
	leaf tls.Certificate // for the sites of scripts
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key, cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "agentctl test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}}
	self := a.sign(t, a.cert, &key.PublicKey)
	a.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: self})
	a.leaf = a.issue(t, certificateFor(scriptHosts...))
	return a
}

// certificateFor is what a good certificate for names says.
func certificateFor(names ...string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: names, KeyUsage: x509.KeyUsageDigitalSignature,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}

// issue makes a certificate with a key of its own.
func (a *authority) issue(t *testing.T, says *x509.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{a.sign(t, says, &key.PublicKey)}, PrivateKey: key}
}

func (a *authority) sign(t *testing.T, says *x509.Certificate, key crypto.PublicKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, says, a.cert, key, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// serveScript starts the site of a script and tells the script's environment how to reach it.
func serveScript(env *testscript.Env, a *authority) error {
	site := &scriptSite{root: filepath.Join(env.WorkDir, "site")}
	server := httptest.NewUnstartedServer(site)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{a.leaf}}
	server.EnableHTTP2 = true
	server.StartTLS()
	env.Defer(server.Close)
	env.Defer(server.CloseClientConnections)
	env.Values[siteKey{}] = site
	addr := server.Listener.Addr().String()
	var overrides []string
	for _, host := range scriptHosts {
		overrides = append(overrides, host+":443:"+addr)
	}
	env.Setenv("SITE_ADDR", addr)
	env.Setenv("AGENTCTL_RESOLVE", strings.Join(overrides, ","))
	env.Setenv("SSL_CERT_FILE", filepath.Join(env.WorkDir, "ca.pem"))
	return os.WriteFile(filepath.Join(env.WorkDir, "ca.pem"), a.pem, 0o600)
}

func (s *scriptSite) takeLog() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.log.Reset()
	return s.log.String()
}

func (s *scriptSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	name := filepath.Join(s.root, filepath.FromSlash(path.Clean(r.URL.Path)))
	if !s.vainProbe(r, name) {
		s.record(r, body)
	}
	if r.URL.Query().Get("humanReadable") == "true" {
		if answer, err := os.ReadFile(name + "@" + r.Method + ".human"); err == nil {
			s.reply(w, r, body, answer)
			return
		}
	}
	if answer, err := os.ReadFile(name + "@" + r.Method); err == nil {
		s.reply(w, r, body, answer)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "no such thing", http.StatusNotFound)
		return
	}
	content, err := os.ReadFile(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	switch filepath.Ext(name) {
	case ".json":
		w.Header().Set("Content-Type", "application/json")
	case ".md":
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	case ".html":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	_, _ = w.Write(content)
}

// vainProbe recognises discovery's question for a format that the script's site does not publish. It is asked beside the
// others, at any time, so logs are easier to read without it.
func (s *scriptSite) vainProbe(r *http.Request, name string) bool {
	vain := []string{"/.well-known/agent-actions.json", "/.well-known/odp", "/.well-known/agent.json", "/.well-known/agent-manifest.json", "/agent-manifest.json"}
	if !slices.Contains(vain, r.URL.Path) || r.Header.Get("Authorization") != "" {
		return false
	}
	found, _ := filepath.Glob(name + "*")
	return len(found) == 0
}

// record logs a request. Discovery is a line; a call is its line, the fields that matter and its body.
func (s *scriptSite) record(r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.log, "%s %s\n", r.Method, r.RequestURI)
	var names []string
	for name := range r.Header {
		if strings.HasPrefix(name, "X-") || slices.Contains([]string{"Authorization", "Content-Type", "If-None-Match", "Payment-Signature"}, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		value := strings.Join(r.Header[name], ", ")
		if name == "X-Payment" || name == "Payment-Signature" || strings.HasPrefix(value, "Payment ") { // another one each time
			value = "(a payment)"
		}
		fmt.Fprintf(&s.log, "%s: %s\n", name, value)
	}
	if len(body) > 0 {
		fmt.Fprintf(&s.log, "\n%s\n", body)
	}
}

// reply sends an answer that a script spells out.
func (s *scriptSite) reply(w http.ResponseWriter, r *http.Request, sent, answer []byte) {
	reader := bufio.NewReader(bytes.NewReader(answer))
	fields, err := textproto.NewReader(reader).ReadMIMEHeader()
	if err != nil {
		http.Error(w, "the script's answer has no header: "+err.Error(), http.StatusInternalServerError)
		return
	}
	body, _ := io.ReadAll(reader)
	if price := fields.Get("Paywall"); price != "" && !s.wall.admit(w, r, price, sent) {
		return
	}
	fields.Del("Paywall")
	status := http.StatusOK
	for name, values := range fields {
		switch name {
		case "Status":
			status, _ = strconv.Atoi(values[0])
		case "Behave":
			defer misbehave(w, r, values[0], body)
		default:
			w.Header()[name] = values
		}
	}
	if fields.Get("Behave") != "" {
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// misbehave is what a broken or hostile server does.
func misbehave(w http.ResponseWriter, r *http.Request, how string, body []byte) {
	switch how {
	case "reset":
		panic(http.ErrAbortHandler)
	case "stall":
		<-r.Context().Done()
	case "half":
		w.Header().Set("Content-Length", strconv.Itoa(2*len(body)+2))
		_, _ = w.Write(body)
		panic(http.ErrAbortHandler)
	case "bomb":
		w.Header().Set("Content-Encoding", "gzip")
		var member bytes.Buffer // a stream of them is a gzip file as well
		z := gzip.NewWriter(&member)
		_, _ = z.Write(make([]byte, 1<<20))
		_ = z.Close()
		for range 200 {
			if _, err := w.Write(member.Bytes()); err != nil {
				return
			}
		}
	case "echo": // of all that proves who sent the request
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		payment := r.Header.Get("Payment-Signature") + strings.TrimPrefix(r.Header.Get("Authorization"), "Payment ")
		inside, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(payment), "="))
		fmt.Fprintf(w, `{"error":{"code":"no","message":"not for %s","details":%s}}`, payment, inside)
	case "endless":
		chunk := bytes.Repeat([]byte(" "), 64<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
}
