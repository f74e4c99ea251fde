package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/fault"
)

func TestARequestArrivesAsGiven(t *testing.T) {
	for _, http2 := range []bool{true, false} {
		t.Run(fmt.Sprintf("http2=%t", http2), func(t *testing.T) {
			w := newWorld(t)
			var seen *http.Request
			var content []byte
			w.serveAs(t, func(rw http.ResponseWriter, r *http.Request) {
				seen = r
				content, _ = io.ReadAll(r.Body)
				rw.WriteHeader(http.StatusCreated)
				fmt.Fprint(rw, "done")
			}, http2)
			response, err := New(w.settings).Do(t.Context(), Request{
				Method: "POST", URL: site + "/a%2Fb?q=1&q=2#frag", Body: []byte(`{"qty":2}`), Credential: "Bearer s3cret",
				Header: http.Header{"Content-Type": {"application/json"}, "x-many": {"1", "2"}},
			})
			must(t, err)
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			must(t, err)
			if response.Status != 201 || string(body) != "done" || response.URL != site+"/a%2Fb?q=1&q=2" {
				t.Errorf("answer: %d %q %s", response.Status, body, response.URL)
			}
			if seen.Method != "POST" || seen.RequestURI != "/a%2Fb?q=1&q=2" || seen.Host != "shop.example" || string(content) != `{"qty":2}` {
				t.Errorf("request: %s %s %s %q", seen.Method, seen.RequestURI, seen.Host, content)
			}
			if want := map[bool]string{true: "HTTP/2.0", false: "HTTP/1.1"}[http2]; seen.Proto != want || response.Proto != want {
				t.Errorf("protocol %s, want %s", seen.Proto, want)
			}
			for name, want := range map[string]string{
				"Authorization": "Bearer s3cret", "User-Agent": "agentctl/test", "Content-Type": "application/json", "X-Many": "1 2",
				"Content-Length": "9", "Cookie": "", "Referer": "",
			} {
				if got := strings.Join(seen.Header[name], " "); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestARequestIsRefusedBeforeItIsSent(t *testing.T) {
	for name, test := range map[string]struct {
		request Request
		kind    fault.Kind
		code    string
	}{
		"plain http":                     {Request{URL: "http://shop.example/"}, fault.Usage, "insecure_url"},
		"plain http to other loopback":   {Request{URL: "http://127.0.0.2/"}, fault.Usage, "insecure_url"},
		"another scheme":                 {Request{URL: "file:///etc/passwd"}, fault.Usage, "invalid_url"},
		"a relative URL":                 {Request{URL: "/x"}, fault.Usage, "invalid_url"},
		"user information":               {Request{URL: "https://u:p4ss@shop.example/"}, fault.Usage, "invalid_url"},
		"a decimal address":              {Request{URL: "https://2130706433/"}, fault.Usage, "invalid_url"},
		"an octal address":               {Request{URL: "https://0177.0.0.1/"}, fault.Usage, "invalid_url"},
		"a hexadecimal address":          {Request{URL: "https://0x7f.1/"}, fault.Usage, "invalid_url"},
		"a short address":                {Request{URL: "https://127.1/"}, fault.Usage, "invalid_url"},
		"a dotted address with a dot":    {Request{URL: "https://127.0.0.1./"}, fault.Usage, "invalid_url"},
		"a full-width private address":   {Request{URL: "https://１０.0.0.1/"}, fault.Unavailable, "address_blocked"},
		"a private address":              {Request{URL: "https://10.0.0.1/"}, fault.Unavailable, "address_blocked"},
		"loopback spelled otherwise":     {Request{URL: "https://[0:0:0:0:0:0:0:1]/"}, fault.Unavailable, "address_blocked"},
		"IPv4-mapped loopback":           {Request{URL: "https://[::ffff:127.0.0.1]/"}, fault.Unavailable, "address_blocked"},
		"link-local with a zone":         {Request{URL: "https://[fe80::1%25eth0]/"}, fault.Unavailable, "address_blocked"},
		"a port that is none":            {Request{URL: "https://shop.example:0/"}, fault.Usage, "invalid_url"},
		"a port too large":               {Request{URL: "https://shop.example:65536/"}, fault.Usage, "invalid_url"},
		"a space in the query":           {Request{URL: "https://shop.example/?a b"}, fault.Usage, "invalid_url"},
		"a line break in the URL":        {Request{URL: "https://shop.example/\r\nX: y"}, fault.Usage, "invalid_url"},
		"a host with an escape":          {Request{URL: "https://shop\x1b[0m.example/"}, fault.Usage, "invalid_url"},
		"an empty label":                 {Request{URL: "https://shop..example/"}, fault.Usage, "invalid_url"},
		"a method with a space":          {Request{URL: site, Method: "GET /x"}, fault.Usage, "invalid_request"},
		"CONNECT":                        {Request{URL: site, Method: "CONNECT"}, fault.Usage, "invalid_request"},
		"a header value with CR LF":      {Request{URL: site, Header: http.Header{"A": {"secret\r\nB: c"}}}, fault.Usage, "invalid_request"},
		"a header name with a space":     {Request{URL: site, Header: http.Header{"A b": {"c"}}}, fault.Usage, "invalid_request"},
		"a credential with a line break": {Request{URL: site, Credential: "Bearer secret\n"}, fault.Usage, "invalid_request"},
		"Authorization as a header":      {Request{URL: site, Header: http.Header{"authorization": {"secret"}}}, fault.Internal, "reserved_header"},
		"Host as a header":               {Request{URL: site, Header: http.Header{"Host": {"x"}}}, fault.Internal, "reserved_header"},
		"a proxy header":                 {Request{URL: site, Header: http.Header{"Proxy-Authorization": {"secret"}}}, fault.Internal, "reserved_header"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(newWorld(t).settings).Do(t.Context(), test.request)
			e := wantFault(t, err, test.kind, test.code, fault.SentNo)
			for _, forbidden := range []string{"secret", "p4ss", "\x1b", "\n"} {
				if strings.Contains(e.Message+e.Hint, forbidden) {
					t.Errorf("%q is in the message %q", forbidden, e.Message)
				}
			}
		})
	}
}

func TestLoopbackMayBeAskedOverPlainHTTP(t *testing.T) {
	w := newWorld(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, r.Host) })}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
	w.settings.Proxy = func(*url.URL) (*url.URL, error) { return url.Parse("http://127.0.0.1:1") } // never asked for loopback
	client := New(w.settings)
	client.dialer.lookup = func(context.Context, string) ([]netip.Addr, error) {
		t.Error("localhost was looked up")
		return nil, errors.New("no")
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for _, host := range []string{"localhost", "127.0.0.1", "LOCALHOST"} {
		body, _, err := get(t.Context(), client, Request{URL: "http://" + host + ":" + port})
		must(t, err)
		if want := strings.ToLower(host) + ":" + port; body != want {
			t.Errorf("host %q, want %q", body, want)
		}
	}
}

func TestFailuresOfServers(t *testing.T) {
	answer := func(text string, after func(net.Conn)) func(net.Conn) {
		return func(conn net.Conn) {
			readRequest(conn)
			_, _ = io.WriteString(conn, text)
			after(conn)
		}
	}
	nothing := func(net.Conn) {}
	hang := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	_, _ = packed.Write(make([]byte, 4<<20))
	packed.Close()
	endless := func(conn net.Conn) {
		readRequest(conn)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
		for i := range 1 << 20 {
			if _, err := fmt.Fprintf(conn, "X-%d: %s\r\n", i, strings.Repeat("x", 1000)); err != nil {
				return
			}
		}
	}
	for name, test := range map[string]struct {
		talk   func(net.Conn)
		code   string
		sent   fault.Sent
		status int
	}{
		"closes before an answer":     {answer("", nothing), "connection_reset", fault.SentUnknown, 0},
		"resets before an answer":     {answer("", reset), "connection_reset", fault.SentUnknown, 0},
		"stalls before an answer":     {answer("", hang), "timeout", fault.SentUnknown, 0},
		"stalls in the head":          {answer("HTTP/1.1 200 OK\r\nA: b\r\n", hang), "timeout", fault.SentUnknown, 0},
		"closes in the head":          {answer("HTTP/1.1 200 OK\r\nA: b\r\n", nothing), "connection_reset", fault.SentUnknown, 0},
		"answers junk":                {answer("\x1b]0;evil\x07 junk\r\n\r\n", nothing), "protocol_error", fault.SentUnknown, 0},
		"answers a broken header":     {answer("HTTP/1.1 200 OK\r\n\x1b[31mevil\r\n\r\n", nothing), "protocol_error", fault.SentUnknown, 0},
		"answers endless headers":     {endless, "too_large", fault.SentUnknown, 0},
		"two lengths":                 {answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", nothing), "protocol_error", fault.SentUnknown, 0},
		"sends half a body":           {answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", nothing), "connection_reset", fault.SentYes, 200},
		"resets in the body":          {answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", reset), "connection_reset", fault.SentYes, 200},
		"breaks off a chunk":          {answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", nothing), "connection_reset", fault.SentYes, 200},
		"sends a junk chunk":          {answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab", nothing), "protocol_error", fault.SentYes, 200},
		"stalls in the body":          {answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", hang), "timeout", fault.SentYes, 200},
		"ends without saying so":      {answer("HTTP/1.1 200 OK\r\n\r\nhalf", func(c net.Conn) { reset(c) }), "connection_reset", fault.SentYes, 200},
		"announces too much":          {answer("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nhalf", nothing), "too_large", fault.SentYes, 200},
		"sends too much":              {answer("HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("x", 2<<20), nothing), "too_large", fault.SentYes, 200},
		"sends a gzip bomb":           {answer(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", bomb.Len(), bomb.String()), nothing), "too_large", fault.SentYes, 200},
		"sends half a gzip":           {answer("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+bomb.String()[:100], func(c net.Conn) { c.Close() }), "connection_reset", fault.SentYes, 200},
		"lies about gzip":             {answer("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\nthis is no gzip data", nothing), "protocol_error", fault.SentYes, 200},
		"uses an encoding unasked":    {answer("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\r\nhalf", nothing), "protocol_error", fault.SentYes, 200},
		"changes the protocol":        {answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n{}", nothing), "protocol_error", fault.SentUnknown, 101},
		"answers with no status":      {answer("HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\n{}", nothing), "protocol_error", fault.SentUnknown, 0},
		"closes before the handshake": {nil, "connection_reset", fault.SentNo, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if test.talk == nil {
				w.rawTCP(t, nothing)
			} else {
				w.raw(t, test.talk)
			}
			timeout := 5 * time.Second
			if test.code == "timeout" {
				timeout = 200 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			response, err := New(w.settings).Do(ctx, Request{URL: site, Method: "POST", Body: []byte("x"), MaxBytes: 1 << 20})
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			e := wantFault(t, err, fault.Unavailable, test.code, test.sent)
			if e.Status != test.status {
				t.Errorf("status %d, want %d", e.Status, test.status)
			}
			if strings.Contains(e.Error()+e.Hint, "evil") || strings.Contains(e.Error(), "\x1b") {
				t.Errorf("the site's own bytes are in %q", e.Error())
			}
			if again := len(w.kinds(EventRequest)); again != 1 {
				t.Errorf("%d requests for an effect", again)
			}
		})
	}
}

func TestFailuresOfConnections(t *testing.T) {
	w := newWorld(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	closed.Close()
	w.resolve("refused.example", 443, closed.Addr())
	client := New(w.settings)
	client.dialer.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
		switch host {
		case "slow.example":
			<-ctx.Done()
			return nil, ctx.Err()
		case "broken.example":
			return nil, &net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true}
		}
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	for host, code := range map[string]string{
		"refused.example": "connect_failed", "unknown.example": "dns_failed", "broken.example": "dns_failed", "slow.example": "timeout",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := client.Do(ctx, Request{URL: "https://" + host})
		wantFault(t, err, fault.Unavailable, code, fault.SentNo)
		cancel()
	}
}

func TestCancellingIsAnInterruption(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.raw(t, func(conn net.Conn) {
		readRequest(conn)
		cancel()
		_, _ = io.Copy(io.Discard, conn)
	})
	_, err := New(w.settings).Do(ctx, Request{URL: site, Read: true})
	wantFault(t, err, fault.Interrupted, "interrupted", fault.SentUnknown)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap context.Canceled", err)
	}
}

func TestTLSFailuresSayWhatIsWrong(t *testing.T) {
	hour := time.Now().Add(time.Hour)
	other := newAuthority(t)
	for name, test := range map[string]struct {
		issue   func(w *world) tls.Certificate
		change  func(*tls.Config)
		message string
	}{
		"another name":      {func(w *world) tls.Certificate { return w.ca.issue(t, hour, "evil\u202e.example", "b.example") }, nil, `is for another name: "b.example"`},
		"expired":           {func(w *world) tls.Certificate { return w.ca.issue(t, time.Now().Add(-time.Hour), "shop.example") }, nil, "has expired"},
		"unknown authority": {func(*world) tls.Certificate { return other.issue(t, hour, "shop.example") }, nil, "unknown authority"},
		"old TLS": {
			func(w *world) tls.Certificate { return w.ca.issue(t, hour, "shop.example") },
			func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }, `"shop.example"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "another name" {
				test.issue = func(w *world) tls.Certificate { return w.ca.issue(t, hour, "b.example") }
			}
			w := newWorld(t)
			config := &tls.Config{Certificates: []tls.Certificate{test.issue(w)}}
			if test.change != nil {
				test.change(config)
			}
			w.rawTCP(t, func(conn net.Conn) { _ = tls.Server(conn, config).Handshake() })
			_, err := New(w.settings).Do(t.Context(), Request{URL: site})
			e := wantFault(t, err, fault.Unavailable, "tls_failed", fault.SentNo)
			if !strings.Contains(e.Message, test.message) {
				t.Errorf("message %q, want %q in it", e.Message, test.message)
			}
			if test.message == "unknown authority" && !strings.Contains(e.Hint, "--cacert") {
				t.Errorf("hint %q", e.Hint)
			}
		})
	}
	t.Run("no TLS at all", func(t *testing.T) {
		w := newWorld(t)
		w.rawTCP(t, func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			readRequest(conn)
		})
		_, err := New(w.settings).Do(t.Context(), Request{URL: site})
		if e := wantFault(t, err, fault.Unavailable, "tls_failed", fault.SentNo); !strings.Contains(e.Message, "does not speak TLS") {
			t.Errorf("message %q", e.Message)
		}
	})
}

func TestBodiesAreDecodedAndLimited(t *testing.T) {
	w := newWorld(t)
	w.serve(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("Accept-Encoding %q", r.Header.Get("Accept-Encoding"))
		}
		rw.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(rw)
		_, _ = packed.Write(bytes.Repeat([]byte("abcd"), 256))
		packed.Close()
	})
	client := New(w.settings)
	for limit, code := range map[int64]string{1024: "", 0: "", Unlimited: "", 1023: "too_large", 1: "too_large"} {
		body, _, err := get(t.Context(), client, Request{URL: site, MaxBytes: limit})
		if code == "" {
			must(t, err)
			if len(body) != 1024 {
				t.Errorf("limit %d: %d bytes", limit, len(body))
			}
			continue
		}
		wantFault(t, err, fault.Unavailable, code, fault.SentYes)
		if int64(len(body)) > limit {
			t.Errorf("limit %d: %d bytes were handed out", limit, len(body))
		}
	}
}

// A canary credential must never show anywhere but in its own header at its own origin.
func TestACredentialStaysAtItsOrigin(t *testing.T) {
	w := newWorld(t)
	const canary = "Bearer canary-3141592653"
	var strayed atomic.Int32
	w.serve(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(rw, r, "https://other.example/", http.StatusFound)
		case "/port":
			http.Redirect(rw, r, "https://shop.example:8443/", http.StatusTemporaryRedirect)
		case "/plain":
			http.Redirect(rw, r, "http://shop.example/", http.StatusMovedPermanently)
		case "/same":
			http.Redirect(rw, r, "/end", http.StatusFound)
		default:
			fmt.Fprint(rw, r.Header.Get("Authorization"))
		}
	})
	w.raw(t, func(conn net.Conn) { strayed.Add(1) })
	stray := w.settings.Resolve[1].Addr
	w.settings.Resolve = append(w.settings.Resolve[:1], Override{"other.example", 443, stray}, Override{"shop.example", 8443, stray}, Override{"shop.example", 80, stray})
	client := New(w.settings)
	for path, origin := range map[string]string{"/away": "https://other.example", "/port": "https://shop.example:8443", "/plain": "http://shop.example"} {
		for _, read := range []bool{true, false} {
			_, err := client.Do(t.Context(), Request{URL: site + path, Credential: canary, Read: read})
			e := wantFault(t, err, fault.Unavailable, "redirect_refused", fault.SentYes)
			if read && !strings.Contains(e.Message, origin) {
				t.Errorf("message %q does not name %s", e.Message, origin)
			}
		}
	}
	body, response, err := get(t.Context(), client, Request{URL: site + "/same", Credential: canary})
	must(t, err)
	if body != canary || response.URL != site+"/end" {
		t.Errorf("a redirect within the origin arrived as %q at %s", body, response.URL)
	}
	if strayed.Load() > 0 {
		t.Error("another origin was connected to")
	}
	for _, e := range w.events {
		if text := fmt.Sprintf("%+v", e); strings.Contains(text, "canary") {
			t.Errorf("event %s", text)
		}
	}
}

func TestFailuresOverHTTP2(t *testing.T) {
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		code    string
		sent    fault.Sent
	}{
		"breaks off before an answer": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "connection_reset", fault.SentUnknown},
		"breaks off in the body": {func(rw http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(rw, "half")
			_ = http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		}, "connection_reset", fault.SentYes},
		"stalls in the body": {func(rw http.ResponseWriter, r *http.Request) {
			fmt.Fprint(rw, "half")
			_ = http.NewResponseController(rw).Flush()
			<-r.Context().Done()
		}, "timeout", fault.SentYes},
		"answers with too large a header": {func(rw http.ResponseWriter, _ *http.Request) {
			for i := range 300 {
				rw.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
			}
		}, "protocol_error", fault.SentUnknown}, // net/http drops the connection and does not say why
		"answers with a packed header that is too large": {func(rw http.ResponseWriter, _ *http.Request) {
			for range 300 {
				rw.Header().Add("X", strings.Repeat("x", 1000))
			}
		}, "too_large", fault.SentUnknown},
		"sends too much": {func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write(make([]byte, 2<<20)) }, "too_large", fault.SentYes},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.serve(t, test.handler)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			if test.code == "timeout" {
				ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
				defer cancel()
			}
			response, err := New(w.settings).Do(ctx, Request{URL: site, Method: "POST", Body: []byte("x"), MaxBytes: 1 << 20})
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			wantFault(t, err, fault.Unavailable, test.code, test.sent)
		})
	}
}

func TestEventsTellWhatHappened(t *testing.T) {
	w := newWorld(t)
	w.serve(t, func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "four") })
	client := New(w.settings)
	for range 2 {
		_, _, err := get(t.Context(), client, Request{URL: site + "/x?y=1"})
		must(t, err)
	}
	var kinds []string
	for _, e := range w.events {
		kinds = append(kinds, fmt.Sprintf("%s %s %s %d %d %t", e.Kind, e.Method, e.URL, e.Status, e.Bytes, e.Reused))
	}
	want := []string{
		"request GET https://shop.example/x?y=1 0 0 false",
		"response GET https://shop.example/x?y=1 200 0 false",
		"body GET https://shop.example/x?y=1 200 4 false",
		"request GET https://shop.example/x?y=1 0 0 false",
		"response GET https://shop.example/x?y=1 200 0 true",
		"body GET https://shop.example/x?y=1 200 4 true",
	}
	if strings.Join(kinds, "\n") != strings.Join(want, "\n") {
		t.Errorf("events:\n%s", strings.Join(kinds, "\n"))
	}
}
