// Package site turns the SITE word of a command line into an origin, finds what is published there, and answers
// questions about it: which commands exist, and what one of them looks like in full. What it has found before is looked
// up by command in a file, so a site with ten thousand actions costs no more than one with ten.
package site

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/agentctl/agentctl/internal/demo"
	"github.com/agentctl/agentctl/internal/fault"
)

// DemoWord is the name of the site that is compiled into the program.
const DemoWord = "demo"

// Origin is a scheme, host and port: "https://popcorn.club". The port is absent where it is the scheme's own.
type Origin string

// Host returns the host and, unless it is the scheme's own, the port.
func (o Origin) Host() string {
	_, host, _ := strings.Cut(string(o), "://")
	return host
}

// Resolve turns a SITE word into an origin (contract, section 1): an alias of aliases, "demo", a domain, HOST:PORT or an
// origin URL. Anything else is a usage fault; its candidates for "did you mean" are left to the caller.
func Resolve(word string, aliases *Aliases) (Origin, error) {
	if alias, ok := aliases.Get(word); ok {
		return ParseOrigin(string(alias.Origin))
	}
	if word == DemoWord {
		return demo.Origin, nil
	}
	return ParseOrigin(word)
}

// ParseOrigin reads a domain, HOST:PORT or origin URL. Plain HTTP is accepted for the exact hosts localhost, 127.0.0.1
// and [::1] only (IA-2).
func ParseOrigin(word string) (Origin, error) {
	bad := func(format string, args ...any) (Origin, error) {
		return "", fault.New(fault.Usage, "invalid_site", format, args...)
	}
	text := word
	if !strings.Contains(word, "://") {
		if !strings.ContainsAny(word, ".:") && !strings.EqualFold(word, "localhost") {
			return "", fault.New(fault.Usage, "unknown_site", "%q is neither a command of agentctl, nor a known alias, nor a domain", fault.Word(word))
		}
		text = "https://" + word
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return bad("%q is no domain, HOST:PORT or origin URL", fault.Word(word))
	case u.Scheme != "https" && u.Scheme != "http":
		return bad("%q: only https:// is supported, and http:// for localhost", fault.Word(word))
	case u.User != nil:
		return bad("a site must not carry a user name or password")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return bad("%q: a site is an origin such as https://popcorn.club, without a path", fault.Word(word))
	}
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return bad("%q is not a valid host name", fault.Word(u.Hostname()))
	}
	if u.Scheme == "http" && !plainHTTPAllowed(host) {
		return bad("plain http:// is refused for %q: use https://", fault.Word(host))
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	switch port := u.Port(); {
	case port == "" && strings.HasSuffix(u.Host, ":"):
		return bad("%q: the port is empty", fault.Word(word))
	case port != "" && !validPort(port):
		return bad("%q: the port must be a number from 1 to 65535", fault.Word(word))
	case port != "" && ((u.Scheme != "https" || port != "443") && (u.Scheme != "http" || port != "80")):
		host += ":" + port
	}
	return Origin(u.Scheme + "://" + host), nil
}

func plainHTTPAllowed(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

func asciiHost(host string) (string, error) {
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		return addr.String(), nil // one spelling: rules and credentials go by it
	}
	if !utf8.ValidString(host) {
		return "", errNotText
	}
	ascii, err := idna.Lookup.ToASCII(strings.TrimSuffix(host, "."))
	if err != nil {
		return "", err
	}
	if slices.Contains(strings.Split(ascii, "."), "") {
		return "", errEmptyLabel
	}
	if again, err := idna.Lookup.ToASCII(ascii); err != nil || again != ascii {
		return "", errUnstable
	}
	return ascii, nil
}

var (
	errEmptyLabel = errors.New("a part of the host name is empty")
	errNotText    = errors.New("the host name is not valid UTF-8")
	errUnstable   = errors.New("the host name has no one spelling")
)

func validPort(port string) bool {
	n := 0
	for _, r := range port {
		if r < '0' || r > '9' {
			return false
		}
		if n = n*10 + int(r-'0'); n > 65535 {
			return false
		}
	}
	return n > 0 && port[0] != '0' // one spelling
}

// OriginOf returns the origin of an absolute URL, held to the rules of [ParseOrigin].
func OriginOf(address string) (Origin, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", fault.New(fault.Usage, "invalid_site", "%q is no absolute URL", fault.Word(address))
	}
	return ParseOrigin(u.Scheme + "://" + u.Host)
}
