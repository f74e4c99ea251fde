package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// requirement is one element of "accepts". Version 1 has its own names for the amount and for networks.
type requirement struct {
	Scheme    string `json:"scheme"`
	Network   string `json:"network"`
	Amount    string `json:"amount"`
	AmountV1  string `json:"maxAmountRequired"`
	Asset     string `json:"asset"`
	PayTo     string `json:"payTo"`
	MaxWait   int64  `json:"maxTimeoutSeconds"`
	Extension struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Method  string `json:"assetTransferMethod"`
	} `json:"extra"`
}

// payloadX402 is an authorization of EIP-3009 with its signature.
type payloadX402 struct {
	Signature     string        `json:"signature"`
	Authorization authorization `json:"authorization"`
}

type authorization struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Value       string `json:"value"`
	ValidAfter  string `json:"validAfter"`
	ValidBefore string `json:"validBefore"`
	Nonce       string `json:"nonce"`
}

// testNetwork returns the chain of a network that moves no money.
func testNetwork(name string) (chain int64, ok bool) {
	switch name {
	case "eip155:84532", "base-sepolia":
		return 84532, true
	case "eip155:43113", "avalanche-fuji":
		return 43113, true
	case "eip155:11155111":
		return 11155111, true
	case "eip155:80002":
		return 80002, true
	}
	return 0, false
}

// payX402 signs for exactly what was approved. What is chosen is the site's word, so it is held to that again here.
func payX402(env environment, key *key, r *request) (*answer, error) {
	c := r.Chosen
	chain, ok := testNetwork(c.Network)
	amount := c.Amount
	if r.X402Version == 1 {
		amount = c.AmountV1
	}
	switch {
	case !ok:
		return nil, decline("this payer has test keys, and %q is no test network that it knows", c.Network)
	case c.Scheme != "exact" || c.Extension.Method != "" && c.Extension.Method != "eip3009":
		return nil, decline("this payer signs for nothing but \"exact\" by EIP-3009")
	case amount != r.Approved.Amount || c.Asset != r.Approved.Currency || c.PayTo != r.Approved.Payee:
		return nil, decline("what was chosen is not what was approved")
	case c.Extension.Name == "" || c.Extension.Version == "":
		return nil, decline("the site does not name the token's domain")
	case c.MaxWait <= 0 || c.MaxWait > int64(24*time.Hour/time.Second):
		return nil, decline("the site wants an authorization that is good for %d s", c.MaxWait)
	}
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce) // it never fails
	now := env.Now()
	a := authorization{
		From: key.address(), To: c.PayTo, Value: amount,
		ValidAfter:  fmt.Sprint(now.Add(-time.Minute).Unix()),
		ValidBefore: fmt.Sprint(now.Unix() + c.MaxWait),
		Nonce:       "0x" + hex.EncodeToString(nonce),
	}
	hash, err := a.hash(c.Extension.Name, c.Extension.Version, chain, c.Asset)
	if err != nil {
		return nil, decline("%w", err)
	}
	return &answer{Payload: payloadX402{"0x" + hex.EncodeToString(key.sign(hash)), a}}, nil
}

// hash is what EIP-712 has somebody sign for a transfer of EIP-3009.
func (a *authorization) hash(name, version string, chain int64, contract string) ([]byte, error) {
	domain, err := domainHash(name, version, chain, contract)
	if err != nil {
		return nil, err
	}
	message, err := words(a.From, a.To, a.Value, a.ValidAfter, a.ValidBefore, a.Nonce)
	if err != nil {
		return nil, err
	}
	kind := keccak([]byte("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"))
	return keccak([]byte{0x19, 0x01}, domain, keccak(kind, message)), nil
}

// domainHash is what keeps a signature from being good for another token, or on another network.
func domainHash(name, version string, chain int64, contract string) ([]byte, error) {
	address, err := words(contract)
	if err != nil {
		return nil, err
	}
	kind := keccak([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"))
	return keccak(kind, keccak([]byte(name)), keccak([]byte(version)), big.NewInt(chain).FillBytes(make([]byte, 32)), address), nil
}

// words encodes numbers, addresses and 32 bytes as EIP-712 does: each in 32 bytes, from the right.
func words(values ...string) ([]byte, error) {
	var out []byte
	for _, value := range values {
		base := 10
		digits, isHex := strings.CutPrefix(value, "0x")
		if isHex {
			base = 16
		}
		n, ok := new(big.Int).SetString(digits, base)
		switch {
		case !ok || n.Sign() < 0 || n.BitLen() > 256 || strings.ContainsAny(digits, "+-_"):
			return nil, fmt.Errorf("%q is no number of 256 bits", value)
		case isHex && len(digits) != 40 && len(digits) != 64:
			return nil, errors.New("an address has 40 hexadecimal digits, a nonce 64")
		}
		out = append(out, n.FillBytes(make([]byte, 32))...)
	}
	return out, nil
}
