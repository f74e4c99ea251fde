package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

func redirectAttacks() []attack {
	// refused lets a read with a credential be redirected.
	refused := func(location string) func(*world) {
		return func(w *world) {
			w.site.on("GET /list", redirect(http.StatusFound, location))
			w.call("list").fails(8, "redirect_refused", "yes").hides("p4ss")
			w.saw(1, "GET /list")
		}
	}
	// effect lets one with an effect be redirected within the origin.
	effect := func(code int) func(*world) {
		return func(w *world) {
			w.site.on("POST /create", redirect(code, "/elsewhere"))
			w.call("create").fails(8, "redirect_refused", "yes")
			w.saw(1, "POST /create")
			w.saw(0, "GET /elsewhere")
			w.saw(0, "POST /elsewhere")
		}
	}
	const stays = "refused; the request stays with its origin, and the credential with it"
	return []attack{
		{"redirects a call to another origin", stays, refused("https://elsewhere.example/list")},
		{"redirects a call to another origin without naming the scheme", stays, refused("//elsewhere.example/list")},
		{"redirects a call to another port of its host", stays, refused("https://shop.example:8443/list")},
		{"redirects a call to plain http", stays, refused("http://shop.example/list")},
		{"redirects a call to its own host with a name and password", "refused; the password is not repeated", refused("https://u:p4ss@shop.example/list")},
		{"redirects a call to another host that looks like user information", stays, refused("https://shop.example@elsewhere.example/list")},
		{"redirects a call to a file of the victim", "refused; no file is read", refused("file:///etc/passwd")},
		{"redirects a call to the metadata service of a cloud", stays, refused("https://169.254.169.254/latest/meta-data/")},
		{"redirects a call to loopback", stays, refused("http://127.0.0.1:22/")},
		{"redirects a call in a circle", "refused where it closes", func(w *world) {
			w.site.on("GET /list", redirect(http.StatusFound, "/list"))
			w.call("list").fails(8, "redirect_refused", "yes")
			w.saw(1, "GET /list")
		}},
		{"redirects a call to an address full of escape sequences", "refused; the message is clean", func(w *world) {
			w.site.on("GET /list", redirect(http.StatusFound, "https://\u202eelsewhere.example/\u009b31m"))
			w.call("list --verbose").fails(8, "redirect_refused", "yes")
		}},
		{"redirects a POST, to be sent again elsewhere (307)", "refused; it was sent once", effect(http.StatusTemporaryRedirect)},
		{"redirects a POST, to become a GET (303)", "refused; it was sent once", effect(http.StatusSeeOther)},
		{"redirects the index to another origin", "refused; nothing of the other origin is believed", func(w *world) {
			w.site.on("GET /index", redirect(http.StatusFound, "https://elsewhere.example"+indexPath+".json"))
			w.call("list").fails(8, "redirect_refused", "no")
			w.nothingSent()
		}},
		{"redirects a description to another origin", "refused; the call is not made", func(w *world) {
			w.site.on("GET "+indexPath+"/create.json", redirect(http.StatusFound, "https://elsewhere.example"+indexPath+"/create.json"))
			w.call("create").fails(8, "redirect_refused", "no")
			w.nothingSent()
		}},
	}
}

// nameAttacks are sites that somebody brings the victim to name.
func nameAttacks() []attack {
	named := func(status int, code string, sites ...string) func(*world) {
		return func(w *world) {
			for _, site := range sites {
				w.run(site, "list", "--json", "--timeout", "5s").fails(status, code, "no")
			}
		}
	}
	return []attack{
		{
			"names loopback in decimal, octal, hexadecimal, or short", "refused: an address has one spelling",
			named(2, "invalid_url", "https://2130706433", "https://0177.0.0.1", "https://0x7f.1", "https://127.1", "https://0x7f000001", "https://0"),
		},
		{"names a private, link-local or reserved IPv4 address", "refused before any connection", named(
			8, "address_blocked", "https://10.0.0.1", "https://169.254.169.254", "https://192.168.1.1", "https://100.64.0.1", "https://0.0.0.0", "https://255.255.255.255",
		)},
		{"wraps a private address in IPv6 (mapped, NAT64, 6to4), or names a local one", "refused before any connection", named(
			8, "address_blocked", "https://[::ffff:127.0.0.1]", "https://[::ffff:10.0.0.1]", "https://[64:ff9b::7f00:1]", "https://[2002:7f00:1::]", "https://[::]", "https://[fd00::1]",
			"https://[fe80::1]",
		)},
		{"names plain http, or loopback otherwise than in the three ways that may do without TLS", "refused before any connection", named(
			2, "invalid_site", "http://shop.example", "http://127.0.0.2", "http://0.0.0.0", "http://[::ffff:127.0.0.1]", "http://localhost.shop.example",
		)},
		{"hides the host behind user information", "refused before any connection", named(2, "invalid_site", "https://shop.example@elsewhere.example", "https://a:b@shop.example")},
		{"brings the victim to make an alias that hides a command of the program", "refused; the command stays", func(w *world) {
			w.run("site", "add", "auth", "https://elsewhere.example", "--json").fails(2, "invalid_alias", "no")
			w.run("auth", "list").succeeds()
		}},
	}
}

func tlsAttacks() []attack {
	// refused lets the site have another certificate, or speak TLS otherwise.
	refused := func(code string, change func(w *world, config *tls.Config)) func(*world) {
		return func(w *world) {
			change(w, w.site.tls)
			w.call("create --retries 0").fails(8, code, "no")
			w.saw(0, "")
		}
	}
	issued := func(change func(says *x509.Certificate)) func(*world) {
		return refused("tls_failed", func(w *world, config *tls.Config) {
			says := certificateFor("shop.example")
			change(says)
			config.Certificates = []tls.Certificate{w.ca.issue(w.T, says)}
		})
	}
	const refusal = "refused; the site sees no request"
	return []attack{
		{"has a certificate for another name", refusal, issued(func(says *x509.Certificate) { says.DNSNames = []string{"elsewhere.example"} })},
		{"has a certificate for a name full of escape sequences", "refused; the message is clean", issued(func(says *x509.Certificate) {
			says.DNSNames = []string{"\x1b]0;owned\x07.example"}
		})},
		{"has a certificate for all hosts below its name only", refusal, issued(func(says *x509.Certificate) { says.DNSNames = []string{"*.shop.example"} })},
		{"has a certificate that expired", refusal, issued(func(says *x509.Certificate) { says.NotAfter = time.Now().Add(-time.Minute) })},
		{"has a certificate that is not valid yet", refusal, issued(func(says *x509.Certificate) { says.NotBefore = time.Now().Add(time.Hour) })},
		{"has a certificate that is for clients", refusal, issued(func(says *x509.Certificate) {
			says.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		})},
		{"has a certificate that it signed itself", refusal, refused("tls_failed", func(w *world, config *tls.Config) {
			config.Certificates = []tls.Certificate{newAuthority(w.T).issue(w.T, certificateFor("shop.example"))}
		})},
		{"shows the certificate without having its key", refusal, refused("tls_failed", func(w *world, config *tls.Config) {
			config.Certificates[0].PrivateKey = w.ca.issue(w.T, certificateFor("shop.example")).PrivateKey
		})},
		{"speaks TLS 1.1 at most", refusal, refused("tls_failed", func(_ *world, config *tls.Config) {
			config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		})},
		{"speaks weak ciphers only", refusal, refused("tls_failed", func(w *world, config *tls.Config) {
			key, err := rsa.GenerateKey(rand.Reader, 2048)
			w.must(err)
			leaf := w.ca.sign(w.T, certificateFor("shop.example"), &key.PublicKey)
			config.Certificates = []tls.Certificate{{Certificate: [][]byte{leaf}, PrivateKey: key}}
			config.MaxVersion, config.CipherSuites = tls.VersionTLS12, []uint16{tls.TLS_RSA_WITH_RC4_128_SHA, tls.TLS_RSA_WITH_3DES_EDE_CBC_SHA}
		})},
		{"answers in plain HTTP on the TLS port", refusal, func(w *world) {
			w.listen("shop.example:443", func(conn net.Conn) { _, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") })
			w.call("create --retries 0").fails(8, "tls_failed", "no")
		}},
		{"is a proxy that reads along, with a certificate of its own", refusal, func(w *world) {
			w.site.tls.Certificates = []tls.Certificate{newAuthority(w.T).issue(w.T, certificateFor("shop.example"))}
			heads := w.proxy()
			w.call("create --retries 0").fails(8, "tls_failed", "no").hides("pr0xy-p4ss")
			w.saw(0, "")
			if head := <-heads; strings.Contains(head, token) {
				w.Errorf("the proxy was told %q", head)
			}
		}},
		{"is a proxy, and the site is a private address", "refused; the proxy is not even asked", func(w *world) {
			heads := w.proxy()
			w.run("https://10.0.0.1", "list", "--json").fails(8, "address_blocked", "no")
			if len(heads) > 0 {
				w.Errorf("the proxy was asked %q", <-heads)
			}
		}},
	}
}

// listen has talk answer each connection to "host:port" in place of what was there.
func (w *world) listen(hostPort string, talk func(net.Conn)) {
	w.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	w.Cleanup(func() { _ = listener.Close() })
	go serve(listener, talk)
	w.env["AGENTCTL_RESOLVE"] += "," + hostPort + ":" + listener.Addr().String()
}

// serve answers each connection, and closes it.
func serve(listener net.Listener, talk func(net.Conn)) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			talk(conn)
		}()
	}
}

// proxy puts a proxy with a password between the victim and the site, and returns what it is asked.
func (w *world) proxy() <-chan string {
	w.Helper()
	heads := make(chan string, 100)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	w.Cleanup(func() { _ = listener.Close() })
	go serve(listener, func(conn net.Conn) {
		head := make([]byte, 4096)
		n, _ := conn.Read(head)
		heads <- string(head[:n])
		site, err := net.Dial("tcp", w.site.addr)
		if err != nil {
			return
		}
		defer site.Close()
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(site, conn) }()
		_, _ = io.Copy(conn, site)
	})
	w.env["AGENTCTL_RESOLVE"] = ""
	w.env["HTTPS_PROXY"] = "http://user:pr0xy-p4ss@" + listener.Addr().String()
	w.secrets = append(w.secrets, "pr0xy-p4ss")
	return heads
}

// bodyAttacks are answers that never end, are too large, or lie about themselves.
func bodyAttacks() []attack {
	// answer lets the site answer a read so.
	answer := func(how http.HandlerFunc, line, code, sent string) func(*world) {
		return func(w *world) {
			w.site.on("GET /list", how)
			w.call(line).fails(8, code, sent)
		}
	}
	index := func(how http.HandlerFunc, line string, status int, code string) func(*world) {
		return func(w *world) {
			w.site.on("GET /index", how)
			w.call(line).fails(status, code, "no")
			w.nothingSent()
		}
	}
	const (
		once    = "list --retries 0"
		hasty   = "list --retries 0 --timeout 2s"
		chunked = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
		head    = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	)
	megabyte := strings.Repeat(" ", 1<<20)
	return []attack{
		{"never answers", "given up at the time limit", answer(stall, hasty, "timeout", "unknown")},
		{"lets its answer drip, a byte at a time", "given up at the time limit, which is for the whole call", answer(
			forever(chunked, "1\r\n \r\n", 20*time.Millisecond), hasty, "timeout", "yes")},
		{"lets its header drip, a field at a time", "given up at the time limit", answer(
			forever(head, "X-A: b\r\n", 20*time.Millisecond), hasty, "timeout", "unknown")},
		{"lets its index drip", "given up at the time limit", index(forever(chunked, "1\r\n \r\n", 20*time.Millisecond), hasty, 8, "timeout")},
		{"sends a header without end", "refused at 256 KiB", answer(forever(head, "X-A: "+strings.Repeat("b", 1000)+"\r\n", 0), once, "too_large", "unknown")},
		{"sends an answer without end", "refused at 64 MiB", answer(forever(chunked, "100000\r\n"+megabyte+"\r\n", 0), once, "too_large", "yes")},
		{"sends provisional answers without end", "refused", answer(forever("", "HTTP/1.1 103 Early Hints\r\n\r\n", 0), once, "too_large", "unknown")},
		{"answers with a gzip bomb", "refused at 64 MiB of what comes out", answer(bomb("application/json", "", megabyte, 80), once, "too_large", "yes")},
		{"publishes a gzip bomb as its index", "refused at 32 MiB of what comes out", index(bomb("application/json", "", megabyte, 40), once, 8, "too_large")},
		{"compresses twice, or in a way that was not asked for", "refused", answer(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br, gzip")
			_, _ = io.WriteString(w, "junk")
		}, once, "protocol_error", "yes")},
		{"says that its answer is longer than it is", "an error, not half an answer", answer(
			wireText(head+"Content-Length: 100\r\n\r\n{\"half\":"), once, "connection_reset", "yes")},
		{"names two lengths for one answer", "refused", answer(wireText("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), once, "protocol_error", "unknown")},
		{"does not speak HTTP", "refused, without its words", answer(wireText("\x1b[31mSSH-2.0-evil\r\n\r\n"), once, "protocol_error", "unknown")},
		{"answers with a million brackets", "no crash", func(w *world) {
			w.site.on("GET /list", body("application/json", strings.Repeat("[", 1_000_000)))
			w.run("shop.example", "list").succeeds()
			w.call("list --jq .[0]").fails(7, "not_json", "yes")
		}},
		{"publishes an index of a hundred thousand brackets", "refused", index(body("application/json", strings.Repeat("[", 100_000)), "list", 3, "too_deep")},
		{"asks for a year of patience", "its answer is passed on at once", func(w *world) {
			w.site.on("GET /list", status(http.StatusTooManyRequests, "Retry-After", "31536000"))
			w.call("list").fails(8, "http_429", "yes")
			w.saw(1, "GET /list")
		}},
	}
}

// resendAttacks want a request with an effect to be sent twice, or to be taken for unsent.
func resendAttacks() []attack {
	once := func(how http.HandlerFunc, code, sent string) func(*world) {
		return func(w *world) {
			w.site.on("POST /create", how)
			w.call("create --timeout 5s").fails(8, code, sent)
			w.saw(1, "POST /create")
		}
	}
	const must = "sent once, and not said to be unsent"
	return []attack{
		{"takes a POST and breaks the connection", must, once(abort, "connection_reset", "unknown")},
		{"takes a POST and says nothing", must, func(w *world) {
			w.site.on("POST /create", stall)
			w.call("create --timeout 2s").fails(8, "timeout", "unknown")
			w.saw(1, "POST /create")
		}},
		{"takes a POST and says to try again at once (503)", must, once(status(503, "Retry-After", "0"), "http_503", "yes")},
		{"takes a POST and says to try again at once (429)", must, once(status(429, "Retry-After", "0"), "http_429", "yes")},
		{"takes a POST and says that it timed out (408)", "sent once", func(w *world) {
			w.site.on("POST /create", status(http.StatusRequestTimeout, "Connection", "close"))
			w.call("create").fails(7, "http_408", "yes")
			w.saw(1, "POST /create")
		}},
		{"takes a POST and changes the protocol (101)", must, once(wireText("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), "protocol_error", "unknown")},
		{"takes a DELETE, which has no body, and breaks the connection", must, func(w *world) {
			w.site.on("DELETE /things/1", abort)
			w.call("remove 1 --yes").fails(8, "connection_reset", "unknown")
			w.saw(1, "DELETE /things/1")
		}},
		{"lets the victim interrupt a POST", "it is not said to be unsent", func(w *world) {
			begun := make(chan struct{})
			w.site.on("POST /create", func(_ http.ResponseWriter, r *http.Request) {
				close(begun)
				<-r.Context().Done()
			})
			w.during(w.command("agentctl", "shop.example", "create", "--json"), func(victim *os.Process) {
				<-begun
				w.must(victim.Signal(os.Interrupt))
			}).fails(130, "interrupted", "unknown")
			w.saw(1, "POST /create")
		}},
	}
}
