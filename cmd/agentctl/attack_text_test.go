package main

import (
	"fmt"
	"net/http"
	"strings"
)

// headerAttacks are requests that arrive as something else than was declared: by way of an argument that the victim was
// given to pass on, or of the description itself.
func headerAttacks() []attack {
	// argument passes a hostile text on.
	argument := func(command, name, value string) func(*world) {
		return func(w *world) {
			w.write("input.json", encode(detail{name: value}))
			w.call(command+" --input input.json").fails(2, "invalid_arguments", "no")
			w.nothingSent()
		}
	}
	// unusable publishes an action that must not be called at all.
	unusable := func(member string, values ...any) func(*world) {
		return func(w *world) {
			for _, value := range values {
				w.site.change("create", member, value)
				w.call("create").is(3, "no")
				w.nothingSent()
			}
		}
	}
	headers := func(names ...string) func(*world) {
		var requests []any
		for _, name := range names {
			requests = append(requests, detail{"headers": detail{name: "evil"}})
		}
		return unusable("request", requests...)
	}
	const refusedArgument, unusableAction = "a usage error; nothing is sent", "the action is unusable; nothing is sent"
	return []attack{
		{"has the victim pass on a header value with a line break", refusedArgument, argument("find", "q", "x\r\nX-Admin: yes")},
		{"has the victim pass on a header value with a bare line feed", refusedArgument, argument("find", "q", "x\nX-Admin: yes")},
		{"has the victim pass on a header value with NUL", refusedArgument, argument("find", "q", "x\x00")},
		{"has the victim pass on a path segment ..", refusedArgument, argument("show", "id", "..")},
		{"has the victim pass on an empty path segment", refusedArgument, argument("show", "id", "")},
		{"has the victim pass on slashes, a query and a fragment in a path", "they stay in their segment, encoded", func(w *world) {
			w.call("show ../../admin?all=1#x%2f").succeeds()
			w.saw(1, "GET /things/..%2F..%2Fadmin%3Fall%3D1%23x%252f")
		}},
		{"has the victim pass on a template", "it is sent as it is", func(w *world) {
			w.call("create --note {{$password}}").succeeds()
			if seen := w.site.requests("POST /create"); len(seen) != 1 || seen[0].body != `{"note":"{{$password}}"}` {
				w.Errorf("the site saw %q", seen)
			}
		}},
		{"has a token in the environment end the header", "refused; the token is not repeated", func(w *world) {
			w.env["AGENTCTL_TOKEN"] = token + "\r\nX-Admin: yes"
			w.call("create").fails(4, "invalid_token", "no")
			w.nothingSent()
		}},
		{"sets the headers of authority", unusableAction, headers("Authorization", "authorization", "Cookie", "Proxy-Authorization")},
		{"sets the headers that frame a message", unusableAction, headers("Host", "Content-Length", "transfer-encoding", "Connection", "TE", "Trailer", "Upgrade")},
		{"sets headers that only a browser may", unusableAction, headers("Sec-Fetch-Site", "Sec-WebSocket-Key")},
		{"has a line break in the name of a header", unusableAction, headers("X-A\r\nX-Admin", "X-A:", "X A", "")},
		{"has a line break in the value of a header", unusableAction, unusable("request", detail{"headers": detail{"X-A": "x\r\nX-Admin: yes"}}, detail{"headers": detail{"X-A": "\x00"}})},
		{"declares an endpoint elsewhere", unusableAction, unusable(
			"endpoint", "https://elsewhere.example/create", "//elsewhere.example/create", `/\elsewhere.example/create`, `\\elsewhere.example`, ":8443/create",
		)},
		{"declares an endpoint that would be a host behind one slash less", "it stays a path of the site", func(w *world) {
			w.site.change("create", "endpoint", "@elsewhere.example/")
			w.call("create").succeeds()
			w.saw(1, "POST /@elsewhere.example/")
		}},
		{"declares an endpoint that ends the request line", unusableAction, unusable("endpoint", "/create HTTP/1.1\r\nHost: elsewhere.example", "/create x", "/create\n", "/\x00")},
		{"declares an endpoint that climbs", unusableAction, unusable("endpoint", "/../create", "/x/%2e%2e/create")},
		{"declares a method that is two, or a tunnel", unusableAction, unusable("method", "GET /x HTTP/1.1\r\nX", "CONNECT", "POST\r\n", "P OST", "")},
		{"declares a base URL elsewhere", "the actions are unusable; nothing is sent", func(w *world) {
			index := w.site.index()
			index["baseUrl"] = "https://elsewhere.example"
			w.site.on("GET /index", body("application/json", encode(index)))
			w.call("create").is(3, "no")
			w.nothingSent()
		}},
		{"sets a cookie", "it is never sent back", func(w *world) {
			w.site.on("GET /list", status(http.StatusOK, "Set-Cookie", "id=1; Path=/", "Content-Type", "application/json"))
			w.call("list").succeeds()
			w.call("list").succeeds() // aftermath looks for the cookie
			w.saw(2, "GET /list")
		}},
	}
}

// is wants a kind of failure, whatever its code.
func (o *outcome) is(status int, sent string) *outcome {
	o.Helper()
	return o.fails(status, o.fault.Code, sent)
}

// textAttacks put what acts on terminals into every field.
func textAttacks() []attack {
	// described publishes an action that is evil in all its texts.
	described := func(w *world) {
		w.site.change("create", "description", evilText)
		w.site.change("create", "role", evilText)
		w.site.change("create", "params", []detail{
			{"name": "note", "label": evilText, "description": evilText, "example": evilText, "type": detail{
				"type": "string", "title": evilText, "description": evilText, "enum": []string{evilText, "b"}, "default": evilText,
			}},
		})
		w.site.change("create", "example", detail{"input": detail{"note": evilText}, "output": detail{"x": evilText}})
	}
	const clean = "the text arrives without what acts on a terminal"
	return []attack{
		{"describes itself and its actions in escape sequences", clean, func(w *world) {
			described(w)
			index := w.site.index()
			index["name"], index["description"], index["version"] = evilText, evilText, evilText
			index["groups"] = []detail{{"command": []string{"create"}, "description": evilText}}
			w.site.on("GET /index", body("application/json", encode(index)))
			for _, line := range []string{"shop.example", "site show shop.example", "shop.example --help"} {
				w.run(strings.Fields(line)...).succeeds().isClean().shows("evil")
			}
		}},
		{"describes an action and its parameters in escape sequences", clean, func(w *world) {
			described(w)
			w.run("shop.example", "create", "--help").succeeds().isClean().shows("evil")
			w.run("__complete", "shop.example", "create", "--note", "").isClean()
			w.run("__complete", "shop.example", "cr").isClean()
			w.run("shop.example", "create", "--note", "c").isClean()
			w.run("shop.example", "create", "--note", "c", "--json").fails(2, "invalid_arguments", "no")
		}},
		{"names a parameter in escape sequences", "the action is unusable, and said to be so without them", func(w *world) {
			w.site.change("create", "params", []detail{{"name": evilText, "type": detail{"type": "string"}}})
			w.run("shop.example", "create", "--help").isClean()
			w.call("create").fails(3, "param_invalid", "no")
			w.nothingSent()
		}},
		{"names commands in escape sequences", "they are unusable, and shown without", func(w *world) {
			w.site.actions = append(w.site.actions, detail{"command": []string{evilText}, "method": "GET", "endpoint": "/evil"}, detail{
				"command": []string{"..", "evil"}, "method": "GET", "endpoint": "/evil",
			})
			w.run("shop.example").succeeds().isClean()
			w.run("site", "show", "shop.example").succeeds().isClean()
			w.call(evilText).fails(2, "unknown_command", "no")
			w.nothingSent()
		}},
		{"answers with an error in escape sequences", clean, func(w *world) {
			w.site.on("POST /create", errorAnswer(422, detail{"error": detail{"code": evilText, "message": evilText, "details": detail{evilText: evilText}}}))
			w.run("shop.example", "create").isClean().shows("evil")
			w.call("create").is(7, "yes")
		}},
		{"answers with an error page in escape sequences", clean, func(w *world) {
			w.site.on("POST /create", func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Content-Type", "text/html")
				rw.WriteHeader(http.StatusTeapot)
				_, _ = rw.Write([]byte(evilText))
			})
			w.run("shop.example", "create").isClean().shows("evil")
			w.call("create --verbose").fails(7, "http_418", "yes")
		}},
		{"answers a person with markdown full of escape sequences", clean, func(w *world) {
			w.site.on("GET /list", body("text/markdown", "# "+evilText+"\n\n```"+evilText+"\n"+evilText+"\n```\n["+evilText+"](https://x/"+evilText+")"))
			w.screen("", "shop.example", "list").shows("evil")
		}},
		{"answers a person with plain text, JSON and binary", clean, func(w *world) {
			for _, contentType := range []string{"text/plain", "application/json", "application/octet-stream", "image/png", evilText, ""} {
				w.site.on("GET /list", body(contentType, encode(evilText)+evilText))
				w.screen("", "shop.example", "list")
				w.screen("", "shop.example", "list", "-o", "raw")
				w.screen("", "shop.example", "list", "--json")
			}
		}},
		{"has a person ask for a table, YAML or a part of its answer", clean, func(w *world) {
			w.site.on("GET /list", body("application/json", encode([]detail{{evilText: evilText, "a": []string{evilText}}})))
			for _, how := range [][]string{{"-o", "table"}, {"-o", "yaml"}, {"-o", "json"}, {"--jq", ".[].a[]"}, {"--jq", ".[]|error"}} {
				w.screen("", append([]string{"shop.example", "list"}, how...)...)
			}
		}},
		{"has the victim see what is going on", "--verbose is clean", func(w *world) {
			w.site.on("GET /list", redirect(http.StatusFound, "/\u202e\u009b31m"))
			w.call("list --verbose").shows("redirected to")
			w.run("shop.example", "show", evilText, "--verbose").succeeds()
		}},
		{"stands in the audit log in escape sequences", "the log and its listing are clean", func(w *world) {
			described(w)
			w.site.change("create", "endpoint", "/create\u202e")
			w.site.on("POST /create\u202e", errorAnswer(422, detail{"error": detail{"code": evilText, "message": evilText}}))
			w.run("shop.example", "create", "--note", "b", "--json").is(7, "yes")
			w.run("audit", "list").succeeds().isClean().shows("evil")
			w.run("audit", "show", "1").succeeds().isClean().shows("evil")
		}},
		{"names the answer's file itself", "it is written where the victim said, and nowhere else", func(w *world) {
			w.site.on("GET /list", status(http.StatusOK, "Content-Type", "application/json", "Content-Disposition", `attachment; filename="../.bashrc"`))
			w.call("list --save here").succeeds()
			w.read("here")
			w.absent(".bashrc")
			w.absent("../.bashrc")
		}},
	}
}

// schemaAttacks are parameters whose types are meant for the validator.
func schemaAttacks() []attack {
	typed := func(schema any, value string, status int) func(*world) {
		return func(w *world) {
			w.site.change("create", "params", []detail{{"name": "note", "type": schema}})
			w.write("input.json", `{"note":`+value+`}`)
			w.call("create --input input.json").is(status, "no")
			w.nothingSent()
		}
	}
	doubling := detail{"a0": detail{"type": "integer"}}
	for i := range 40 {
		last := detail{"$ref": fmt.Sprintf("#/$defs/a%d", i)}
		doubling[fmt.Sprintf("a%d", i+1)] = detail{"anyOf": []any{last, last}}
	}
	return []attack{
		{"refers to a schema elsewhere", "nothing is fetched; the action is unusable", typed(detail{"$ref": "https://elsewhere.example/schema.json"}, `"x"`, 3)},
		{"refers to a schema in a file", "no file is read; the action is unusable", typed(detail{"$ref": "file:///etc/passwd"}, `"x"`, 3)},
		{"declares a pattern that takes for ever", "the argument is refused in bounded time", typed(
			detail{"type": "string", "pattern": `^(?=a)(([a-z])+.)+[A-Z]([a-z])+$`}, `"`+strings.Repeat("a", 60)+`"`, 2)},
		{"declares a schema that is its own part", "bounded; nothing is sent", typed(detail{"allOf": []any{detail{"$ref": "#"}}}, `"x"`, 3)},
		{"declares a schema that doubles at each step", "the action is unusable; nothing is sent", typed(
			detail{"$defs": doubling, "$ref": "#/$defs/a40"}, `"x"`, 3)},
		{"has the victim pass on a number of a million digits", "refused", typed(detail{"type": "number"}, strings.Repeat("9", 1_000_000), 2)},
	}
}
