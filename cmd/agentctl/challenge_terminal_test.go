//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentctl/agentctl/internal/aep/aeptest"
)

// TestClaimsAreAskedAboutOneByOne enrols at a terminal: a claim that the site must have is asked for, one that it may be told
// can be left out, and all that is sent is shown before the yes.
func TestClaimsAreAskedAboutOneByOne(t *testing.T) {
	bin := buildPrograms(t)
	for name, row := range map[string]struct {
		answers []string
		status  int
		claims  string
	}{
		"with both":            {[]string{"ada@example.com\n", "ada\n", "y\n"}, 0, `{"contact.email":"ada@example.com","person.username":"ada"}`},
		"with the required":    {[]string{"ada@example.com\n", "\n", "y\n"}, 0, `{"contact.email":"ada@example.com"}`},
		"without the required": {[]string{"\n", "\n"}, 2, ""},
		"without a yes":        {[]string{"ada@example.com\n", "\n", "n\n"}, 5, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChallenger(t, bin, tls.VersionTLS13, tls.VersionTLS13)
			service := aeptest.NewService(c.world, "shop.example")
			service.Before = serveManifest
			var document []byte
			c.world.Handle("agents.example", http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write(document) }))
			made := c.agentctl("aep", "document", "shop.example", "--below", "did:web:agents.example").is(0, "")
			c.world.Between(func() { document = []byte(made.stdout) })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(bin, "agentctl"), "aep", "enroll", "shop.example")
			for name, value := range c.env {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			screen, status, err := onTerminal(cmd, typed{answers: row.answers}, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if status != row.status || !bytes.Contains(screen, []byte("must know your contact.email")) {
				t.Errorf("exit %d, want %d:\n%s", status, row.status, screen)
			}
			if asked := bytes.Contains(screen, []byte("note:    it tells the site who you are")); asked != (len(row.answers) == 3) || bytes.Contains(screen, []byte("the site says")) {
				t.Errorf("words of ours are not told as such:\n%s", screen)
			}
			agent := agentOf(t, c)
			if claims, _ := service.Enrolled(agent); claims != row.claims {
				t.Errorf("the Service was told %s, want %s\n%s", claims, row.claims, screen)
			}
		})
	}
}

// TestAPaymentIsAskedAboutInPeace has a site take its time: what shows that is gone when the person is asked, and is not painted over
// the question or over what is told of the payment. An argument that is a secret is not in the URL that is shown.
func TestAPaymentIsAskedAboutInPeace(t *testing.T) {
	bin := buildPrograms(t)
	c := newChallenger(t, bin, tls.VersionTLS13, tls.VersionTLS13)
	c.world.Handle("shop.example", http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/interagentic/services/hold.json" {
			out.Header().Set("Content-Type", "application/json")
			_, _ = out.Write([]byte(`{"command": ["hold"], "endpoint": "/holds", "method": "GET", "description": "Look at holds", "request": {"query": {"pin": "{{$pin}}"}},
 "params": [{"name": "pin", "required": true, "type": {"type": "string", "format": "password"}}]}`))
			return
		}
		if serveManifest(out, r) {
			return
		}
		time.Sleep(time.Second) // longer than a spinner keeps away
		if r.Header.Get("Authorization") == "" {
			demandPayment(out)
			return
		}
		_, _ = out.Write([]byte("held"))
	}))
	c.payable("ask")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "agentctl"), "shop.example", "hold", "--pin", "s3cr3t")
	c.env["TERM"] = "xterm"
	for name, value := range c.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	screen, status, err := onTerminal(cmd, typed{answers: []string{"y\n"}}, time.Minute)
	if err != nil || status != 0 {
		t.Fatalf("exit %d, %v:\n%s", status, err, screen)
	}
	if bytes.Contains(screen, []byte("s3cr3t")) || !bytes.Contains(screen, []byte("/holds?pin=<redacted>")) {
		t.Errorf("the secret is shown:\n%q", screen)
	}
	const cleared = "\r\x1b[K"
	for _, words := range []string{"shop.example wants to be paid.", "paid; agentctl receipts show"} {
		if !bytes.Contains(screen, []byte(cleared+words)) {
			t.Errorf("%q does not stand in a line of its own:\n%q", words, screen)
		}
	}
	if _, question, _ := bytes.Cut(screen, []byte("wants to be paid.")); bytes.Contains(question[:bytes.Index(question, []byte("paying 250"))], []byte(cleared)) {
		t.Errorf("something is painted over the question:\n%q", screen)
	}
}

// TestAPaymentIsCutOff ends the program while the site is busy with a payment, by Ctrl-C and by what ends programs else, such as the
// terminal that goes away: that nobody knows what came of it is said, and kept.
func TestAPaymentIsCutOff(t *testing.T) {
	bin := buildPrograms(t)
	for name, signal := range map[string]os.Signal{"Ctrl-C": os.Interrupt, "kill": syscall.SIGTERM, "closed terminal": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChallenger(t, bin, tls.VersionTLS13, tls.VersionTLS13)
			paid, released := make(chan struct{}), make(chan struct{})
			defer close(released)
			c.world.Handle("shop.example", http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				switch {
				case serveManifest(out, r):
				case r.Header.Get("Authorization") == "":
					demandPayment(out)
				default:
					close(paid)
					<-released
				}
			}))
			c.payable("allow")
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(bin, "agentctl"), "shop.example", "hold", "--json")
			for name, value := range c.env {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-paid
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if status := cmd.ProcessState.ExitCode(); status != 130 || !bytes.Contains(stderr.Bytes(), []byte(`"kind":"interrupted","code":"payment_outcome_unknown"`)) {
				t.Errorf("exit %d: %s", status, &stderr)
			}
			c.agentctl("receipts", "list", "--json").is(0, "").shows(`"state":"unknown"`)
			c.agentctl("audit", "list", "--json").is(0, "").shows(`"code":"payment_outcome_unknown"`)
		})
	}
}

// TestAPaidAnswerBreaksOff is told with the payment that was made for it, so that nobody pays again unawares.
func TestAPaidAnswerBreaksOff(t *testing.T) {
	c := newChallenger(t, buildPrograms(t), tls.VersionTLS13, tls.VersionTLS13)
	c.world.Handle("shop.example", http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		switch {
		case serveManifest(out, r):
		case r.Header.Get("Authorization") == "":
			demandPayment(out)
		default:
			out.Header().Set("Content-Length", "1000")
			_, _ = out.Write([]byte("held"))
		}
	}))
	c.payable("allow")
	c.agentctl("shop.example", "hold", "--json").is(8, "connection_reset").shows(`"sent":"yes"`).shows(`"paid":{`).shows("agentctl receipts show pay_")
}

// demandPayment answers with a challenge of MPP for 250 usd.
func demandPayment(out http.ResponseWriter) {
	out.Header().Set("Www-Authenticate", `Payment id="c-1", realm="shop.example", method="example", intent="charge", request="`+
		base64.RawURLEncoding.EncodeToString([]byte(`{"amount":"250","currency":"usd","recipient":"acct_7"}`))+`"`)
	out.WriteHeader(http.StatusPaymentRequired)
}

// payable has the person allow what [demandPayment] wants, or be asked about it, and configure a payer for it.
func (c *challenger) payable(decision string) {
	c.Helper()
	c.write("config/policy.toml", "[[payment]]\nsite = \"shop.example\"\nprotocol = \"mpp\"\nnetwork = \"example\"\nasset = \"usd\"\nmax_amount = \"250\"\ndecision = \""+decision+"\"\n")
	c.write("config/payer.toml", "[[payer]]\nname = \"purse\"\ncommand = [\"sh\", \"-c\", \"cat >/dev/null; echo '{\\\"payload\\\":{\\\"proof\\\":\\\"p\\\"}}'\"]\nnetworks = [\"example\"]\n")
}

// TestAnApprovalIsForOneCommandOfAEP wants the digest of a grant and of an enrolment to cover all that is sent.
func TestAnApprovalIsForOneCommandOfAEP(t *testing.T) {
	c := newChallenger(t, buildPrograms(t), tls.VersionTLS13, tls.VersionTLS13)
	service := aeptest.NewService(c.world, "shop.example")
	service.Before = serveManifest
	var document []byte
	c.world.Handle("agents.example", http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write(document) }))
	agent := func() {
		made := c.agentctl("aep", "document", "shop.example", "--below", "did:web:agents.example").is(0, "")
		c.world.Between(func() { document = []byte(made.stdout) })
	}
	digest := func(o *told) string {
		return strings.Trim(string(o.is(5, "approval_required").fault.Details["approval"]), `"`)
	}
	c.write("config/policy.toml", "[[rule]]\ndecision = \"ask\"\n")
	enroll := []string{"aep", "enroll", "shop.example", "--claim", "contact.email=ada@example.com", "--json"}

	agent()
	first := digest(c.agentctl(enroll...))
	c.agentctl("aep", "forget", "shop.example", "--yes").is(0, "")
	agent() // another one
	c.agentctl(append(enroll, "--approve", first)...).is(5, "approval_mismatch")
	c.agentctl(append(enroll, "--approve", digest(c.agentctl(enroll...)))...).is(0, "")

	grant := func(label string, more ...string) *told {
		return c.agentctl(append([]string{"aep", "grant", "shop.example", "api-key", "--json", "--label", label}, more...)...)
	}
	laptop := digest(grant("laptop"))
	grant("phone", "--approve", laptop).is(5, "approval_mismatch")
	grant("laptop", "--approve", laptop).is(0, "")
}

// TestSignInThenPay wants both: the sign-in comes first, the payment after it, and with the payment an assertion of its own
// (CO-1, CO-2, AEP-29, AEP-30).
func TestSignInThenPay(t *testing.T) {
	bin := buildPrograms(t)
	c := newChallenger(t, bin, tls.VersionTLS13, tls.VersionTLS13)
	service := aeptest.NewService(c.world, "shop.example")
	var document []byte
	var shown []http.Header
	c.world.Handle("agents.example", http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write(document) }))
	service.Before = func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/rent" {
			return serveManifest(out, r)
		}
		shown = append(shown, r.Header.Clone())
		switch {
		case r.Header.Get("Aep-Authorization") == "":
			return false // the Service's own challenge
		case r.Header.Get("Authorization") == "":
			demandPayment(out)
		default:
			out.Header().Set("Content-Type", "application/json")
			_, _ = out.Write([]byte(`{"rented":true}`))
		}
		return true
	}
	c.payable("allow")
	made := c.agentctl("aep", "document", "shop.example", "--below", "did:web:agents.example").is(0, "")
	c.world.Between(func() { document = []byte(made.stdout) })
	c.agentctl("aep", "enroll", "shop.example", "--claim", "contact.email=ada@example.com", "--yes").is(0, "")

	c.agentctl("shop.example", "rent", "boat", "--json").is(0, "").shows(`{"rented":true}`).shows("paying 250 base units of usd")
	c.world.Between(func() {
		if len(shown) != 3 {
			t.Fatalf("%d requests: %v", len(shown), shown)
		}
		first, second, third := shown[0], shown[1], shown[2]
		if first.Get("Authorization") != "" || first.Get("Aep-Authorization") != "" || second.Get("Authorization") != "" ||
			!strings.HasPrefix(second.Get("Aep-Authorization"), "AEP ") || !strings.HasPrefix(third.Get("Authorization"), "Payment ") ||
			!strings.HasPrefix(third.Get("Aep-Authorization"), "AEP ") || second.Get("Aep-Authorization") == third.Get("Aep-Authorization") {
			t.Errorf("the requests carry\n%v\n%v\n%v", first, second, third)
		}
	})
	c.agentctl("receipts", "list", "--json").is(0, "").shows(`"state":"paid"`).shows(`"amount":"250"`)
	c.agentctl("doctor", "shop.example").shows("challenge aep").shows("challenge mpp").shows("paid by purse")
}
