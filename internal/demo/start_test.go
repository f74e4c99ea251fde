package demo

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestStartServesOnLoopbackUntilStopped(t *testing.T) {
	addr, stop, err := Start(t.Context(), t.TempDir(), evening)
	if err != nil {
		t.Fatal(err)
	}
	if host, _, err := net.SplitHostPort(addr); err != nil || !net.ParseIP(host).IsLoopback() {
		t.Fatalf("it listens on %q, %v; want a loopback address", addr, err)
	}
	response, err := http.Get("http://" + addr + apiBase + "/menu")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(body), "caramel") {
		t.Errorf("the menu is %q, %v", body, err)
	}
	stop()
	stop()
	wantClosed(t, addr)
}

func TestStartEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	addr, stop, err := Start(ctx, t.TempDir(), evening)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	stop() // returns when serving has ended, whoever ended it
	wantClosed(t, addr)
}

func wantClosed(t *testing.T, addr string) {
	t.Helper()
	connection, err := net.DialTimeout("tcp", addr, time.Second)
	if err == nil {
		connection.Close()
		t.Errorf("%s still answers", addr)
	}
}
