package fetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestPublicAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"1.1.1.1": true, "93.184.216.34": true, "172.15.255.255": true, "172.32.0.0": true, "100.63.255.255": true, "100.128.0.0": true,
		"192.0.1.0": true, "223.255.255.255": true, "2606:4700::1111": true, "2a00:1450:4001::1": true,
		"::ffff:1.1.1.1": true, "64:ff9b::1.1.1.1": true, "2001:200::1": true,

		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "100.127.255.255": false, "127.0.0.1": false,
		"127.255.255.255": false, "169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.1": false,
		"192.0.2.1": false, "192.88.99.1": false, "192.168.1.1": false, "198.18.0.1": false, "198.19.255.255": false,
		"198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "fc00::1": false, "fd12::1": false,
		"ff02::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false,
		"64:ff9b::10.0.0.1": false, "64:ff9b::127.0.0.1": false, "64:ff9b:1::1.1.1.1": false, "2002:7f00:1::": false, "2002:101:101::": false,
		"2001::1": false, "2001:2::1": false, "2001:db8::1": false, "3fff::1": false, "100::1": false, "5f00::1": false,
		"2606:4700::1111%eth0": false, "100:0:0:1::1": false, "fe80::1%1": false, // a zone is of this network
	} {
		if got := PublicAddress(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
	if PublicAddress(netip.Addr{}) {
		t.Error("no address counts as public")
	}
}

func TestPublicNamesMustNotLeadToPrivateAddresses(t *testing.T) {
	table := lookupTable(map[string][]string{
		"private.example": {"10.0.0.1"}, "metadata.example": {"169.254.169.254"}, "mapped.example": {"::ffff:127.0.0.1"},
		"mixed.example": {"93.184.216.34", "127.0.0.1"}, "sub.localhost": {"127.0.0.1"}, "local.example.": {"::1"}, "empty.example": {},
	})
	client := New(newWorld(t).settings)
	client.dialer.lookup = table
	for host, code := range map[string]string{
		"private.example": "address_blocked", "metadata.example": "address_blocked", "mapped.example": "address_blocked",
		"mixed.example": "address_blocked", "sub.localhost": "address_blocked", "local.example.": "address_blocked", "empty.example": "dns_failed",
	} {
		_, err := client.Do(t.Context(), Request{URL: "https://" + host, Read: true})
		wantFault(t, err, fault.Unavailable, code, fault.SentNo)
	}
}

func TestAllowPrivateAndResolveLiftTheAddressRules(t *testing.T) {
	w := newWorld(t)
	server := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "inside") })
	body, _, err := get(t.Context(), New(w.settings), Request{URL: site}) // by the override
	must(t, err)
	if body != "inside" {
		t.Errorf("body %q", body)
	}

	port := server.Listener.Addr().(*net.TCPAddr).Port
	address := fmt.Sprintf("https://shop.example:%d", port)
	client := New(w.settings) // the override is for port 443 only
	client.dialer.lookup = lookupTable(map[string][]string{"shop.example": {"127.0.0.1"}})
	_, _, err = get(t.Context(), client, Request{URL: address})
	wantFault(t, err, fault.Unavailable, "address_blocked", fault.SentNo)

	w.settings.AllowPrivate = true
	client = New(w.settings)
	client.dialer.lookup = lookupTable(map[string][]string{"shop.example": {"127.0.0.1"}})
	_, _, err = get(t.Context(), client, Request{URL: address})
	must(t, err)
}

// The name resolves well at first and to loopback later: a new connection is checked again.
func TestEveryConnectionIsChecked(t *testing.T) {
	d := newDialer(nil, false)
	answers := []string{"93.184.216.34", "127.0.0.1"}
	d.lookup = func(context.Context, string) ([]netip.Addr, error) {
		next := netip.MustParseAddr(answers[0])
		answers = answers[1:]
		return []netip.Addr{next}, nil
	}
	if _, err := d.addresses(t.Context(), "shop.example:443"); err != nil {
		t.Fatal(err)
	}
	_, err := d.addresses(t.Context(), "shop.example:443")
	wantFault(t, err, fault.Unavailable, "address_blocked", fault.SentNo)
}

func TestTheFirstAddressThatAnswersWins(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	closed.Close()
	good := listener.Addr().(*net.TCPAddr).AddrPort()
	bad := closed.Addr().(*net.TCPAddr).AddrPort()

	d := newDialer(nil, true)
	conn, err := d.race(t.Context(), "tcp", []netip.AddrPort{bad, bad, good})
	must(t, err)
	if conn.RemoteAddr().String() != good.String() {
		t.Errorf("connected to %s", conn.RemoteAddr())
	}
	conn.Close()

	if _, err := d.race(t.Context(), "tcp", []netip.AddrPort{bad, bad}); err == nil {
		t.Error("connected to nothing")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	silent := netip.MustParseAddrPort("192.0.2.1:9") // documentation: nobody answers, or the network is unreachable
	if _, err := d.race(ctx, "tcp", []netip.AddrPort{silent, silent}); err == nil {
		t.Error("connected to nothing")
	}
}

func TestAddressFamiliesTakeTurns(t *testing.T) {
	var ips []netip.Addr
	for _, text := range []string{"2a00::1", "2a00::2", "2a00::3", "1.1.1.1", "1.1.1.2"} {
		ips = append(ips, netip.MustParseAddr(text))
	}
	if got := fmt.Sprint(interleave(ips)); got != "[2a00::1 1.1.1.1 2a00::2 1.1.1.2 2a00::3]" {
		t.Errorf("order %s", got)
	}
}

func TestParseOverride(t *testing.T) {
	for text, want := range map[string]string{
		"popcorn.club:443:127.0.0.1":        "popcorn.club:443:127.0.0.1:443",
		"Popcorn.Club:443:127.0.0.1:8443":   "popcorn.club:443:127.0.0.1:8443",
		"popcorn.club:443:[::1]":            "popcorn.club:443:[::1]:443",
		"popcorn.club:443:[::1]:8443":       "popcorn.club:443:[::1]:8443",
		"[2a00::1]:443:[::1]:8443":          "[2a00::1]:443:[::1]:8443",
		"10.0.0.1:80:127.0.0.1":             "10.0.0.1:80:127.0.0.1:80",
		"localhost:65535:127.0.0.1:1":       "localhost:65535:127.0.0.1:1",
		"":                                  "",
		"popcorn.club":                      "",
		"popcorn.club:443":                  "",
		"popcorn.club:443:":                 "",
		":443:127.0.0.1":                    "",
		"popcorn.club::127.0.0.1":           "",
		"popcorn.club:0:127.0.0.1":          "",
		"popcorn.club:+1:127.0.0.1":         "",
		"popcorn.club:65536:127.0.0.1":      "",
		"popcorn.club:443:example.com":      "",
		"popcorn.club:443:127.1":            "",
		"popcorn.club:443:127.0.0.1:":       "",
		"popcorn.club:443:127.0.0.1:0":      "",
		"popcorn.club:443:127.0.0.1:80:80":  "",
		"popcorn.club:443:::1":              "",
		"popcorn.club:443:[::1":             "",
		"popcorn.club:443:::1]":             "",
		"popcorn.club:443:[127.0.0.1]":      "",
		"popcorn.club:443:[::1]8443":        "",
		"pop corn:443:127.0.0.1":            "",
		"*:443:127.0.0.1":                   "",
		"a.example:443:127.0.0.1,127.0.0.2": "",
	} {
		o, err := ParseOverride(text)
		switch {
		case want == "" && err == nil:
			t.Errorf("%q was read as %s", text, o)
		case want == "":
			wantFault(t, err, fault.Usage, "invalid_resolve", fault.SentNo)
		case err != nil:
			t.Errorf("%q: %v", text, err)
		case o.String() != want:
			t.Errorf("%q was read as %s, want %s", text, o, want)
		}
	}
}

func FuzzParseOverride(f *testing.F) {
	for _, seed := range []string{"popcorn.club:443:127.0.0.1:8443", "[::1]:1:[::1%eth0]:2", "a:1:[::ffff:1.2.3.4]", "::::", "[]:1:[]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseOverride(text)
		if err != nil {
			wantFault(t, err, fault.Usage, "invalid_resolve", fault.SentNo)
			return
		}
		again, err := ParseOverride(o.String())
		if err != nil || again != o {
			t.Errorf("%q is %+v, but %q is %+v (%v)", text, o, o.String(), again, err)
		}
	})
}

// What is accepted as a URL is stable under its own output, and a host that is a number is an address in its one spelling.
func FuzzParseTarget(f *testing.F) {
	for _, seed := range []string{
		site, "http://[::1]:80/a?b#c", "https://0x7f.1", "https://１２７.1", "https://xn--bcher-kva.example./", "https://BÜCHER.example",
		"https://a%2eb/", "https://[fe80::1%25eth0]:1/", "https:///x", "https://a:b@c", "https://[::%25\xcb]", "https://a/ b/../c;d",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := parseTarget(text)
		if err != nil {
			wantFault(t, err, fault.Usage, fault.From(err).Code, fault.SentNo)
			return
		}
		second, err := parseTarget(first.String())
		if err != nil || second.String() != first.String() || second.origin() != first.origin() || second.host != first.host {
			t.Fatalf("%q is %q, which is %q (%v)", text, first, second, err)
		}
		if first.url.Scheme == "http" && !loopbackName(first.host) {
			t.Errorf("%q is plain http", text)
		}
	})
}

// startProxy runs a proxy that answers CONNECT with status and, for 200, connects to where the test says.
func startProxy(t *testing.T, status int, to string) (address string, asked chan string) {
	t.Helper()
	asked = make(chan string, 10)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				asked <- readRequest(conn)
				fmt.Fprintf(conn, "HTTP/1.1 %d \x1bevil\r\n\r\n", status)
				if status != http.StatusOK {
					return
				}
				site, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer site.Close()
				go func() { _, _ = io.Copy(site, conn) }()
				_, _ = io.Copy(conn, site)
			}()
		}
	}()
	return "http://user:pr0xy-p4ss@" + listener.Addr().String(), asked
}
