package cli

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/manifest/interagentic"
	"github.com/agentctl/agentctl/internal/streams"
)

// testRun runs a command line with its output in memory. There is no cache unless dir is given.
func testRun(t testing.TB, dir string, args ...string) (status int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if dir == "" {
		dir = filepath.Join(os.DevNull, "nowhere")
	}
	status = Run(context.Background(), args, Env{
		Streams: &streams.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr, OutTTY: true, Width: 80},
		Getenv:  func(string) string { return "" }, ReadFile: func(context.Context, string) ([]byte, error) { return nil, errors.New("no files here") },
		ConfigDir: t.TempDir(), CacheDir: dir, StateDir: filepath.Join(dir, "state"), Now: time.Now, Version: "test",
	})
	return status, stdout.String(), stderr.String()
}

// FuzzTree publishes any index and any detail. What parses becomes commands that answer --help and --dry-run; nothing
// panics, and nothing that the site says acts on the terminal.
func FuzzTree(f *testing.F) {
	f.Add(
		[]byte(`{"name":"P","groups":[{"command":["orders"],"description":"o"}],"actions":[{"command":["orders","create"],"endpoint":"/orders/{{$id}}","method":"POST"},{"command":["help"],"endpoint":"/h","method":"GET"}]}`),
		[]byte(`{"command":["orders","create"],"args":["id"],"params":[{"name":"id","required":true,"type":{"type":"string"}},{"name":"help","type":{"type":"array"}},{"name":"a.b","type":{"type":"object"}},{"name":"a=b"},{"name":"-x"},{"name":" "}],"files":{"bodyKey":"f","format":{"p":"string"}},"example":{"input":{"id":"x"},"output":1}}`),
	)
	f.Add([]byte(`{"name":"\u001b]0;x\u0007","actions":[{"command":["a"],"endpoint":"/\u202e","method":"G\u0000T","description":"\u009b31m"}]}`), []byte(`{"command":["a"]}`))
	f.Add([]byte(`{"actions":[{"command":["a"],"endpoint":"/","method":"GET"}]}`), []byte(`{"params":[{"name":"json","type":{"enum":[1,"x",null]},"description":"\u001b[2J"},{"name":"x","type":{"oneOf":[{"type":"object"},{"type":"array"}]}}]}`))
	var index, detail atomic.Value
	index.Store([]byte{})
	detail.Store([]byte{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		source := &detail
		if r.URL.Path == interagentic.IndexPath {
			source = &index
		}
		_, _ = w.Write(source.Load().([]byte))
	}))
	f.Cleanup(server.Close)
	f.Fuzz(func(t *testing.T, indexDoc, detailDoc []byte) {
		index.Store(indexDoc)
		detail.Store(detailDoc)
		check := func(args ...string) int {
			status, out, errOut := testRun(t, "", append([]string{server.URL}, args...)...)
			if status == 1 {
				t.Fatalf("%q: an internal fault: %s", args, errOut)
			}
			if i := strings.IndexFunc(out+errOut, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' }); i >= 0 {
				t.Fatalf("%q: a control character reached the terminal: %q", args, out+errOut)
			}
			return status
		}
		check()
		site, err := interagentic.ParseIndex(indexDoc)
		if err != nil {
			return
		}
		for i, action := range site.Actions {
			if i == 3 {
				break
			}
			help := check(append(action.Command, "--help")...)
			if help == 2 && action.Issue == nil {
				t.Errorf("%q: --help is a usage error", action.Command)
			}
			check(append(action.Command, "--dry-run", "x", "-5", "--a.b=c")...)
		}
	})
}

func TestPanicsAreReportedWithoutArguments(t *testing.T) {
	var stderr bytes.Buffer
	status := Run(context.Background(), []string{"popcorn.club", "secret-argument"}, Env{
		Streams: &streams.Streams{Out: &bytes.Buffer{}, Err: &stderr},
		Getenv:  func(string) string { panic("boom") },
		Version: "test",
	})
	if status != 1 || !strings.Contains(stderr.String(), "boom") || strings.Contains(stderr.String(), "secret-argument") {
		t.Errorf("status %d, output:\n%s", status, stderr.String())
	}
}
