package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/fault"
)

func (w *world) through(t *testing.T, proxy string) *Client {
	t.Helper()
	u, err := url.Parse(proxy)
	must(t, err)
	w.settings.Resolve = nil
	w.settings.Proxy = func(*url.URL) (*url.URL, error) { return u, nil }
	client := New(w.settings)
	client.dialer.lookup = func(context.Context, string) ([]netip.Addr, error) {
		t.Error("a name was looked up although a proxy does that")
		return nil, &net.DNSError{}
	}
	return client
}

func TestAProxyResolvesNames(t *testing.T) {
	w := newWorld(t)
	server := w.serve(t, func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprint(rw, r.Header.Get("Proxy-Authorization"), r.Header.Get("Authorization"))
	})
	proxy, asked := startProxy(t, 200, server.Listener.Addr().String())
	client := w.through(t, proxy)
	body, _, err := get(t.Context(), client, Request{URL: site, Credential: "Bearer canary"})
	must(t, err)
	defer client.closeIdle()
	if body != "Bearer canary" {
		t.Errorf("the site saw %q", body)
	}
	head := <-asked
	if !strings.HasPrefix(head, "CONNECT shop.example:443 ") || !strings.Contains(head, "Proxy-Authorization: Basic") || strings.Contains(head, "canary") {
		t.Errorf("the proxy was asked %q", head)
	}
}

func TestFailuresOfProxies(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	closed.Close()
	for name, proxy := range map[string]string{
		"refuses":         func() string { p, _ := startProxy(t, 403, ""); return p }(),
		"wants a name":    func() string { p, _ := startProxy(t, 407, ""); return p }(),
		"is absent":       "http://user:pr0xy-p4ss@" + closed.Addr().String(),
		"SOCKS is absent": "socks5://user:pr0xy-p4ss@" + closed.Addr().String(),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newWorld(t).through(t, proxy).Do(t.Context(), Request{URL: site, Method: "POST", Body: []byte("x")})
			e := wantFault(t, err, fault.Unavailable, "proxy_failed", fault.SentNo)
			if strings.Contains(e.Error(), "p4ss") || strings.Contains(e.Error(), "evil") {
				t.Errorf("message %q", e.Error())
			}
		})
	}
}

func TestPrivateLiteralsAreRefusedThroughAProxyToo(t *testing.T) {
	w := newWorld(t)
	proxy, asked := startProxy(t, 200, "127.0.0.1:1")
	_, err := w.through(t, proxy).Do(t.Context(), Request{URL: "https://10.0.0.1/"})
	wantFault(t, err, fault.Unavailable, "address_blocked", fault.SentNo)
	if len(asked) > 0 {
		t.Error("the proxy was asked")
	}
}

func TestOverriddenHostsAreReachedWithoutProxy(t *testing.T) {
	w := newWorld(t)
	w.serve(t, func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "direct") })
	w.settings.Proxy = func(*url.URL) (*url.URL, error) { return url.Parse("http://127.0.0.1:1") }
	body, _, err := get(t.Context(), New(w.settings), Request{URL: site})
	must(t, err)
	if body != "direct" {
		t.Errorf("body %q", body)
	}
}
