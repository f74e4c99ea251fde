package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"
)

// What the paywall of a script's site wants its money in, and who gets it. It moves nowhere: the network is a test network,
// and nobody is asked whether the account has any.
const (
	paywallAsset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	paywallPayee = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
	paywallChain = 84532
)

// paywall serves a request that carries a payment, and no other. It verifies each as a service would: who signed, what, until
// when, for which challenge, and that it was not used before.
type paywall struct {
	mu   sync.Mutex
	used map[string]bool
}

// admit looks at a request for what costs a price, "x402-1 2500", "x402-2 2500" or "mpp 250". It writes the demand where the
// payment is missing or wrong, and the receipt where it is right.
func (p *paywall) admit(w http.ResponseWriter, r *http.Request, price string, body []byte) bool {
	kind, amount, _ := strings.Cut(price, " ")
	if kind == "mpp" {
		return p.admitMPP(w, r, amount, body)
	}
	version, field, receipt := 2, "PAYMENT-SIGNATURE", "PAYMENT-RESPONSE"
	if kind == "x402-1" {
		version, field, receipt = 1, "X-PAYMENT", "X-PAYMENT-RESPONSE"
	}
	wants := x402Requirement(version, amount, "https://"+r.Host+r.URL.Path)
	why := errors.New("payment required")
	if value := r.Header.Get(field); value != "" {
		payer, err := p.verifyX402(version, wants, value)
		if err == nil {
			settled, _ := json.Marshal(map[string]any{"success": true, "transaction": "0x" + strings.Repeat("ab", 32), "network": wants["network"], "payer": payer})
			w.Header().Set(receipt, base64.StdEncoding.EncodeToString(settled))
			return true
		}
		why = err
		failed, _ := json.Marshal(map[string]any{"success": false, "transaction": "", "network": wants["network"], "errorReason": err.Error()})
		w.Header().Set(receipt, base64.StdEncoding.EncodeToString(failed))
	}
	doc := map[string]any{"x402Version": version, "error": why.Error(), "accepts": []any{wants}}
	if version == 2 {
		doc["resource"] = map[string]any{"url": "https://" + r.Host + r.URL.Path}
	}
	text, _ := json.Marshal(doc)
	if version == 2 {
		w.Header().Set("PAYMENT-REQUIRED", base64.StdEncoding.EncodeToString(text))
		text = []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusPaymentRequired)
	_, _ = w.Write(text)
	return false
}

func x402Requirement(version int, amount, resource string) map[string]any {
	wants := map[string]any{
		"scheme": "exact", "network": fmt.Sprintf("eip155:%d", paywallChain), "amount": amount, "asset": paywallAsset, "payTo": paywallPayee,
		"maxTimeoutSeconds": float64(60), "extra": map[string]any{"name": "USDC", "version": "2"},
	}
	if version == 1 {
		delete(wants, "amount")
		wants["maxAmountRequired"], wants["network"], wants["resource"], wants["description"] = amount, "base-sepolia", resource, "rent"
		wants["mimeType"] = "application/json"
	}
	return wants
}

// verifyX402 returns who signed.
func (p *paywall) verifyX402(version int, wants map[string]any, value string) (payer string, err error) {
	text, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return "", errors.New("invalid_payload")
	}
	var doc struct {
		Version  int            `json:"x402Version"`
		Accepted map[string]any `json:"accepted"`
		Scheme   string         `json:"scheme"`
		Network  string         `json:"network"`
		Payload  struct {
			Signature     string
			Authorization struct{ From, To, Value, ValidAfter, ValidBefore, Nonce string }
		} `json:"payload"`
	}
	if err := json.Unmarshal(text, &doc); err != nil || doc.Version != version {
		return "", errors.New("invalid_x402_version")
	}
	if version == 2 && !reflect.DeepEqual(doc.Accepted, wants) || version == 1 && (doc.Scheme != wants["scheme"] || doc.Network != wants["network"]) {
		return "", errors.New("invalid_payment_requirements")
	}
	amount, _ := wants["amount"].(string)
	if version == 1 {
		amount, _ = wants["maxAmountRequired"].(string)
	}
	a := doc.Payload.Authorization
	after, _ := strconv.ParseInt(a.ValidAfter, 10, 64)
	before, _ := strconv.ParseInt(a.ValidBefore, 10, 64)
	now := time.Now().Unix()
	switch {
	case !strings.EqualFold(a.To, paywallPayee):
		return "", errors.New("invalid_exact_evm_payload_recipient_mismatch")
	case a.Value != amount:
		return "", errors.New("invalid_exact_evm_payload_authorization_value")
	case now < after || now >= before:
		return "", errors.New("invalid_exact_evm_payload_authorization_valid_before")
	}
	domain := keccak256(
		keccak256([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")), keccak256([]byte("USDC")),
		keccak256([]byte("2")), uint256(big.NewInt(paywallChain)), hexWord(paywallAsset),
	)
	number := func(text string) []byte { n, _ := new(big.Int).SetString(text, 10); return uint256(n) }
	message := keccak256(
		keccak256([]byte("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)")),
		hexWord(a.From), hexWord(a.To), number(a.Value), number(a.ValidAfter), number(a.ValidBefore), hexWord(a.Nonce),
	)
	signer := recoverSigner(doc.Payload.Signature, keccak256([]byte("\x19\x01"), domain, message))
	if signer == "" || !strings.EqualFold(signer, a.From) {
		return "", errors.New("invalid_exact_evm_payload_signature")
	}
	return signer, p.use(signer + a.Nonce)
}

// use takes what is good for one payment.
func (p *paywall) use(once string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used[once] {
		return errors.New("it was used before")
	}
	if p.used == nil {
		p.used = map[string]bool{}
	}
	p.used[once] = true
	return nil
}

// mppParams are the parameters of a challenge, in the order that its id is made of.
func mppParams() []string {
	return []string{"realm", "method", "intent", "request", "expires", "digest"}
}

func (p *paywall) admitMPP(w http.ResponseWriter, r *http.Request, amount string, body []byte) bool {
	sum := sha256.Sum256(body)
	c := map[string]string{
		"realm": r.Host, "method": "example", "intent": "charge", "expires": time.Now().Add(time.Minute).UTC().Format(time.RFC3339Nano), // so that no two are the same
		"request": base64.RawURLEncoding.EncodeToString([]byte(`{"amount":"` + amount + `","currency":"usd","recipient":"acct_7"}`)),
		"digest":  "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":",
	}
	c["id"] = mppID(c)
	problem := "payment-required"
	if value, is := strings.CutPrefix(r.Header.Get("Authorization"), "Payment "); is {
		payer, err := p.verifyMPP(value, c)
		if err == nil {
			receipt, _ := json.Marshal(map[string]string{"status": "success", "method": "example", "timestamp": time.Now().UTC().Format(time.RFC3339), "reference": payer})
			w.Header().Set("Payment-Receipt", base64.RawURLEncoding.EncodeToString(receipt))
			return true
		}
		problem = err.Error()
	}
	challenge := `Payment id="` + c["id"] + `"`
	for _, name := range mppParams() {
		challenge += ", " + name + `="` + c[name] + `"`
	}
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(http.StatusPaymentRequired)
	fmt.Fprintf(w, `{"type":"https://paymentauth.org/problems/%s","status":402}`, problem)
	return false
}

// mppID binds a challenge to its parameters, so that the paywall need not remember it.
func mppID(c map[string]string) string {
	h := hmac.New(sha256.New, []byte("a secret of the site"))
	for _, name := range mppParams() {
		h.Write([]byte(c[name] + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// verifyMPP returns who signed. What the challenge is for has to be what this request costs; its expiry is its own.
func (p *paywall) verifyMPP(value string, now map[string]string) (payer string, err error) {
	text, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return "", errors.New("malformed-credential")
	}
	var doc struct {
		Challenge map[string]string `json:"challenge"`
		Payload   struct{ Proof string }
		Source    string
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&doc); err != nil {
		return "", errors.New("malformed-credential")
	}
	c := doc.Challenge
	expires, err := time.Parse(time.RFC3339, c["expires"])
	switch {
	case c["id"] != mppID(c) || c["request"] != now["request"] || c["realm"] != now["realm"] || c["digest"] != now["digest"]:
		return "", errors.New("invalid-challenge")
	case err != nil || time.Now().After(expires):
		return "", errors.New("payment-expired")
	}
	sum := sha256.Sum256([]byte("agentctl example payment\n" + c["id"] + "\n" + c["realm"] + "\n" + c["request"] + "\n"))
	signer := recoverSigner(doc.Payload.Proof, sum[:])
	if signer == "" || doc.Source != "did:pkh:eip155:84532:"+signer {
		return "", errors.New("verification-failed")
	}
	if p.use(c["id"]) != nil {
		return "", errors.New("invalid-challenge")
	}
	return signer, nil
}

// recoverSigner returns the address whose key signed a hash; "" for a signature that is none.
func recoverSigner(signature string, hash []byte) string {
	raw, err := hex.DecodeString(strings.TrimPrefix(signature, "0x"))
	if err != nil || len(raw) != 65 {
		return ""
	}
	public, _, err := ecdsa.RecoverCompact(append([]byte{raw[64]}, raw[:64]...), hash)
	if err != nil {
		return ""
	}
	return "0x" + hex.EncodeToString(keccak256(public.SerializeUncompressed()[1:])[12:])
}

func keccak256(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

// uint256 is a number in 32 bytes; nil is 0.
func uint256(n *big.Int) []byte {
	if n == nil || n.Sign() < 0 || n.BitLen() > 256 {
		return make([]byte, 32)
	}
	return n.FillBytes(make([]byte, 32))
}

// hexWord is an address or 32 bytes, from the right of 32 bytes.
func hexWord(text string) []byte {
	n, _ := new(big.Int).SetString(strings.TrimPrefix(text, "0x"), 16)
	return uint256(n)
}
