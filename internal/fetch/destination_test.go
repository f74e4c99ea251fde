package fetch

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestDestinations(t *testing.T) {
	addresses := func(texts ...string) (all []netip.Addr) {
		for _, text := range texts {
			all = append(all, netip.MustParseAddr(text))
		}
		return all
	}
	for name, test := range map[string]struct {
		url       string
		addresses []netip.Addr
		peer      string
		local, ok bool
	}{
		"a public name":                        {"https://a.example/x", addresses("93.184.216.34", "2606:4700::1"), "93.184.216.34", false, true},
		"a mapped peer":                        {"https://a.example/x", addresses("93.184.216.34"), "::ffff:93.184.216.34", false, true},
		"a public literal":                     {"https://93.184.216.34/", addresses("93.184.216.34"), "93.184.216.34", false, true},
		"a private address":                    {"https://a.example/x", addresses("10.10.0.5"), "10.10.0.5", false, false},
		"a private address, locally":           {"https://a.example/x", addresses("10.10.0.5"), "10.10.0.5", true, false},
		"a private one among public ones":      {"https://a.example/x", addresses("93.184.216.34", "127.0.0.1"), "93.184.216.34", false, false},
		"another peer":                         {"https://a.example/x", addresses("93.184.216.34"), "93.184.216.35", false, false},
		"no address":                           {"https://a.example/x", nil, "93.184.216.34", false, false},
		"a private literal":                    {"https://10.0.0.1/", addresses("10.0.0.1"), "10.0.0.1", false, false},
		"a literal with a zone":                {"https://[2606:4700::1%25eth0]/", addresses("2606:4700::1%eth0"), "2606:4700::1%eth0", false, false},
		"localhost":                            {"http://localhost:8080/", addresses("127.0.0.1"), "127.0.0.1", false, false},
		"localhost over TLS":                   {"https://localhost/", addresses("::1"), "::1", false, false},
		"localhost, locally":                   {"http://localhost:8080/", addresses("127.0.0.1", "::1"), "::1", true, true},
		"[::1], locally":                       {"http://[::1]:8080/", addresses("::1"), "::1", true, true},
		"localhost that is another machine":    {"http://localhost:8080/", addresses("127.0.0.1", "93.184.216.34"), "127.0.0.1", true, false},
		"another loopback literal, locally":    {"http://127.0.0.2:8080/", addresses("127.0.0.2"), "127.0.0.2", true, false},
		"a name for loopback, locally":         {"https://dev.example:8080/", addresses("127.0.0.1"), "127.0.0.1", true, false},
		"a name for loopback in plain http":    {"http://dev.example:8080/", addresses("127.0.0.1"), "127.0.0.1", true, false},
		"a public name in plain http, locally": {"http://a.example/", addresses("93.184.216.34"), "93.184.216.34", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := Destination{URL: test.url, Addresses: test.addresses, Peer: netip.MustParseAddr(test.peer), Local: test.local}.Check()
			if (err == nil) != test.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

// strayConn is a connection that came out at another address than the one asked for.
type strayConn struct{ net.Conn }

func (c strayConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 443} }

func TestAConnectionIsCheckedWhereItCameOut(t *testing.T) {
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close(); there.Close() })
	asked := []netip.AddrPort{netip.MustParseAddrPort("93.184.216.34:443")}
	wantFault(t, confirmPeer(strayConn{here}, "a.example:443", asked), fault.Unavailable, "address_blocked", fault.SentNo)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	conn, err := newDialer(nil, true).dial(context.Background(), "tcp", listener.Addr().String())
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	must(t, confirmPeer(conn, "127.0.0.1:1", []netip.AddrPort{netip.MustParseAddrPort("[::ffff:127.0.0.1]:1")}))
}

func TestSameOriginRedirect(t *testing.T) {
	const from = "https://a.example/x/y"
	for to, ok := range map[string]bool{
		"https://a.example/v2": true, "/v2": true, "v2?q#f": true, "//a.example/": true, "https://A.example:443/": true, "?": true,
		"http://a.example/": false, "https://a.example:444/": false, "https://b.example/": false, "https://sub.a.example/": false,
		"//b.example": false, "https://a.example.b.example/": false, "https://u@a.example/": false, "": false, "https://[": false,
		"javascript:x": false, "https:/\\b.example": false, "https://a.example@b.example/": false,
	} {
		if err := SameOriginRedirect(from, to); (err == nil) != ok {
			t.Errorf("%q: %v", to, err)
		}
	}
	if SameOriginRedirect("ftp://a.example/", "/") == nil {
		t.Error("from ftp")
	}
	if err := SameOriginRedirect("http://localhost:8080/", "/x"); err != nil {
		t.Error(err)
	}
}

// A redirect that is followed stays at its origin, as net/url sees it.
func FuzzSameOriginRedirect(f *testing.F) {
	for _, to := range []string{"/x", "//b.example", "https://a.example:443", "https:a", "\\\\b.example", "https://a.example%2eb", "?q", "#"} {
		f.Add(to)
	}
	from, _ := url.Parse("https://a.example/x")
	f.Fuzz(func(t *testing.T, to string) {
		if SameOriginRedirect(from.String(), to) != nil {
			return
		}
		u, err := from.Parse(to)
		if err != nil || u.Scheme != "https" || !strings.EqualFold(u.Hostname(), "a.example") || u.Port() != "" && u.Port() != "443" {
			t.Errorf("%q leads to %v (%v)", to, u, err)
		}
	})
}
