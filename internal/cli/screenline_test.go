package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/agentctl/agentctl/internal/explore"
	"github.com/agentctl/agentctl/internal/render"
	"github.com/agentctl/agentctl/internal/streams"
)

func TestVariablesForSecrets(t *testing.T) {
	for name, want := range map[string]string{"pin": "PIN", "cardNumber": "CARDNUMBER", "a-b.c": "A_B_C", "1st": "_1ST", "": "_", "$(rm)": "__RM_"} {
		if got := variableOf(name, nil); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// The line that is shown does what the form does: given back to agentctl's own reader by a shell, it leads to the same request.
func TestTheLineDoesWhatTheFormDoes(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	server := serveAction(t, `{"command":["put"],"method":"POST","endpoint":"/put","args":["name","items"],"params":[
		{"name":"name","type":{"type":"string"}},{"name":"items","type":{"type":"array"}},{"name":"tags","type":{"type":"array","items":{"type":"string"}}},
		{"name":"any","type":{}},{"name":"maybe","type":{"type":["boolean","null"]}},{"name":"json","type":{"type":"string"}},
		{"name":"help","type":{"type":"array","items":{"type":"string"}}},{"name":"a=b","type":{"type":"string"}},{"name":"$(x)'","type":{"type":"string"}},
		{"name":"address","type":{"type":"object","properties":{"city":{"type":"string"}}}}]}`)
	p := newPuppet(t, explore.Hello{}, nil)
	for _, given := range []explore.Given{
		values("name", "it's $(touch x) `id` \"q\" !! \\ \n\t\x1b[2J\u202e\u200b*"),
		values("name", "-x", "items", "a"), values("name", "--"), values("name", "-5", "tags", "-5"), values("name", "", "items", "[]"), values("name", "n", "items", `["-x","b"]`),
		values("name", "n", "items", `["@x","-","5",5,null,"null","[1]",{"a":"b c"}]`), values("items", `["5"]`),
		values("tags", "[]"), values("tags", `["@x"]`), values("tags", `["[1]", "", " a,b "]`), values("tags", "one", "tags", "two"),
		values("any", `["5"]`), values("any", "null"), values("any", "0.10"), values("maybe", "null"), values("maybe", "false"), values("maybe", "true"),
		values("json", "true", "help", "x", "a=b", "c=d", "$(x)'", "~"), values("help", "[]"),
		{Values: []explore.Value{{Name: "address", Path: []string{"city"}, Text: "  New   York\n"}, {Name: "address", Path: []string{"x y"}, Text: "[\"'\"]"}}},
	} {
		r := p.ask(explore.Request{Op: explore.Preview, Site: server, Command: []string{"put"}, Given: given})
		if r.Preview == nil {
			t.Errorf("%+v: %+v", given, r.Failure)
			continue
		}
		if line := r.Preview.Line; render.CleanLine(line) != line {
			t.Errorf("%q cannot be shown", line)
		}
		cmd := exec.Command(shell, "-c", `agentctl() { printf '%s\0' "$@"; }; `+r.Preview.Line)
		cmd.Dir = t.TempDir()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", r.Preview.Line, err)
		}
		var printed strings.Builder
		env := p.session.Env
		env.Streams = &streams.Streams{In: strings.NewReader(""), Out: &printed, Err: &printed, Width: 80}
		if code := Run(t.Context(), append(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), "--dry-run"), env); code != 0 || printed.String() != r.Preview.Request {
			t.Errorf("%s\nends with %d and makes\n%s\nnot\n%s", r.Preview.Line, code, printed.String(), r.Preview.Request)
		}
	}
}

// serveAction serves a site with one action.
func serveAction(t *testing.T, action string) (origin string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/.well-known/interagentic/services.json":
			_, _ = io.WriteString(w, `{"name":"x","actions":[`+action+`]}`)
		case "/.well-known/interagentic/services/put.json":
			_, _ = io.WriteString(w, action)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestTwoSecretsHaveTwoVariables(t *testing.T) {
	server := serveAction(t, `{"command":["put"],"method":"POST","endpoint":"/put","params":[{"name":"pin","type":{"type":"string","format":"password"}},
		{"name":"PIN","type":{"type":"string","format":"password"}}]}`)
	p := newPuppet(t, explore.Hello{}, nil)
	r := p.ask(explore.Request{Op: explore.Preview, Site: server, Command: []string{"put"}, Given: values("pin", "a", "PIN", "b")})
	if r.Preview == nil || !strings.HasSuffix(r.Preview.Line, ` put --pin="$PIN" --PIN="$PIN_2"`) {
		t.Errorf("%+v, %+v", r.Failure, r.Preview)
	}
}
