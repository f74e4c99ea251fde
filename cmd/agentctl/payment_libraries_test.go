package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPaymentLibraries has agentctl and the example payer pay services that are made of the libraries of x402 and MPP, so that what
// we read and write is held to somebody else's opinion. scripts/payments-verify installs them, and makes this test fail
// rather than be skipped where they are missing.
func TestPaymentLibraries(t *testing.T) {
	libraries, err := filepath.Abs(filepath.Join("..", "..", ".tools", "payments"))
	if err == nil {
		_, err = os.Stat(filepath.Join(libraries, "node_modules", "mppx"))
	}
	node, missing := exec.LookPath("node")
	if err = errors.Join(err, missing); err != nil {
		if os.Getenv("AGENTCTL_TEST_PAYMENTS") != "" {
			t.Fatal(err)
		}
		t.Skipf("run scripts/payments-verify for this: %v", err)
	}
	w := newPaidWorld(t, paidService(t, node, libraries))

	w.want(t, 0, `"payer":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"`, "shop.example", "x402", "--json")
	w.want(t, 0, `"ok":true`, "shop.example", "mpp", "--json")
	w.want(t, 0, `0x7e5f4552091a69125d5dfcb7b8c2659029395bdf`, "receipts", "list", "--json")

	// What was tampered with on its way is refused by the libraries, not by us.
	w.payer(t, `["sh", "-c", "payer --key key | sed 's/\"signature\":\"0x..../\"signature\":\"0x1234/; s/\"proof\":\"..../\"proof\":\"1234/'"]`)
	w.want(t, 6, `"code":"payment_refused"`, "shop.example", "x402", "--json")
	w.want(t, 6, `"code":"payment_refused"`, "shop.example", "mpp", "--json")
}

// paidService starts the service, and returns where it listens.
func paidService(t *testing.T, node, libraries string) *url.URL {
	t.Helper()
	program, err := os.ReadFile(filepath.Join("testdata", "paid-service.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	service := exec.CommandContext(t.Context(), node, "--input-type=module", "-e", string(program))
	service.Dir = libraries
	var trouble bytes.Buffer
	service.Stderr = &trouble
	in, err := service.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := service.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = service.Wait()
		if t.Failed() {
			t.Logf("the service: %s", &trouble)
		}
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the service did not start: %v", err)
	}
	return &url.URL{Scheme: "http", Host: "127.0.0.1:" + strings.TrimSpace(port)}
}

// paidWorld is a person with rules, a payer and a shop.
type paidWorld struct {
	bin     string // where the programs are
	dir     string
	environ []string
}

func newPaidWorld(t *testing.T, service *url.URL) *paidWorld {
	t.Helper()
	a := newAuthority(t)
	proxy := httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(service) }}
	shop := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		name, isAction := strings.CutPrefix(r.URL.Path, "/.well-known/interagentic/services/")
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/"):
			proxy.ServeHTTP(w, r)
		case r.URL.Path == "/.well-known/interagentic/services.json":
			_, _ = io.WriteString(w, `{"name":"Shop","actions":[{"command":["x402"],"endpoint":"/api/x402","method":"POST"},{"command":["mpp"],"endpoint":"/api/mpp","method":"POST"}]}`)
		case isAction:
			name = strings.TrimSuffix(name, ".json")
			_, _ = io.WriteString(w, `{"command":["`+name+`"],"endpoint":"/api/`+name+`","method":"POST"}`)
		default:
			http.NotFound(w, r)
		}
	}))
	shop.TLS = &tls.Config{Certificates: []tls.Certificate{a.leaf}}
	shop.StartTLS()
	t.Cleanup(shop.Close)
	w := &paidWorld{bin: buildPrograms(t), dir: t.TempDir()}
	for name, text := range map[string]string{
		"key":    strings.Repeat("0", 63) + "1\n",
		"ca.pem": string(a.pem),
		"policy.toml": `[[payment]]
protocol = "x402"
network = "eip155:84532"
asset = "` + paywallAsset + `"
max_amount = "2500"
decision = "allow"
[[payment]]
protocol = "mpp"
network = "example"
asset = "usd"
max_amount = "250"
decision = "allow"
`,
	} {
		w.write(t, name, text)
	}
	w.payer(t, `["payer", "--key", "key"]`)
	w.environ = append(os.Environ(),
		"PATH="+w.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "SSL_CERT_FILE="+filepath.Join(w.dir, "ca.pem"),
		"AGENTCTL_CONFIG_DIR="+w.dir, "AGENTCTL_CACHE_DIR="+filepath.Join(w.dir, "cache"), "AGENTCTL_STATE_DIR="+filepath.Join(w.dir, "state"),
		"AGENTCTL_RESOLVE=shop.example:443:"+shop.Listener.Addr().String(), "AGENTCTL_TOKEN=",
	)
	return w
}

func (w *paidWorld) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// payer makes a command the only payer.
func (w *paidWorld) payer(t *testing.T, command string) {
	t.Helper()
	w.write(t, "payer.toml", "[[payer]]\nname = \"test\"\ncommand = "+command+"\nnetworks = [\"eip155:84532\", \"example\"]\n")
}

// want runs agentctl, and wants an exit status and a part of what it prints.
func (w *paidWorld) want(t *testing.T, status int, part string, args ...string) {
	t.Helper()
	run := exec.CommandContext(t.Context(), filepath.Join(w.bin, "agentctl"), args...)
	run.Dir, run.Env = w.dir, w.environ
	out, err := run.CombinedOutput()
	got := 0
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		got = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if got != status || !strings.Contains(string(out), part) {
		t.Errorf("%q: exit status %d, want %d, and %s in\n%s", args, got, status, part, out)
	}
}
