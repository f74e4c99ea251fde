package main

import (
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
)

// stored keeps a token for the site in the file keyring, in place of the one in the environment.
func (w *world) stored(site string) {
	w.Helper()
	delete(w.env, "AGENTCTL_TOKEN")
	w.env["AGENTCTL_KEYRING"] = "file"
	login := w.command("agentctl", "auth", "login", site, "--with-token")
	login.Stdin = strings.NewReader(token)
	w.finish(login).succeeds()
}

// credentialAttacks are after a credential that belongs to another origin.
func credentialAttacks() []attack {
	const anonymous = "the call goes without a credential"
	// elsewhere calls an origin that nothing is stored for.
	elsewhere := func(site string) func(*world) {
		return func(w *world) {
			w.otherMay = true
			w.stored("shop.example")
			w.run(site, "list", "--json").succeeds()
			for _, r := range w.other.all() {
				if r.header.Get("Authorization") != "" {
					w.Errorf("%s got %q", r.line, r.header)
				}
			}
			w.call("list").succeeds()
			if seen := w.site.requests("GET /list"); len(seen) != 1 || seen[0].header.Get("Authorization") != "Bearer "+token {
				w.Errorf("its own site was sent %q", seen)
			}
		}
	}
	return []attack{
		{"is called while a credential is stored for another site", anonymous, elsewhere("elsewhere.example")},
		{"is called on another port of a site with a credential", anonymous, elsewhere("shop.example:8443")},
		{"is called under a profile that nothing is stored for", "refused; no other credential is taken", func(w *world) {
			w.stored("shop.example")
			w.call("list --profile work").fails(4, "credential_missing", "no")
			w.nothingSent()
		}},
		{"repeats the credential in an error", "it is taken out", func(w *world) {
			w.site.on("GET /list", func(rw http.ResponseWriter, r *http.Request) {
				got := r.Header.Get("Authorization")
				errorAnswer(422, detail{"error": detail{"code": got, "message": got, "details": detail{got: got}}})(rw, r)
			})
			w.call("list").is(7, "yes").shows("<redacted>")
			w.run("shop.example", "list", "--verbose")
		}},
		{"repeats the credential in a redirect", "it is taken out", func(w *world) {
			w.site.on("GET /list", redirect(http.StatusFound, "/list?again="+token))
			w.call("list --verbose").fails(8, "redirect_refused", "yes")
		}},
		{"refuses the credential, and names where to bring a new one", "the hint is the program's own", func(w *world) {
			w.site.on("GET /list", status(http.StatusUnauthorized, "Www-Authenticate", `Bearer realm="send it to https://elsewhere.example"`))
			w.call("list").fails(4, "http_401", "yes").hides("elsewhere")
		}},
		{"has the victim put a token on the command line", "it is refused, and not repeated", func(w *world) {
			w.run("auth", "login", "shop.example", "--with-token="+token, "--json").is(2, "no")
			w.run("auth", "login", "shop.example", token, "--json").is(2, "no")
		}},
	}
}

// keyringAttacks are keyrings that are absent, broken or not private.
func keyringAttacks() []attack {
	refused := func(status int, code string, prepare func(w *world)) func(*world) {
		return func(w *world) {
			w.stored("shop.example")
			prepare(w)
			w.call("create").fails(status, code, "no")
			w.nothingSent()
		}
	}
	// bus lets the session bus behave so.
	bus := func(code string, talk func(net.Conn)) func(*world) {
		return func(w *world) {
			if runtime.GOOS != "linux" {
				w.Skip("no session bus here")
			}
			delete(w.env, "AGENTCTL_TOKEN")
			w.write("config/credentials.json", `{"https://shop.example":{"kind":"token","keyring":"system","added":"2026-01-01T00:00:00Z"}}`)
			w.env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + w.path("bus")
			if talk != nil {
				listener, err := net.Listen("unix", w.path("bus"))
				w.must(err)
				w.Cleanup(func() { _ = listener.Close() })
				go serve(listener, talk)
			}
			w.call("create").fails(4, code, "no").shows("AGENTCTL_KEYRING=file")
			w.nothingSent()
		}
	}
	hang := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	const withAWayOut = "a clear error that names the ways out; nothing is sent"
	return []attack{
		{"takes the keyring away", withAWayOut, bus("keyring_unavailable", nil)},
		{"lets the keyring hang", withAWayOut + "; no hang", bus("keyring_timeout", hang)},
		{"lets the keyring talk nonsense", withAWayOut, bus("keyring_unavailable", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "OK \x1b[31m"+strings.Repeat("\x00l\x01", 1000)+"\r\n")
		})},
		{"makes the file keyring readable to others", "refused, with the command that mends it", refused(4, "keyring_insecure", func(w *world) {
			w.must(os.Chmod(w.path("config/keyring/secrets.json"), 0o640))
		})},
		{"makes the directory of the file keyring open to others", "refused, with the command that mends it", refused(4, "keyring_insecure", func(w *world) {
			w.must(os.Chmod(w.path("config/keyring"), 0o755))
		})},
		{"damages the file keyring", "an error that names the file; what is in it is not shown", refused(1, "config_damaged", func(w *world) {
			w.write("config/keyring/secrets.json", `{"https://shop.example":"`+token+`"`)
		})},
		{"puts a token into the keyring that ends the header", "refused", refused(4, "invalid_token", func(w *world) {
			w.write("config/keyring/secrets.json", `{"https://shop.example":"x\r\nX-Admin: yes"}`)
		})},
		{"damages the list of credentials", "an error that names the file; the call does not go without", refused(1, "config_damaged", func(w *world) {
			w.write("config/credentials.json", `{"https://shop.example":`)
		})},
		{"puts a credential of an unknown kind into the list", "an error that names the file", refused(1, "config_damaged", func(w *world) {
			w.write("config/credentials.json", `{"https://shop.example":{"kind":"magic","added":"2026-01-01T00:00:00Z"}}`)
		})},
		{"takes the token out of the file keyring", "refused; the call does not go without", refused(4, "credential_missing", func(w *world) {
			w.write("config/keyring/secrets.json", `{}`)
		})},
	}
}

// tokenAttacks are commands that give bad tokens, and tokens that are not what they seem.
func tokenAttacks() []attack {
	// command stores a shell script in place of a token.
	command := func(script, code string) func(*world) {
		return func(w *world) {
			delete(w.env, "AGENTCTL_TOKEN")
			w.write("helper", "#!/bin/sh\n"+script+"\n")
			w.must(os.Chmod(w.path("helper"), 0o700))
			w.run("auth", "login", "shop.example", "--command", w.path("helper")).succeeds()
			w.call("create --timeout 2s").fails(4, code, "no").isClean()
			w.nothingSent()
		}
	}
	jwt := func(header, claims string) string {
		encode := base64.RawURLEncoding.EncodeToString
		return encode([]byte(header)) + "." + encode([]byte(claims)) + ".c2ln"
	}
	// expired is a token that must not be sent.
	expired := func(claims, code string) func(*world) {
		return func(w *world) {
			w.env["AGENTCTL_TOKEN"] = jwt(`{"alg":"EdDSA"}`, claims)
			w.secrets = []string{w.env["AGENTCTL_TOKEN"]}
			w.call("create").fails(4, code, "no")
			w.run("auth", "status", "shop.example", "--json").fails(4, code, "no")
			w.nothingSent()
		}
	}
	const failed = "an auth error; its output is not shown, and nothing is sent"
	return []attack{
		{"has the credential command fail with escape sequences", failed, command(`echo c4n4ry-out; printf '\033]0;owned\007sealed\n' >&2; exit 1`, "credential_command_failed")},
		{"has the credential command give junk", failed, command(`head -c 300 /dev/urandom`, "credential_command_failed")},
		{"has the credential command give nothing", failed, command(`true`, "credential_command_failed")},
		{"has the credential command give two lines", failed, command(`printf 'a\nX-Admin: yes\n'`, "credential_command_failed")},
		{"has the credential command give broken JSON", failed, command(`echo '{"token":"c4n4ry-json"'`, "credential_command_failed")},
		{"has the credential command write without end", failed, command(`exec cat /dev/zero`, "credential_command_failed")},
		{"has the credential command hang", "given up at the time limit; nothing is sent", command(`exec sleep 600`, "credential_command_failed")},
		{"has a child of the credential command hold on to its output", "no hang; nothing is sent", command(`sleep 600 & exit 1`, "credential_command_failed")},
		{"has the credential command give a token that expired", "refused before sending", command(`echo '{"token":"c4n4ry-old-0123","expires_at":"2001-01-01T00:00:00Z"}'`, "token_expired")},
		{"takes the credential command away", failed, func(w *world) {
			delete(w.env, "AGENTCTL_TOKEN")
			w.run("auth", "login", "shop.example", "--command", w.path("gone")).succeeds()
			w.call("create").fails(4, "credential_command_failed", "no")
			w.nothingSent()
		}},
		{"gives the victim a JWT that expired", "refused before sending", expired(`{"exp":1000000000}`, "token_expired")},
		{"gives the victim a JWT that is not valid yet", "refused before sending", expired(`{"nbf":4000000000}`, "token_not_yet_valid")},
		{"gives the victim a JWT full of escape sequences", "its status is clean", func(w *world) {
			w.env["AGENTCTL_TOKEN"] = jwt(`{"alg":"none"}`, encode(detail{"sub": evilText, "iss": evilText, "aud": []string{evilText}, "scope": evilText}))
			w.run("auth", "status", "shop.example").succeeds().isClean().shows("evil")
			w.call("list").succeeds()
		}},
		{"gives the victim a JWT that is none", "no crash; what it says is not believed, and it is sent as the token that it is", func(w *world) {
			for _, bad := range []string{
				jwt(`{"alg":"none"}`, `{"exp":1e400}`), jwt(`{"alg":"none"}`, `{"exp":"soon"}`), jwt(`{"alg":"none"}`, `{"exp":-1e300}`), jwt(`{}`, `[]`), jwt(`{"alg":5}`, `null`),
				"a.b.c", "...", "eyJ.eyJ.eyJ", jwt(`{"alg":"none"}`, strings.Repeat("[", 9000)), jwt(`{"alg":"none"}`, `{"exp":99999999999999999999999999}`),
			} {
				w.env["AGENTCTL_TOKEN"] = bad
				w.run("auth", "status", "shop.example").isClean()
				w.call("list")
			}
		}},
	}
}
