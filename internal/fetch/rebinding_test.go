package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

// evilResolver answers each question for a name with the next of its answers, and the last one for ever. Addresses of the
// public internet lead nowhere: the table is about which ones are dialled at all.
type evilResolver struct {
	mu      sync.Mutex
	answers [][]string
	asked   int
}

func (r *evilResolver) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answer := r.answers[min(r.asked, len(r.answers)-1)]
	r.asked++
	if len(answer) == 0 {
		return nil, &net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true}
	}
	addresses := make([]netip.Addr, 0, len(answer))
	for _, text := range answer {
		addresses = append(addresses, netip.MustParseAddr(text))
	}
	return addresses, nil
}

// dialled is a network without connections: it notes the addresses that somebody tries to reach.
type dialled struct {
	mu        sync.Mutex
	addresses []string
}

// on makes the client's connections fail in this network.
func (d *dialled) on(c *Client) {
	c.dialer.connect.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.addresses = append(d.addresses, address)
		return syscall.ENETUNREACH
	}
}

// TestRebinding lets a name server at the client: names that lead inside at once, later, among good addresses, or under
// another spelling (ODP-129 to ODP-131). No address but public ones is ever dialled.
func TestRebinding(t *testing.T) {
	const public, public6 = "93.184.216.34", "2606:4700::1111"
	for _, attack := range []struct {
		name    string
		answers [][]string
		code    string // of the last failure
	}{
		{"leads to loopback", [][]string{{"127.0.0.1"}}, codeBlocked},
		{"leads to loopback in IPv6", [][]string{{"::1"}}, codeBlocked},
		{"leads to a private network", [][]string{{"10.1.2.3"}}, codeBlocked},
		{"leads to the metadata service of a cloud", [][]string{{"169.254.169.254"}}, codeBlocked},
		{"leads to the network of a carrier", [][]string{{"100.64.0.1"}}, codeBlocked},
		{"leads to no address at all", [][]string{{"0.0.0.0"}}, codeBlocked},
		{"leads to no address at all in IPv6", [][]string{{"::"}}, codeBlocked},
		{"leads to everybody", [][]string{{"255.255.255.255"}}, codeBlocked},
		{"leads to a multicast group", [][]string{{"ff02::1"}}, codeBlocked},
		{"leads to a unique local address", [][]string{{"fd00:ec2::254"}}, codeBlocked},
		{"leads to a link-local address with a zone", [][]string{{"fe80::1%lo"}}, codeBlocked},
		{"wraps loopback in IPv6 (mapped)", [][]string{{"::ffff:127.0.0.1"}}, codeBlocked},
		{"wraps loopback in IPv6 (compatible)", [][]string{{"::7f00:1"}}, codeBlocked},
		{"wraps the metadata service in NAT64", [][]string{{"64:ff9b::a9fe:a9fe"}}, codeBlocked},
		{"wraps a private address in the local NAT64 prefix", [][]string{{"64:ff9b:1::a00:1"}}, codeBlocked},
		{"wraps a private address in 6to4", [][]string{{"2002:a00:1::"}}, codeBlocked},
		{"wraps a private address in Teredo", [][]string{{"2001::f5ff:fffe"}}, codeBlocked},
		{"puts a private address behind a public one", [][]string{{public, "10.0.0.1"}}, codeBlocked},
		{"puts a private address before a public one", [][]string{{"10.0.0.1", public}}, codeBlocked},
		{"puts a private IPv6 address behind public ones", [][]string{{public, public6, "fd00::1"}}, codeBlocked},
		{"puts a private address behind more than are tried", [][]string{{public, public, public, public, public, public, public, public, public, "127.0.0.1"}}, codeBlocked},
		{"leads inside at the second try", [][]string{{public}, {"127.0.0.1"}}, codeBlocked},
		{"leads inside at the third try", [][]string{{public}, {public6}, {"169.254.169.254"}}, codeBlocked},
		{"leads inside after a failure of the name server", [][]string{{}, {"127.0.0.1"}}, codeBlocked},
		{"stays outside", [][]string{{public}}, codeConnect},
	} {
		t.Run(attack.name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.Retries = 3
			client := New(w.settings)
			resolver, network := &evilResolver{answers: attack.answers}, &dialled{}
			client.dialer.lookup = resolver.lookup
			network.on(client)
			_, err := client.Do(t.Context(), Request{URL: "https://rebind.example/", Read: true, Credential: "Bearer canary"})
			wantFault(t, err, fault.Unavailable, attack.code, fault.SentNo)
			network.wentTo(t, public, public6)
		})
	}
}

// wentTo wants that nothing but some addresses was dialled.
func (d *dialled) wentTo(t *testing.T, allowed ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, address := range d.addresses {
		host, _, err := net.SplitHostPort(address)
		must(t, err)
		if !slices.Contains(allowed, host) {
			t.Errorf("it dialled %s", address)
		}
	}
}

// A connection that stays open is used again without asking the name server; one that is closed is not.
func TestRebindingBetweenRequests(t *testing.T) {
	w := newWorld(t)
	server := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "inside") })
	port := server.Listener.Addr().(*net.TCPAddr).Port
	w.settings.Resolve = nil
	client := New(w.settings)
	resolver, network := &evilResolver{answers: [][]string{{"93.184.216.34"}, {"127.0.0.1"}}}, &dialled{}
	client.dialer.lookup = resolver.lookup
	network.on(client)
	address := fmt.Sprintf("https://shop.example:%d/", port)
	_, err := client.Do(t.Context(), Request{URL: address})
	wantFault(t, err, fault.Unavailable, codeConnect, fault.SentNo)
	for range 3 { // the site listens on loopback, and its certificate is good: only the address rule is in the way
		_, err = client.Do(t.Context(), Request{URL: address, Method: http.MethodPost, Body: []byte("x")})
		wantFault(t, err, fault.Unavailable, codeBlocked, fault.SentNo)
	}
	network.wentTo(t, "93.184.216.34")
}

// A redirect within an origin that asks for another connection is resolved, and checked, again.
func TestRebindingByARedirect(t *testing.T) {
	w := newWorld(t)
	server := w.serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", "/next")
		rw.Header().Set("Connection", "close")
		rw.WriteHeader(http.StatusFound)
	})
	port := server.Listener.Addr().(*net.TCPAddr).Port
	w.settings.Resolve = nil
	client, name := New(w.settings), net.JoinHostPort("shop.example", strconv.Itoa(port))
	client.dialer.overrides[name] = netip.MustParseAddrPort(server.Listener.Addr().String())
	resolver := &evilResolver{answers: [][]string{{"127.0.0.1"}}}
	client.dialer.lookup = resolver.lookup
	client.settings.Trace = func(e Event) {
		if e.Kind == EventRedirect {
			delete(client.dialer.overrides, name) // from here on the name server answers
		}
	}
	_, err := client.Do(t.Context(), Request{URL: "https://" + name + "/", Read: true})
	wantFault(t, err, fault.Unavailable, codeBlocked, fault.SentNo)
	if resolver.asked != 1 {
		t.Errorf("the name server was asked %d times", resolver.asked)
	}
}
