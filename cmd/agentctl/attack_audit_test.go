package main

import (
	"net/http"
	"os"
	"strings"
)

// auditAttacks want a call to leave no trace, or to change the traces.
func auditAttacks() []attack {
	// unlogged takes away the log's place.
	unlogged := func(prepare func(w *world)) func(*world) {
		return func(w *world) {
			w.must(os.MkdirAll(w.path("state"), 0o700))
			prepare(w)
			w.call("create").fails(1, "audit_failed", "no")
			w.nothingSent()
			w.call("list").succeeds() // reading is not logged
		}
	}
	// tampered makes three calls, changes the log, and wants verify to name the line.
	tampered := func(line string, change func(lines []string) []string) func(*world) {
		return func(w *world) {
			for range 3 {
				w.call("create").succeeds()
			}
			w.run("audit", "verify").succeeds()
			lines := strings.SplitAfter(w.read("state/audit/audit.jsonl"), "\n")
			w.write("state/audit/audit.jsonl", strings.Join(change(lines), ""))
			w.run("audit", "verify", "--json").is(1, "no").shows("audit.jsonl:" + line)
		}
	}
	const noTrace, named = "what cannot be logged is not sent", "verify names the first line that does not hold"
	return []attack{
		{"puts a file in place of the log", noTrace, unlogged(func(w *world) { w.write("state/audit", "") })},
		{"puts a directory in place of the log's file", noTrace, unlogged(func(w *world) { w.must(os.MkdirAll(w.path("state/audit/audit.jsonl"), 0o700)) })},
		{"puts a device in place of the log's file", noTrace, unlogged(func(w *world) {
			w.must(os.MkdirAll(w.path("state/audit"), 0o700))
			w.must(os.Symlink("/dev/full", w.path("state/audit/audit.jsonl")))
		})},
		{"fills the disk", noTrace, func(w *world) {
			w.finish(w.command("sh", "-c", `trap "" XFSZ; ulimit -f 0; exec agentctl shop.example create --json`)).fails(1, "audit_failed", "no")
			w.nothingSent()
			w.call("create").succeeds() // once there is room again
			w.run("audit", "verify").succeeds()
		}},
		{"changes a line of the log", named, tampered("3", func(lines []string) []string {
			lines[2] = strings.Replace(lines[2], `"create"`, `"delete"`, 1)
			return lines
		})},
		{"takes a call out of the log", named, tampered("3", func(lines []string) []string { return append(lines[:2], lines[4:]...) })},
		{"puts a line twice into the log", named, tampered("3", func(lines []string) []string {
			return append([]string{lines[0], lines[1], lines[1]}, lines[2:]...)
		})},
		{"changes the order of the log", named, tampered("1", func(lines []string) []string {
			lines[0], lines[2] = lines[2], lines[0]
			return lines
		})},
		{"puts junk at the end of the log", "the next call is not sent, and the log is not repaired in silence", func(w *world) {
			w.call("create").succeeds()
			w.write("state/audit/audit.jsonl", w.read("state/audit/audit.jsonl")+evilText+"\n")
			w.call("create").fails(1, "audit_failed", "no")
			w.saw(1, "POST /create")
		}},
		{"kills the program in the middle of a call", "the log has the call, with an outcome that is not known", func(w *world) {
			begun := make(chan struct{})
			w.site.on("POST /create", func(_ http.ResponseWriter, r *http.Request) {
				close(begun)
				<-r.Context().Done()
			})
			cmd := w.command("agentctl", "shop.example", "create")
			w.must(cmd.Start())
			<-begun
			w.must(cmd.Process.Kill())
			_ = cmd.Wait()
			w.run("audit", "list").succeeds().shows("unknown: it was cut off")
			w.run("audit", "verify").succeeds()
		}},
	}
}
