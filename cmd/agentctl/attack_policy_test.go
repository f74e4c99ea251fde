package main

import (
	"encoding/json"
	"os"
	"strings"
)

// policyAttacks want the rules of the victim to be missing, misread, or outrun.
func policyAttacks() []attack {
	// broken has rules that cannot be understood.
	broken := func(rules string) func(*world) {
		return func(w *world) {
			w.write("config/policy.toml", rules)
			w.call("create").fails(1, "policy_invalid", "no").shows("policy.toml")
			w.call("list").fails(1, "policy_invalid", "no")
			w.nothingSent()
		}
	}
	limit := func(amount string) string {
		return "[[rule]]\nmax_amount = \"" + amount + "\"\ncurrency = \"credits\"\nper = \"day\"\ndecision = \"allow\"\n"
	}
	const refused = "an error that names the file; nothing is sent, not even a read"
	return []attack{
		{"breaks the syntax of the rules", refused, broken("[[rule]\ndecision = ")},
		{"misspells a member of a rule", refused, broken("[[rule]]\nefect = \"spend\"\ndecision = \"deny\"\n")},
		{"misspells a decision", refused, broken("[[rule]]\ndecision = \"denied\"\n")},
		{"writes a limit as a float", refused, broken("[[rule]]\nmax_amount = 9.0\ncurrency = \"credits\"\ndecision = \"allow\"\n")},
		{"writes a limit below nothing", refused, broken(limit("-9"))},
		{"puts junk in place of the rules", refused, broken("\x00\xff\x1b]0;owned\x07" + evilText)},
		{"puts a directory in place of the rules", refused, func(w *world) {
			w.must(os.MkdirAll(w.path("config/policy.toml"), 0o700))
			w.call("create").fails(1, "policy_invalid", "no")
			w.nothingSent()
		}},
		{"lets everybody write the rules", "refused, with the command that mends it", func(w *world) {
			w.write("config/policy.toml", "[[rule]]\ndecision = \"allow\"\n")
			w.must(os.Chmod(w.path("config/policy.toml"), 0o666))
			w.call("pay").fails(1, "policy_invalid", "no").shows("chmod o-w")
			w.nothingSent()
		}},
		{"gets round a rule that denies, with --yes, a digest, a rule that allows, or another port", "denied", func(w *world) {
			digest := w.offer("pay")
			w.write("config/policy.toml", "[[rule]]\ndecision = \"allow\"\n[[rule]]\nsite = \"shop.example\"\neffect = \"spend\"\ndecision = \"deny\"\n")
			w.call("pay").fails(6, "policy_denied", "no")
			w.call("pay --yes").fails(6, "policy_denied", "no")
			w.call("pay --approve "+digest).fails(6, "policy_denied", "no")
			w.otherMay = true
			w.run("shop.example:8443", "pay", "--json", "--yes").fails(6, "policy_denied", "no")
			w.nothingSent()
			if len(w.other.requests("POST")) > 0 {
				w.Error("the other port got the request")
			}
		}},
		{"outruns a limit with ten processes at once", "what is sent fits the limit", func(w *world) {
			w.write("config/policy.toml", limit("30"))
			if n := w.atOnce("pay", 5); n != 3 {
				w.Errorf("%d calls of 9 credits passed a limit of 30", n)
			}
			w.saw(3, "POST /pay")
		}},
		{"names amounts that slip through a limit", "what is no plain amount does not fit any limit", func(w *world) {
			w.write("config/policy.toml", limit("100"))
			for _, amount := range []any{-5, json.RawMessage("-0"), json.RawMessage("1e-400"), json.RawMessage("9e2"), "0x1", "١", "1,000", "", nil, true, strings.Repeat("9", 400)} {
				w.site.change("pay", "payment", detail{"mode": "fixed", "amount": amount})
				w.call("pay").is(5, "no")
			}
			w.nothingSent()
		}},
		{"damages the record of what was spent", "a limit cannot be held, so nothing is sent", func(w *world) {
			w.write("config/policy.toml", limit("100"))
			for _, record := range []string{"{", "null", `{"version":1,"spent":[{"amount":"-50"}]}`, `{"version":9}`, ""} {
				w.write("state/spending.json", record)
				w.call("pay").fails(1, "state_damaged", "no").shows("spending.json")
			}
			w.nothingSent()
		}},
		{"fails a call that was paid for, so that the money comes back", "it stays counted unless it was certainly not sent", func(w *world) {
			w.write("config/policy.toml", limit("10"))
			w.site.on("POST /pay", abort)
			w.call("pay").fails(8, "connection_reset", "unknown")
			w.call("pay").fails(5, "approval_required", "no")
			w.saw(1, "POST /pay")
		}},
	}
}
