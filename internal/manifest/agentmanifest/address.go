package agentmanifest

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

// maxAddress bounds an address. Servers take no longer ones either.
const maxAddress = 8 << 10

// resolve returns the absolute URL that an address in a manifest leads to (AM-4): "/x" on the origin of the manifest, "./x"
// and "../x" beside it, or an absolute URL. from is where the manifest was found.
func resolve(address string, from *url.URL) (string, error) {
	switch {
	case address == "":
		return "", errors.New("is empty")
	case len(address) > maxAddress:
		return "", fmt.Errorf("is longer than %d bytes", maxAddress)
	case strings.ContainsFunc(address, isForbidden):
		return "", errors.New(`must not hold spaces, control characters or "\"`)
	case strings.HasPrefix(address, "//"):
		return "", errors.New(`must not begin with "//"`)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", errors.New("is not a URL")
	case u.Scheme == "" && !isRelative(address):
		return "", errors.New(`must begin with "/", "./", "../" or "https://"`)
	case u.Scheme == "":
		return from.ResolveReference(u).String(), nil
	case u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("must not have the scheme %q", fault.Word(u.Scheme))
	case u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return "", errors.New("names no host")
	case u.User != nil:
		return "", errors.New("must not hold user information")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "", errors.New("must begin with https://")
	}
	return u.String(), nil
}

func isForbidden(r rune) bool {
	return r == ' ' || r == '\\' || unicode.IsControl(r) || r == unicode.ReplacementChar
}

func isRelative(address string) bool {
	return address[0] == '/' || strings.HasPrefix(address, "./") || strings.HasPrefix(address, "../")
}

// isLoopback reports whether plain HTTP may go to a host (contract, section 1).
func isLoopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// SameOrigin reports whether two absolute URLs have the same origin, whatever way each is spelled.
func SameOrigin(a, b string) bool {
	left, err := originOf(a)
	right, err2 := originOf(b)
	return err == nil && err2 == nil && left == right
}

func originOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("%q is no absolute URL", fault.Word(address))
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	return u.Scheme + "://" + manifest.PlainHost(u.Hostname()) + ":" + port, nil
}
