package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// The key of number one: its address is known everywhere.
const (
	testKey     = "0000000000000000000000000000000000000000000000000000000000000001"
	testAddress = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
)

func keyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(testKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func runPayer(input string, args ...string) (status int, out, errors string) {
	var stdout, stderr bytes.Buffer
	now := func() time.Time { return time.Unix(1_790_000_000, 0) }
	status = run(args, environment{In: strings.NewReader(input), Out: &stdout, Err: &stderr, Now: now})
	return status, stdout.String(), stderr.String()
}

// The hash by which the USDC contract on Ethereum tells its own signatures apart (its DOMAIN_SEPARATOR), and the type hash that
// EIP-3009 states.
func TestHashesAreThoseOfThePublishedContracts(t *testing.T) {
	domain, err := domainHash("USD Coin", "2", 1, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hex.EncodeToString(domain), "06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335"; got != want {
		t.Errorf("domain: %s, want %s", got, want)
	}
	kind := keccak([]byte("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"))
	if got, want := hex.EncodeToString(kind), "7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267"; got != want {
		t.Errorf("type: %s, want %s", got, want)
	}
}

func TestAddress(t *testing.T) {
	status, out, _ := runPayer("", "--key", keyFile(t), "--address")
	if status != 0 || strings.TrimSpace(out) != testAddress {
		t.Errorf("%d, %q", status, out)
	}
}

func TestKeyIsMadeForItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	_, first, _ := runPayer("", "--key", path, "--address")
	_, second, _ := runPayer("", "--key", path, "--address")
	if len(first) != len(testAddress)+1 || first != second {
		t.Errorf("%q, then %q", first, second)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestKeysThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "short": "00ff", "zero": strings.Repeat("0", 64), "too large": strings.Repeat("f", 64), "no digits": strings.Repeat("x", 64),
	} {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, out, _ := runPayer("", "--key", path, "--address"); status != exitFailed || out != "" {
			t.Errorf("%s: %d, %q", name, status, out)
		}
	}
}

const goodX402 = `{"agentctl_payer":"1","protocol":"x402","x402_version":2,
 "chosen":{"scheme":"exact","network":"eip155:84532","amount":"2500","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  "payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"extra":{"name":"USDC","version":"2"}},
 "approved":{"amount":"2500","currency":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","payee":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","network":"eip155:84532"}}`

const goodMPP = `{"agentctl_payer":"1","protocol":"mpp","challenge":{"id":"c-81","realm":"shop.example","method":"example","intent":"charge","request":"eyJ9"},
 "decoded":{"amount":"250","currency":"usd","recipient":"acct_7"},"approved":{"amount":"250","currency":"usd","payee":"acct_7"}}`

func TestX402IsSignedByTheKey(t *testing.T) {
	status, out, errs := runPayer(goodX402, "--key", keyFile(t))
	var said struct{ Payload payloadX402 }
	if err := json.Unmarshal([]byte(out), &said); status != 0 || err != nil {
		t.Fatalf("%d, %v, %q, %s", status, err, out, errs)
	}
	a := said.Payload.Authorization
	if a.From != testAddress || a.To != "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" || a.Value != "2500" || a.ValidBefore != "1790000060" {
		t.Errorf("%+v", a)
	}
	hash, err := a.hash("USDC", "2", 84532, "0x036CbD53842c5426634e7929541eC2318f3dCF7e")
	if err != nil {
		t.Fatal(err)
	}
	if got := signer(t, hash, said.Payload.Signature[2:]); got != testAddress {
		t.Errorf("signed by %s", got)
	}
	_, again, _ := runPayer(goodX402, "--key", keyFile(t))
	if again == out {
		t.Error("the nonce does not change")
	}
}

func TestMPPIsSignedByTheKey(t *testing.T) {
	status, out, errs := runPayer(goodMPP, "--key", keyFile(t))
	var said struct {
		Payload struct{ Proof string }
		Source  string
	}
	if err := json.Unmarshal([]byte(out), &said); status != 0 || err != nil {
		t.Fatalf("%d, %v, %q, %s", status, err, out, errs)
	}
	hash := exampleHash(map[string]string{"id": "c-81", "realm": "shop.example", "request": "eyJ9"})
	if got := signer(t, hash, said.Payload.Proof); got != testAddress || !strings.HasSuffix(said.Source, testAddress) {
		t.Errorf("signed by %s for %s", got, said.Source)
	}
}

// signer recovers who signed a hash.
func signer(t *testing.T, hash []byte, signature string) string {
	t.Helper()
	raw, err := hex.DecodeString(signature)
	if err != nil || len(raw) != 65 {
		t.Fatalf("%q: %v", signature, err)
	}
	public, _, err := ecdsa.RecoverCompact(append(raw[64:], raw[:64]...), hash)
	if err != nil {
		t.Fatal(err)
	}
	return "0x" + hex.EncodeToString(keccak(public.SerializeUncompressed()[1:])[12:])
}

func TestWhatIsRefused(t *testing.T) {
	tests := []struct {
		name, request, old, new string
		status                  int
	}{
		{"a network with real money", goodX402, `"network":"eip155:84532","amount"`, `"network":"eip155:8453","amount"`, exitDeclined},
		{"another scheme", goodX402, `"exact"`, `"upto"`, exitDeclined},
		{"Permit2", goodX402, `"version":"2"}`, `"version":"2","assetTransferMethod":"permit2"}`, exitDeclined},
		{"an amount that was not approved", goodX402, `"approved":{"amount":"2500"`, `"approved":{"amount":"2499"`, exitDeclined},
		{"a payee that was not approved", goodX402, `"payee":"0x2`, `"payee":"0x3`, exitDeclined},
		{"a token that was not approved", goodX402, `"currency":"0x0`, `"currency":"0x1`, exitDeclined},
		{"a token without a domain", goodX402, `"name":"USDC",`, ``, exitDeclined},
		{"patience without end", goodX402, `"maxTimeoutSeconds":60`, `"maxTimeoutSeconds":99999999`, exitDeclined},
		{"version 1 with the amount of version 2", goodX402, `"x402_version":2`, `"x402_version":1`, exitDeclined},
		{"another method", goodMPP, `"method":"example"`, `"method":"stripe"`, exitDeclined},
		{"another intent", goodMPP, `"charge"`, `"session"`, exitDeclined},
		{"an amount of MPP that was not approved", goodMPP, `"decoded":{"amount":"250"`, `"decoded":{"amount":"251"`, exitDeclined},
		{"another protocol", goodMPP, `"protocol":"mpp"`, `"protocol":"cash"`, exitDeclined},
		{"another version of the contract", goodMPP, `"agentctl_payer":"1"`, `"agentctl_payer":"2"`, exitFailed},
		{"no JSON", goodMPP, `{"agentctl_payer"`, `agentctl_payer`, exitFailed},
	}
	path := keyFile(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.request, test.old) {
				t.Fatal("the row changes nothing")
			}
			status, out, errs := runPayer(strings.Replace(test.request, test.old, test.new, 1), "--key", path)
			if status != test.status || out != "" || errs == "" {
				t.Errorf("%d, %q, %q", status, out, errs)
			}
		})
	}
}

func FuzzPay(f *testing.F) {
	f.Add(goodX402)
	f.Add(goodMPP)
	path := filepath.Join(f.TempDir(), "key")
	if err := os.WriteFile(path, []byte(testKey), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input string) {
		status, out, _ := runPayer(input, "--key", path)
		if (status == exitPaid) != json.Valid([]byte(out)) {
			t.Errorf("%d, %q", status, out)
		}
	})
}
