package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every secret of the victim begins with the same word, so that one is found however it is cut or encoded. Those that are
// arguments have another word behind it: --dry-run shows them, because they are what is asked for.
const (
	canary           = "c4n4ry"
	credentialCanary = canary + "-cred-"
	argumentCanary   = canary + "-arg-"
)

// canaryForms are the ways in which a canary can be written: as it is, in Base64 at each of the three places, in hex.
func canaryForms(word string) []string {
	forms := []string{word, strings.ToUpper(word), hex.EncodeToString([]byte(word))}
	for before := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte("???"[:before] + word))
		forms = append(forms, text[(before*8+5)/6:len(text)-4]) // without the characters that depend on what is around
	}
	return forms
}

// canaryHome is a configuration with a credential for the site from each source but the environment, a profile each.
func canaryHome(t *testing.T, bin string, ca *authority) *world {
	t.Helper()
	w := newWorld(t, bin, ca)
	delete(w.env, "AGENTCTL_TOKEN")
	w.env["AGENTCTL_KEYRING"] = "file"
	w.secrets = canaryForms(canary)
	login := func(profile string, args ...string) *exec.Cmd {
		return w.command("agentctl", append([]string{"auth", "login", "shop.example", "--verbose", "--profile", profile}, args...)...)
	}
	token := login("token", "--with-token")
	token.Stdin = strings.NewReader(credentialCanary + "stdin\n")
	w.finish(token).succeeds()
	w.write("helper", "#!/bin/sh\necho "+credentialCanary+"command\n")
	w.must(os.Chmod(w.path("helper"), 0o700))
	w.finish(login("command", "--command", w.path("helper"))).succeeds()
	w.run("identity", "create", "--verbose").succeeds()
	w.finish(login("identity", "--identity")).succeeds()
	for _, line := range []string{"identity show --json", "identity jwks", "auth list --json", "auth status --json"} {
		w.run(strings.Fields(line)...).succeeds()
	}
	var kept map[string]string
	w.must(json.Unmarshal([]byte(w.read("config/keyring/secrets.json")), &kept))
	for _, secret := range kept { // the key of the identity is among them
		w.secrets = append(w.secrets, secret)
	}
	return w
}

// newCanaryWorld is a world of its own with a copy of the home's configuration.
func newCanaryWorld(t *testing.T, home *world) *world {
	t.Helper()
	w := newWorld(t, home.bin, home.ca)
	w.env["AGENTCTL_KEYRING"] = "file"
	w.secrets = slices.Clone(home.secrets)
	w.must(os.CopyFS(w.path("config"), os.DirFS(home.path("config"))))
	w.must(os.Chmod(w.path("config/keyring"), 0o700))
	w.must(os.Chmod(w.path("config/keyring/secrets.json"), 0o600))
	for _, method := range []string{"GET", "POST"} {
		published, arguments := canaryCall(method)
		w.site.actions = append(w.site.actions, published)
		w.write("arguments.json", arguments)
	}
	return w
}

// carry has calls carry the credential of one of the four sources, and returns the flags for it.
func (w *world) carry(source int) []string {
	delete(w.env, "AGENTCTL_TOKEN")
	if source%4 == 0 {
		w.env["AGENTCTL_TOKEN"] = credentialCanary + "environment"
		return nil
	}
	return []string{"--profile", []string{"token", "command", "identity"}[source%4-1]}
}

// canaryCall is the action that takes secrets in its path, query, header and body, and the arguments that give them.
func canaryCall(method string) (detail, string) {
	params := []detail{}
	arguments := detail{}
	for name, place := range map[string]string{"pin": "path/", "key": "query &=", "secret": `header "x"`, "password": `body\" é`, "card_number": "name"} {
		kind := detail{"type": "string", "format": "password", "maxLength": 60}
		switch name {
		case "secret":
			kind = detail{"type": "string", "writeOnly": true}
		case "card_number":
			kind = detail{"type": "string"}
		}
		params = append(params, detail{"name": name, "required": true, "type": kind})
		arguments[name] = argumentCanary + place
	}
	request := detail{"query": detail{"key": "{{$key}}", "card": "{{$card_number}}"}, "headers": detail{"X-Secret": "{{$secret}}"}}
	if method == "POST" {
		request["body"] = detail{"password": "{{$password}}", "deep": []any{detail{"again": "pre {{$password}}"}}}
	} else {
		request["query"].(detail)["password"] = "{{$password}}"
	}
	return detail{
		"command": []string{strings.ToLower(method)}, "method": method, "endpoint": "/secret/{{$pin}}/x", "params": params, "request": request,
	}, encode(arguments)
}

// canaryRun is a way in which a call can end.
type canaryRun struct {
	name    string
	prepare func(w *world)
	line    string // what stands behind the site; "" is the call itself
}

// echo answers with everything that the site was sent.
func echo(code int, contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		all := r.RequestURI + " " + fmt.Sprint(r.Header) + " " + r.Header.Get("Authorization") + r.Header.Get("X-Secret")
		for _, values := range r.URL.Query() {
			all += " " + strings.Join(values, " ")
		}
		all += " " + r.URL.Path
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		if contentType != "application/json" {
			_, _ = io.WriteString(w, all)
			return
		}
		_, _ = io.WriteString(w, encode(detail{"error": detail{"code": all, "message": all, "details": detail{all: []string{all}}}}))
	}
}

// canaryRuns are successes and more than thirty kinds of failure. The site repeats what it was sent wherever it can, but in
// an answer that is no error: that is the site's own, and printed as it is.
func canaryRuns() []canaryRun {
	const quick = " --timeout 300ms --retries 0"
	answers := func(how http.HandlerFunc) func(*world) {
		return func(w *world) {
			for _, method := range []string{"GET", "POST"} {
				w.site.on(method+" /secret/"+argumentCanary+"path//x", how)
			}
		}
	}
	file := func(name, content string) func(*world) {
		return func(w *world) { w.write(name, content) }
	}
	proxied := func(value string) func(*world) {
		return func(w *world) {
			w.env["AGENTCTL_RESOLVE"] = ""
			w.env["HTTPS_PROXY"] = value
		}
	}
	away := func(location string) func(*world) {
		return answers(func(w http.ResponseWriter, r *http.Request) {
			redirect(http.StatusTemporaryRedirect, location+r.Header.Get("X-Secret")+"?"+r.URL.RawQuery+r.Header.Get("Authorization"))(w, r)
		})
	}
	pays := func(decision string, second http.HandlerFunc) func(*world) {
		return func(w *world) {
			w.write("config/policy.toml", canaryRule+"decision = \""+decision+"\"\n")
			w.write("config/payer.toml", "[[payer]]\nname = \"purse\"\nnetworks = [\"play\"]\ncommand = [\"sh\", \"purse\"]\n")
			w.write("purse", "cat >/dev/null; echo '{\"payload\":{\"proof\":\""+credentialCanary+"proof\"}}'\n")
			answers(demandRepeatingAll(second))(w)
		}
	}
	return []canaryRun{
		{"a payment that no rule is about", answers(demandRepeatingAll(nil)), ""},
		{"a payment that is asked about", pays("ask", nil), ""},
		{"a payment that the site takes", pays("allow", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "served") }), ""},
		{"a payment after which the site wants another one", pays("allow", demandRepeatingAll(nil)), ""},
		{"a payment that the site refuses, and repeats all", pays("allow", echo(403, "application/json")), ""},
		{"a payment that nobody hears of again", pays("allow", abort), quick},
		{"an answer", nil, ""},
		{"an answer in a table", nil, " -o table"},
		{"an answer that is saved", nil, " --save answer"},
		{"help", nil, " --help"},
		{"401", answers(echo(401, "application/json")), ""},
		{"402", answers(echo(402, "text/plain")), ""},
		{"403", answers(echo(403, "text/html")), ""},
		{"404", answers(echo(404, "text/plain")), ""},
		{"422 that repeats all", answers(echo(422, "application/json")), ""},
		{"200 with an error that repeats all", answers(echo(200, "application/json")), ""},
		{"429", answers(status(429, "Retry-After", "9999")), ""},
		{"500 that repeats all", answers(echo(500, "application/json")), ""},
		{"503", answers(echo(503, "text/plain")), " --retries 0"},
		{"a redirect elsewhere", away("https://elsewhere.example/"), ""},
		{"a redirect to a name with a password", away("https://" + argumentCanary + "u:" + argumentCanary + "p@shop.example/"), ""},
		{"a redirect in the site", away("/else/"), ""},
		{"a broken connection", answers(abort), quick},
		{"no answer", answers(stall), quick},
		{"an answer that is no HTTP", answers(wireText("junk\r\n\r\n")), quick},
		{"half an answer", answers(wireText("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")), quick},
		{"a header without end", answers(forever("HTTP/1.1 200 OK\r\n", "X-A: "+strings.Repeat("b", 1000)+"\r\n", 0)), ""},
		{"another protocol", answers(wireText("HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")), quick},
		{"an encoding that was not asked for", answers(status(200, "Content-Encoding", "br")), ""},
		{"no authority", func(w *world) { w.env["SSL_CERT_FILE"] = "/dev/null" }, ""},
		{"an unknown authority", func(w *world) { w.write("ca.pem", string(newAuthority(w.T).pem)) }, ""},
		{"nobody at the address", func(w *world) { w.env["AGENTCTL_RESOLVE"] = "shop.example:443:127.0.0.1:1" }, quick},
		{"a name that does not resolve", func(w *world) { w.env["AGENTCTL_RESOLVE"] = "" }, quick},
		{"a proxy that is absent", proxied("http://user:" + credentialCanary + "proxy@127.0.0.1:1"), quick},
		{"a proxy that cannot be read", proxied("http://user:" + credentialCanary + "proxy@127.0.0.1:x\n"), quick},
		{"a proxy of an unknown kind", proxied("gopher://user:" + credentialCanary + "proxy@127.0.0.1:1"), quick},
		{"a proxy that is no proxy", func(w *world) { proxied("http://user:" + credentialCanary + "proxy@" + w.site.addr)(w) }, quick},
		{"a secret that is too long", nil, " --arg pin=" + argumentCanary + strings.Repeat("x", 100)},
		{"a secret that is no segment of a path", file("second.json", encode(detail{"pin": ".."})), " --input second.json"},
		{"a secret that no header may carry", nil, " --arg secret=" + argumentCanary + "\r\n"},
		{"an unknown parameter", nil, " --nonsense"},
		{"arguments that are cut off", file("second.json", `{"password":"`+argumentCanary+`x`), " --input second.json"},
		{"arguments that are no object", file("second.json", `"`+argumentCanary+`x"`), " --input second.json"},
		{"arguments twice", file("second.json", `{"password":"`+argumentCanary+`x","password":"`+argumentCanary+`y"}`), " --input second.json"},
		{"an action that is unusable", func(w *world) {
			w.site.change("get", "endpoint", "//x")
			w.site.change("post", "endpoint", "//x")
		}, ""},
		{"an approval that is wanted", func(w *world) {
			w.site.change("get", "payment", detail{"mode": "fixed", "amount": 1})
			w.site.change("post", "payment", detail{"mode": "fixed", "amount": 1})
		}, ""},
		{"an approval for something else", nil, " --approve " + strings.Repeat("0", 64)},
		{"a rule that denies", file("config/policy.toml", "[[rule]]\ndecision = \"deny\"\n"), ""},
		{"rules that are broken", file("config/policy.toml", "[[rule]]\nx = 1\n"), ""},
		{"an audit log that cannot be written", file("state/audit", ""), ""},
		{"an answer that cannot be saved", nil, " --save nowhere/answer"},
		{"a filter that fails", nil, " --jq error"},
		{"a cached site that is gone", nil, " --offline"},
		{"a keyring that is damaged", func(w *world) {
			if w.env["AGENTCTL_TOKEN"] == "" {
				w.write("config/keyring/secrets.json", `{"https://shop.example":"`+credentialCanary+`broken`)
			}
		}, ""},
		{"a request that is only shown", nil, " --dry-run"},
	}
}

// canaryRule lets a site be paid, up to a decision to come.
const canaryRule = "[[payment]]\nprotocol = \"x402\"\nnetwork = \"play\"\nasset = \"money\"\nmax_amount = \"5\"\n"

// demandRepeatingAll wants to be paid by x402, and repeats everything that it was sent wherever a demand, or what a site says of a payment,
// has room for it. What was paid goes to second, unless that is nil.
func demandRepeatingAll(second http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		all := r.RequestURI + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + r.Header.Get("X-Secret")
		for _, values := range r.URL.Query() {
			all += " " + strings.Join(values, " ")
		}
		if value, err := base64.StdEncoding.DecodeString(r.Header.Get("Payment-Signature")); err == nil && len(value) > 0 {
			all += " " + string(value)
			w.Header().Set("Payment-Response", base64.StdEncoding.EncodeToString([]byte(encode(detail{"transaction": all, "errorReason": all, "amount": all, "success": second != nil}))))
			if second != nil {
				second(w, r)
				return
			}
		}
		w.Header().Set("Www-Authenticate", "Payment realm="+strconv.Quote(all)+", description="+strconv.Quote(all))
		w.Header().Set("Payment-Required", base64.StdEncoding.EncodeToString([]byte(encode(detail{
			"x402Version": 2, "error": all, "resource": detail{"url": "https://" + r.Host + r.URL.EscapedPath() + "?" + r.URL.RawQuery},
			"accepts": []any{detail{"scheme": "exact", "network": "play", "amount": "5", "asset": "money", "payTo": "me", "maxTimeoutSeconds": 60}},
		}))))
		w.WriteHeader(http.StatusPaymentRequired)
		_, _ = io.WriteString(w, all)
	}
}

// TestCanaries plants secrets wherever one can be, lets calls end in every way, and looks for the secrets in all that the
// program writes: its output, with --verbose, as text and as JSON, and its files. What may show one is in docs/security.md:
// auth token, which is for that; --dry-run, the arguments; an answer, what the site put there.
func TestCanaries(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test needs sh")
	}
	home := canaryHome(t, buildPrograms(t), newAuthority(t))
	for i, run := range canaryRuns() {
		t.Run(run.name, func(t *testing.T) {
			t.Parallel()
			w := newCanaryWorld(t, home)
			if strings.Contains(run.line, "--dry-run") {
				w.secrets = append(canaryForms(credentialCanary), w.secrets[len(canaryForms(canary)):]...)
			}
			if run.prepare != nil {
				run.prepare(w)
			}
			source := i
			for _, method := range []string{"get", "post"} {
				for _, mode := range []string{" --verbose", " --verbose --json"} {
					if strings.Contains(run.line, " -o ") && strings.Contains(mode, "--json") {
						continue
					}
					w.run(slices.Concat([]string{"shop.example", method}, w.carry(source), canaryArguments(run.line+mode))...).hasNoToken()
					source++
				}
			}
			w.run("audit", "list", "--json")
			w.run("receipts", "list", "--json")
			w.aftermath()
		})
	}
}

// canaryArguments takes a line apart, and puts the file with the secrets in front where it names none.
func canaryArguments(line string) []string {
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' })
	if strings.Contains(line, "--input") || strings.Contains(line, "--help") {
		return words
	}
	return append([]string{"--input", "arguments.json"}, words...)
}

// hasNoToken wants no part of a JWT in what was told: those of identities are made for each call.
func (o *outcome) hasNoToken() {
	o.Helper()
	if strings.Contains(o.stdout+o.stderr, "eyJ") {
		o.Errorf("%s: it told a token:\n%s%s", o.line, o.stdout, o.stderr)
	}
}

// TestCanariesInCrashes lets a run be ended by signals that make Go print its stacks, while it waits for an answer.
func TestCanariesInCrashes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	home := canaryHome(t, buildPrograms(t), newAuthority(t))
	for source, signal := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			w := newCanaryWorld(t, home)
			begun := make(chan struct{})
			w.site.on("POST /secret/"+argumentCanary+"path//x", func(_ http.ResponseWriter, r *http.Request) {
				close(begun)
				<-r.Context().Done()
			})
			profile := w.carry(source)
			program := w.command("agentctl", append(profile, "shop.example", "post", "--input", "arguments.json", "--verbose")...)
			cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `ulimit -c unlimited; exec "$@"`, "sh"}, program.Args...)...)
			cmd.Env, cmd.Dir = program.Env, program.Dir
			var told bytes.Buffer
			cmd.Stdout, cmd.Stderr = &told, &told
			w.must(cmd.Start())
			select {
			case <-begun:
			case <-time.After(hangs):
				t.Error("no request came")
			}
			w.must(cmd.Process.Signal(signal))
			if cmd.Wait() == nil {
				t.Error("it ended as if nothing had happened")
			}
			for _, secret := range slices.Concat(w.secrets, w.site.credentials()) {
				if strings.Contains(told.String(), secret) {
					t.Errorf("it told the secret %s:\n%s", secret, told.String())
				}
			}
			w.absent("core")
			w.aftermath()
		})
	}
}
