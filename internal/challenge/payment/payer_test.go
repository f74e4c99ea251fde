package payment_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// clock is the time of the tests.
func clock() time.Time { return time.Date(2026, 9, 1, 10, 0, 0, 0, time.UTC) }

// payerMode makes the test program a payer that behaves in some way.
const (
	payerMode = "AGENTCTL_TEST_PAYER"
	payerLog  = "AGENTCTL_TEST_PAYER_LOG"
)

func TestMain(m *testing.M) {
	mode := os.Getenv(payerMode)
	if mode == "" {
		os.Exit(m.Run())
	}
	input, _ := io.ReadAll(os.Stdin)
	f, err := os.OpenFile(os.Getenv(payerLog), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(input)
		_ = f.Close()
	}
	if err != nil {
		panic(err)
	}
	os.Exit(behave(mode, input))
}

// asked is what a payer reads.
type asked struct {
	Protocol   string            `json:"protocol"`
	Version    int               `json:"x402_version"`
	Request    map[string]string `json:"request"`
	Challenge  map[string]string `json:"challenge"`
	Required   map[string]any    `json:"required"`
	Chosen     map[string]any    `json:"chosen"`
	Extensions map[string]any    `json:"extensions"`
	Approved   map[string]string `json:"approved"`
}

// behave is the payer. A mode is a word, or OLD=>NEW, which changes the text of a good answer; "ready " before it has the answer
// be a header that is ready made.
func behave(mode string, input []byte) int {
	say := func(text string) int { fmt.Print(text); return 0 }
	switch mode {
	case "declines":
		fmt.Fprint(os.Stderr, "not today\x1b[31m")
		return 10
	case "fails":
		fmt.Fprint(os.Stderr, "no money")
		return 3
	case "hangs":
		time.Sleep(time.Hour)
	case "hangs in a child":
		child, err := os.StartProcess(os.Args[0], os.Args, &os.ProcAttr{
			Env: []string{payerMode + "=hangs", payerLog + "=" + os.Getenv(payerLog)}, Files: []*os.File{nil, os.Stdout, os.Stderr},
		})
		if err != nil {
			return 1
		}
		_, _ = child.Wait()
	case "prints nothing":
		return 0
	case "prints junk":
		return say("paid, thanks!")
	case "prints a list":
		return say("[]")
	case "prints too much":
		return say(`{"payload":{"proof":"` + strings.Repeat("x", 80<<10) + `"}}`)
	case "prints depth":
		return say(`{"payload":{"proof":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}}`)
	case "prints two objects":
		return say(`{"payload":{"proof":"a"}} {"payload":{"proof":"b"}}`)
	case "repeats a member":
		return say(`{"payload":{"proof":"a"},"payload":{"proof":"b"}}`)
	}
	var a asked
	if err := json.Unmarshal(input, &a); err != nil {
		return 1
	}
	payload := goodPayload(&a)
	edits, ready := strings.CutPrefix(mode, "ready")
	var answer string
	if ready {
		answer = compact(readyDoc(&a, payload))
	} else {
		answer = compact(map[string]any{"payload": payload})
	}
	edits = strings.TrimSpace(strings.TrimPrefix(edits, "good"))
	if old, to, found := strings.Cut(edits, "=>"); found && !strings.HasPrefix(edits, "header ") {
		if !strings.Contains(answer, old) {
			fmt.Fprint(os.Stderr, "the row changes nothing: "+answer)
			return 99
		}
		answer = strings.ReplaceAll(answer, old, to)
	}
	if ready {
		answer = readyAnswer(&a, answer, edits)
	}
	return say(answer)
}

func goodPayload(a *asked) map[string]any {
	if a.Protocol == "mpp" {
		return map[string]any{"proof": "pf_31"}
	}
	amount := a.Chosen["amount"]
	if a.Version == 1 {
		amount = a.Chosen["maxAmountRequired"]
	}
	return map[string]any{"signature": "0x1234", "authorization": map[string]any{
		"from": "0x857b06519E91e3A54538791bDbb0E22373e36b66", "to": a.Chosen["payTo"], "value": amount, "validAfter": "0",
		"validBefore": fmt.Sprint(clock().Unix() + 60), "nonce": "0x" + strings.Repeat("0f", 32),
	}}
}

// readyDoc is the JSON of a header that is ready made.
func readyDoc(a *asked, payload map[string]any) map[string]any {
	switch {
	case a.Protocol == "mpp":
		return map[string]any{"challenge": a.Challenge, "payload": payload}
	case a.Version == 1:
		return map[string]any{"x402Version": 1, "scheme": a.Chosen["scheme"], "network": a.Chosen["network"], "payload": payload}
	}
	doc := map[string]any{"x402Version": 2, "resource": a.Required["resource"], "accepted": a.Chosen, "payload": payload}
	if a.Extensions != nil {
		doc["extensions"] = a.Extensions
	}
	return doc
}

// readyAnswer puts the header's JSON into an answer. "header OLD=>NEW" changes the answer around it.
func readyAnswer(a *asked, doc, edits string) string {
	header := map[string]string{"name": "PAYMENT-SIGNATURE", "value": base64.StdEncoding.EncodeToString([]byte(doc))}
	switch {
	case a.Protocol == "mpp":
		header = map[string]string{"name": "Authorization", "value": "Payment " + base64.RawURLEncoding.EncodeToString([]byte(doc))}
	case a.Version == 1:
		header["name"] = "X-PAYMENT"
	}
	answer := compact(map[string]any{"header": header})
	if rest, is := strings.CutPrefix(edits, "header "); is {
		old, to, _ := strings.Cut(rest, "=>")
		answer = change(answer, old, to)
	}
	return answer
}
