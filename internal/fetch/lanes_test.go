package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// overLanes is the beginning of the names of tests whose clients make many requests at a time: see [newWorld].
const overLanes = "TestLanes"

// What holds for the connections of net/http holds for lanes.
func TestLanesDoWhatNetHTTPDoes(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"refused": TestARequestIsRefusedBeforeItIsSent, "loopback": TestLoopbackMayBeAskedOverPlainHTTP,
		"servers": TestFailuresOfServers, "connections": TestFailuresOfConnections, "cancelling": TestCancellingIsAnInterruption,
		"TLS": TestTLSFailuresSayWhatIsWrong, "bodies": TestBodiesAreDecodedAndLimited, "credentials": TestACredentialStaysAtItsOrigin,
		"events": TestEventsTellWhatHappened, "retries": TestReadsAreRetried, "deadline": TestARetryDoesNotOutliveTheDeadline,
		"broken connections": TestReadsAreRetriedAfterConnectionFailures, "effects": TestEffectsAreNeverRetried,
		"dead connections": TestNetHTTPDoesNotResendEffects, "interrupted": TestARetryCanBeInterrupted,
		"secrets": TestSecretsAreSentAndNeverTold, "secrets inside": TestSecretsGoAlongInsideTheirOrigin, "secrets outside": TestSecretsStayWithTheirOrigin,
		"redirects": TestReadsFollowRedirectsWithinTheOrigin, "redirects refused": TestRedirectsAreRefused, "other 3xx": TestOtherThreeHundredsAreAnswers,
		"proxies": TestAProxyResolvesNames, "failing proxies": TestFailuresOfProxies, "rebinding": TestRebinding, "redirected": TestRebindingByARedirect,
		"private addresses": TestPublicNamesMustNotLeadToPrivateAddresses, "every connection": TestEveryConnectionIsChecked,
	} {
		t.Run(name, test)
	}
}

// spoken is a site whose connections say what a test wants: before each request that they read, and in answer to it.
type spoken struct {
	unasked     func(request int) string // said before a request is read; "" for nothing
	answer      string
	connections atomic.Int32
	requests    atomic.Int32
}

func (s *spoken) talk(conn net.Conn) {
	connection := s.connections.Add(1)
	for {
		if !strings.HasSuffix(readRequest(conn), "\r\n\r\n") {
			return
		}
		request := int(s.requests.Add(1))
		_, _ = io.WriteString(conn, s.answer)
		if s.unasked == nil || connection > 1 {
			continue
		}
		more := s.unasked(request)
		_, _ = io.WriteString(conn, more)
		if more == "" {
			return // closes it
		}
	}
}

const two = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// A connection is not used again when the site has said more than its answer: that it closes it, or what would be taken for the next
// answer. So what has an effect goes over another one, and its answer is its own.
func TestLanesLeaveConnectionsThatWereNotQuiet(t *testing.T) {
	for name, test := range map[string]struct {
		answer, unasked string
		wait            time.Duration // before the next request
	}{
		"closed meanwhile":               {two, "", 30 * time.Millisecond},
		"an answer to nothing":           {two, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", 30 * time.Millisecond},
		"more than the answer, at once":  {two + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", " ", 0},
		"idle for long":                  {two, " ", idleTimeout + time.Second},
		"announced as the last":          {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", " ", 0},
		"of a version without this":      {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", " ", 0},
		"with a body longer than wanted": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", " ", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := &spoken{answer: test.answer, unasked: func(int) string { return test.unasked }}
			w.raw(t, s.talk)
			c := New(w.settings)
			defer c.closeIdle()
			for _, request := range []Request{{URL: site, Read: true}, {URL: site, Method: "POST", Body: []byte("x")}} {
				response, err := c.Do(t.Context(), request)
				must(t, err)
				content, err := io.ReadAll(response.Body)
				must(t, err)
				if response.Body.Close(); string(content) != "ok" {
					t.Errorf("the answer was %q", content)
				}
				if test.wait < time.Second {
					time.Sleep(test.wait) // for what was sent to arrive
				}
				w.pass(test.wait)
			}
			if s.connections.Load() != 2 || s.requests.Load() != 2 {
				t.Errorf("%d connections, %d requests", s.connections.Load(), s.requests.Load())
			}
		})
	}
}

// corked holds back what is written until it is uncorked.
type corked struct {
	net.Conn
	held bytes.Buffer
}

func (c *corked) Write(p []byte) (int, error) { return c.held.Write(p) }
func (c *corked) uncork()                     { _, _ = c.held.WriteTo(c.Conn) }

// What nobody asked for can come in one piece with an answer, in a record of its own: then it is known as soon as that is.
func TestLanesLookAtWhatCameWithAnAnswer(t *testing.T) {
	w := newWorld(t)
	var connections atomic.Int32
	config := &tls.Config{Certificates: []tls.Certificate{w.ca.issue(t, time.Now().Add(time.Hour), "shop.example")}}
	w.rawTCP(t, func(raw net.Conn) {
		connections.Add(1)
		cork := &corked{Conn: raw}
		conn := tls.Server(readsUncorked{cork}, config)
		for strings.HasSuffix(readRequest(conn), "\r\n\r\n") {
			_, _ = io.WriteString(conn, two)
			_, _ = io.WriteString(conn, strings.Replace(two, "ok", "no", 1))
		}
	})
	c := New(w.settings)
	defer c.closeIdle()
	for range 3 {
		if content, _, err := get(t.Context(), c, Request{URL: site}); err != nil || content != "ok" {
			t.Errorf("%q %v", content, err)
		}
	}
	if connections.Load() != 3 {
		t.Errorf("%d connections", connections.Load())
	}
}

// readsUncorked lets go of what was written before it waits for what comes.
type readsUncorked struct{ *corked }

func (c readsUncorked) Read(p []byte) (int, error) {
	c.uncork()
	return c.corked.Read(p)
}

func TestLanesUseTheirConnectionsAgain(t *testing.T) {
	w := newWorld(t)
	s := &spoken{answer: "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + two}
	w.raw(t, s.talk)
	c := New(w.settings)
	defer c.closeIdle()
	for i, request := range []Request{
		{URL: site, Read: true}, {URL: site, Method: "DELETE"}, {URL: site, Method: "POST", Body: []byte("x")}, {URL: site, Read: true},
	} {
		response, err := c.Do(t.Context(), request)
		must(t, err)
		if content, err := io.ReadAll(response.Body); err != nil || string(content) != "ok" || response.Status != http.StatusOK {
			t.Errorf("%d %q %v", response.Status, content, err)
		}
		response.Body.Close()
		if i == 1 {
			w.pass(time.Second) // idle for a while, and quiet
		}
	}
	if s.connections.Load() != 1 || s.requests.Load() != 4 {
		t.Errorf("%d connections, %d requests", s.connections.Load(), s.requests.Load())
	}
}

// The rest of an answer that is not wanted is not waited for, and is not taken for another one.
func TestLanesGiveUpWhatIsNotRead(t *testing.T) {
	w := newWorld(t)
	s := &spoken{answer: "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nok"}
	w.raw(t, s.talk)
	c := New(w.settings)
	defer c.closeIdle()
	for range 2 {
		response, err := c.Do(t.Context(), Request{URL: site, Read: true})
		must(t, err)
		if n, err := response.Body.Read(make([]byte, 2)); n == 0 || err != nil {
			t.Error(err)
		}
		response.Body.Close()
		if _, err := response.Body.Read(make([]byte, 1)); err == nil {
			t.Error("a body that was closed can be read")
		}
	}
	if s.connections.Load() != 2 {
		t.Errorf("%d connections", s.connections.Load())
	}
}

// A site may answer a large body before it has read it. Only net/http reads while it writes.
func TestLanesLeaveLargeBodiesToNetHTTP(t *testing.T) {
	w := newWorld(t)
	w.raw(t, func(conn net.Conn) {
		readRequest(conn)
		_, _ = io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
		time.Sleep(100 * time.Millisecond)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	response, err := New(w.settings).Do(ctx, Request{URL: site, Method: "POST", Body: make([]byte, 32<<20)})
	must(t, err)
	if response.Body.Close(); response.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", response.Status)
	}
}

// A time limit that strikes between two requests ends neither the connection nor what comes after it.
func TestLanesOutliveTheContextsOfTheirRequests(t *testing.T) {
	w := newWorld(t)
	s := &spoken{answer: two}
	w.raw(t, s.talk)
	c := New(w.settings)
	defer c.closeIdle()
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		if _, _, err := get(ctx, c, Request{URL: site}); err != nil {
			t.Error(err)
		}
		cancel()
	}
	if s.connections.Load() != 1 {
		t.Errorf("%d connections", s.connections.Load())
	}
}

// What one of many small requests costs, with the server in the same process.
func BenchmarkManyRequests(b *testing.B) {
	for _, parallel := range []int{0, 8} {
		b.Run(fmt.Sprintf("parallel=%d", parallel), func(b *testing.B) {
			w := newWorld(b)
			w.settings.Trace, w.settings.Parallel, w.settings.Now = nil, parallel, time.Now
			w.serve(b, func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "ok") })
			c := New(w.settings)
			defer c.closeIdle()
			b.ReportAllocs()
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, _, err := get(b.Context(), c, Request{URL: site}); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
