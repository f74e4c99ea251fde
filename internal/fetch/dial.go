package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"
)

const (
	maxAddresses  = 8                      // of one name that are tried
	fallbackDelay = 250 * time.Millisecond // before the next address is tried beside the last one (RFC 8305)
)

// dialer makes every connection. It resolves names itself and connects to the addresses that it checked, on each
// connection anew, so a name that changes its address between check and use gains nothing (DNS rebinding).
type dialer struct {
	lookup       func(ctx context.Context, host string) ([]netip.Addr, error)
	connect      net.Dialer
	overrides    map[string]netip.AddrPort // by "host:port"
	allowPrivate bool
}

func newDialer(overrides []Override, allowPrivate bool) *dialer {
	d := &dialer{allowPrivate: allowPrivate, overrides: make(map[string]netip.AddrPort, len(overrides))}
	for _, o := range overrides {
		d.overrides[o.key()] = o.Addr
	}
	d.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
		return new(net.Resolver).LookupNetIP(ctx, "ip", host)
	}
	return d
}

// dial connects to address, which is the site's "host:port", or the proxy's when the context says so: a proxy is the
// user's choice and may well be at a private address.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if proxyOf(ctx) != nil {
		return d.connect.DialContext(ctx, network, address)
	}
	addresses, err := d.addresses(ctx, address)
	if err != nil {
		return nil, err
	}
	conn, err := d.race(ctx, network, addresses)
	if err != nil {
		return nil, err
	}
	if err := confirmPeer(conn, address, addresses); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// confirmPeer looks at a connection's other end itself: whatever stands between asking for an address and being connected,
// it must not change where a request goes (ODP-131).
func confirmPeer(conn net.Conn, host string, asked []netip.AddrPort) error {
	peer, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return nil // of tests: no network, no addresses
	}
	checked := make([]netip.Addr, len(asked))
	for i, each := range asked {
		checked[i] = each.Addr().WithZone("")
	}
	return checkPeer(host, peer.AddrPort().Addr().WithZone(""), checked)
}

// addresses returns where "host:port" may be reached. Its own errors are [*fault.Error] values.
func (d *dialer) addresses(ctx context.Context, hostPort string) ([]netip.AddrPort, error) {
	if addr, ok := d.overrides[hostPort]; ok {
		return []netip.AddrPort{addr}, nil
	}
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	number, ok := parsePort(port)
	if !ok {
		return nil, &net.AddrError{Err: "invalid port", Addr: hostPort}
	}
	ips, err := d.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	ips = interleave(ips)
	addresses := make([]netip.AddrPort, 0, maxAddresses)
	for _, ip := range ips[:min(len(ips), maxAddresses)] {
		addresses = append(addresses, netip.AddrPortFrom(ip, number))
	}
	return addresses, nil
}

func (d *dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if host == "localhost" { // never a question for DNS (RFC 6761 section 6.3)
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, d.checkLiteral(host)
	}
	ips, err := d.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	if err := checkAddresses(host, ips); err != nil && (len(ips) == 0 || !d.allowPrivate) {
		return nil, err
	}
	return ips, nil
}

func (d *dialer) checkLiteral(host string) error {
	if d.allowPrivate {
		return nil
	}
	return checkLiteral(host)
}

// interleave puts the address families in turn, the first one's first (RFC 8305 section 4).
func interleave(ips []netip.Addr) []netip.Addr {
	var first, second, mixed []netip.Addr
	for _, ip := range ips {
		if ip.Unmap().Is4() == ips[0].Unmap().Is4() {
			first = append(first, ip)
		} else {
			second = append(second, ip)
		}
	}
	for i := range max(len(first), len(second)) {
		if i < len(first) {
			mixed = append(mixed, first[i])
		}
		if i < len(second) {
			mixed = append(mixed, second[i])
		}
	}
	return mixed
}

type dialed struct {
	conn net.Conn
	err  error
}

// race connects to the first address that answers. The next one is tried when the one before failed, or beside it when
// that takes long. When all fail, the first failure is returned.
func (d *dialer) race(ctx context.Context, network string, addresses []netip.AddrPort) (net.Conn, error) {
	if len(addresses) == 1 {
		return d.connect.DialContext(ctx, network, addresses[0].String())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan dialed, len(addresses))
	timer := time.NewTimer(fallbackDelay)
	defer timer.Stop()

	var failures []error
	started := 0
	start := func() {
		if started == len(addresses) {
			return
		}
		address := addresses[started].String()
		started++
		timer.Reset(fallbackDelay)
		go func() {
			conn, err := d.connect.DialContext(ctx, network, address)
			results <- dialed{conn, err}
		}()
	}
	start()
	for {
		select {
		case <-timer.C:
			start()
		case result := <-results:
			if result.err == nil {
				go closeLate(results, started-len(failures)-1)
				return result.conn, nil
			}
			if failures = append(failures, result.err); len(failures) == len(addresses) {
				return nil, errors.Join(failures...)
			}
			start()
		}
	}
}

// closeLate closes what was connected beside the winner of a race.
func closeLate(results <-chan dialed, pending int) {
	for range pending {
		if late := <-results; late.conn != nil {
			_ = late.conn.Close()
		}
	}
}
