package fetch

import (
	"crypto/x509"
	"os"
	"runtime"
)

// SystemRoots reads the one file in which a Linux distribution keeps all the certificates that it trusts. crypto/x509 reads
// the directories of single certificates besides, which hold the same ones and cost some 40 ms. It returns nil where there
// is no such file, or where SSL_CERT_DIR asks for directories: then crypto/x509 does what it does.
func SystemRoots(getenv func(string) string) (*x509.CertPool, error) {
	if runtime.GOOS != "linux" || getenv("SSL_CERT_DIR") != "" {
		return nil, nil
	}
	for _, bundle := range []string{
		"/etc/ssl/certs/ca-certificates.crt",                // Debian, Ubuntu, Arch, Alpine, Gentoo
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Fedora, RHEL, CentOS
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem", // openSUSE
		"/etc/ssl/cert.pem",
	} {
		pem, err := os.ReadFile(bundle)
		if err != nil {
			continue
		}
		if pool := x509.NewCertPool(); pool.AppendCertsFromPEM(pem) {
			return pool, nil
		}
	}
	return nil, nil
}
