package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/agentctl/agentctl/internal/fault"
)

// Codes of failures that the package itself tells apart. All are of kind [fault.Unavailable].
const (
	codeDNS     = "dns_failed"
	codeConnect = "connect_failed"
	codeReset   = "connection_reset"
	codeTLS     = "tls_failed"
	codeProxy   = "proxy_failed"
	codeBlocked = "address_blocked"
	codeLarge   = "too_large"
	codeHTTP    = "protocol_error"

	codeRedirect = "redirect_refused"
)

// failed turns the failure of a request without an answer into words. What net/http says is never passed on: parts of it
// are the site's own bytes.
func failed(ctx context.Context, host string, w *wire, err error) *fault.Error {
	state := w.state()
	if why := contextCause(ctx, err); why != nil {
		e := contextFault(why, host, state.sent(ctx))
		if e.Code == "timeout" && state.connections == 0 {
			e.Message = fmt.Sprintf("cannot connect to %q within the time limit", host)
		}
		return e
	}
	if e, ok := errors.AsType[*fault.Error](err); ok { // made by the dialer
		return e
	}
	if isProxyFailure(err) {
		return proxyFault(host, err)
	}
	e := classify(host, state, err)
	e.Sent = state.sent(ctx)
	return e
}

func classify(host string, state wireState, err error) *fault.Error {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case isDNS && dns.IsNotFound:
		return unavailable(err, codeDNS, "there is no host %q", host).WithHint("check the name, or name an address with --resolve")
	case isDNS:
		return unavailable(err, codeDNS, "the host %q cannot be looked up", host)
	case state.connections == 0 && state.handshakeErr != nil && !isReset(state.handshakeErr):
		return tlsFault(host, err)
	case state.connections == 0 && state.handshakeErr != nil:
		return unavailable(err, codeReset, "%q closed the connection during the TLS handshake", host)
	case state.connections == 0:
		return unavailable(err, codeConnect, "cannot connect to %q%s", host, because(err))
	case state.connections > maxWrites:
		return unavailable(err, codeReset, "%q closed every connection before it answered", host)
	case headTooLarge(err):
		return unavailable(err, codeLarge, "the header of the answer from %q is larger than %d KiB", host, maxResponseHead>>10)
	case isReset(err):
		return unavailable(err, codeReset, "%q closed the connection before it answered", host)
	}
	return unavailable(err, codeHTTP, "the answer from %q is not valid HTTP", host)
}

func unavailable(cause error, code, format string, args ...any) *fault.Error {
	return &fault.Error{Kind: fault.Unavailable, Code: code, Message: fmt.Sprintf(format, args...), Err: cause}
}

func offline(host string) *fault.Error {
	return fault.New(fault.Unavailable, "offline", "nothing is stored for %q, and --offline forbids to ask", host).
		WithHint("leave out --offline")
}

// contextCause returns why ctx ended, if that is what err is about. A deadline can strike the connection before the
// context itself tells, so time-outs of the connection count as well.
func contextCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return nil
}

// contextFault is the failure of a request whose context ended; why is the context's error.
func contextFault(why error, host string, sent fault.Sent) *fault.Error {
	e := fault.From(why)
	e.Sent = sent
	if e.Code == "timeout" {
		e.Message = fmt.Sprintf("%q did not answer within the time limit", host)
		e.Hint = "allow more with --timeout"
	}
	return e
}

// isReset reports whether the other side, or the way there, ended a connection. It is asked only where more was due.
func isReset(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		return true
	}
	// Whatever the operating system says about reading and writing: its codes differ between platforms.
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "read" || op.Op == "write") {
		return true
	}
	// net/http keeps the types of these to itself. They are prefixes because the rest can be the site's own text.
	text := err.Error()
	for _, prefix := range []string{
		"http: server closed idle connection", "http2: client connection lost", "http2: server sent GOAWAY", "stream error: ",
		"http2: Transport: cannot retry err [", "http2: client connection force closed",
	} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

// headTooLarge recognises an endless header. What net/http says to one has no type (HTTP/1 and HTTP/2).
func headTooLarge(err error) bool {
	if errors.Is(err, errHeadTooLarge) {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "server response headers exceeded") || strings.Contains(text, "response header list larger than")
}

func isProxyFailure(err error) bool {
	if _, ok := errors.AsType[proxyRefusalError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "proxyconnect" || strings.HasPrefix(op.Op, "socks"))
}

// proxyFault is the failure of the way to the site: the request cannot have been sent. The proxy's own URL may hold a
// password and is not shown.
func proxyFault(host string, err error) *fault.Error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	why := because(err)
	if refusal, ok := errors.AsType[proxyRefusalError](err); ok {
		why = fmt.Sprintf(": it answered with status %d", refusal.status)
		if refusal.status == http.StatusProxyAuthRequired {
			why = ": it wants a user name and password (status 407)"
		}
	}
	return unavailable(err, codeProxy, "the proxy does not lead to %q%s", host, why).
		WithHint("HTTPS_PROXY names the proxy, NO_PROXY the hosts to reach without it")
}

// because names the operating system's reason, ": connection refused", if there is one.
func because(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return ": " + errno.Error()
	}
	return ""
}

// tlsFault says what is wrong with a certificate. Names in it are the site's own text.
func tlsFault(host string, err error) *fault.Error {
	name, isName := errors.AsType[x509.HostnameError](err)
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, notTLS := errors.AsType[tls.RecordHeaderError](err)
	_, isAlert := errors.AsType[tls.AlertError](err)
	e := unavailable(err, codeTLS, "no TLS connection to %q", host)
	switch {
	case isName:
		e.Message = fmt.Sprintf("the certificate of %q is for another name%s", host, certificateNames(name.Certificate))
	case isInvalid && invalid.Reason == x509.Expired:
		e.Message = fmt.Sprintf("the certificate of %q has expired or is not valid yet", host)
		e.Hint = "check the clock of this machine too"
	case isInvalid:
		e.Message = fmt.Sprintf("the certificate of %q is not valid for a web site", host)
	case isUnknown:
		e.Message = fmt.Sprintf("the certificate of %q is signed by an unknown authority", host)
		e.Hint = "--cacert FILE names an authority to trust"
	case notTLS:
		e.Message = fmt.Sprintf("%q does not speak TLS on this port", host)
	case isAlert, isRemoteAlert(err):
		e.Message = fmt.Sprintf("%q refused the TLS connection", host)
	}
	return e
}

func isRemoteAlert(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error"
}

func certificateNames(certificate *x509.Certificate) string {
	if certificate == nil || len(certificate.DNSNames) == 0 {
		return ""
	}
	quoted := make([]string, 0, 3)
	for _, name := range certificate.DNSNames[:min(3, len(certificate.DNSNames))] {
		quoted = append(quoted, quote(name))
	}
	if len(certificate.DNSNames) > len(quoted) {
		quoted = append(quoted, "…")
	}
	return ": " + strings.Join(quoted, ", ")
}

// quote makes foreign text safe to print: escaped, and cut to a length that leaves the message readable.
func quote(text string) string {
	const most = 200
	if len(text) <= most {
		return strconv.Quote(text)
	}
	cut := most
	for cut > most-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strconv.Quote(text[:cut]) + "…"
}
