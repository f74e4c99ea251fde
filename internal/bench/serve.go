package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// sites is where the sites are served.
type sites struct {
	tlsPort   string // of both hosts, over TLS
	plainAddr string // "HOST:PORT" of a page without TLS
	caFile    string // the authority that signed the certificate
}

func caFile(dir string) string { return filepath.Join(dir, "ca.pem") }

// startSites starts this program once more, to serve. A process of its own keeps the indexes out of the memory that Linux
// counts for the measured programs: a process begins with the peak of the one that started it.
func startSites(ctx context.Context, dir string, saveMiB int64) (s *sites, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	server := exec.CommandContext(ctx, self, "-serve", dir, "-save-mib", fmt.Sprint(saveMiB))
	server.Stderr = os.Stderr
	life, err := server.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := server.Start(); err != nil {
		return nil, nil, err
	}
	stop = func() {
		_ = life.Close() // tells it to end
		_ = server.Wait()
	}
	s = &sites{caFile: caFile(dir)}
	if _, err := fmt.Fscan(bufio.NewReader(out), &s.tlsPort, &s.plainAddr); err != nil {
		stop()
		return nil, nil, fmt.Errorf("the sites did not start: %w", err)
	}
	return s, stop, nil
}

// serve is the other side of startSites. It says where it listens, then serves until standard input ends.
func serve(ctx context.Context, dir string, downloadBytes int64) error {
	certificate, authority, err := newCertificate()
	if err != nil {
		return err
	}
	if err := os.WriteFile(caFile(dir), authority, 0o600); err != nil {
		return err
	}
	handler := newHandler(downloadBytes)
	secure, err := listen(ctx, handler, &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12})
	if err != nil {
		return err
	}
	plain, err := listen(ctx, handler, nil)
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(secure)
	if err != nil {
		return err
	}
	fmt.Println(port, plain)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func listen(ctx context.Context, handler http.Handler, config *tls.Config) (addr string, err error) {
	var plain net.ListenConfig
	listener, err := plain.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: handler, TLSConfig: config, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		if config == nil {
			_ = server.Serve(listener)
			return
		}
		_ = server.ServeTLS(listener, "", "")
	}()
	return listener.Addr().String(), nil
}

// newCertificate returns a certificate for the hosts, and the authority that signed it as PEM.
func newCertificate() (leaf tls.Certificate, authority []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return leaf, nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "agentctl bench"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		DNSNames:              []string{smallHost, largeHost, flowHost, catalogueHost},
		BasicConstraintsValid: true,
		IsCA:                  true, // signs itself: the shortest chain there is, for both programs
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return leaf, nil, err
	}
	authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, authority, nil
}
