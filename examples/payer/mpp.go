package main

import (
	"crypto/sha256"
	"encoding/hex"
)

// payMPP makes the proof of the method "example": a signature over the challenge, by which the service can tell who would have
// paid. Real methods have proofs of their own.
func payMPP(key *key, r *request) (*answer, error) {
	c := r.Challenge
	if c["method"] != "example" || c["intent"] != "charge" {
		return nil, decline("this payer knows nothing but the intent \"charge\" of the method \"example\"")
	}
	if d := r.Decoded; d.Amount != r.Approved.Amount || d.Currency != r.Approved.Currency || d.Recipient != r.Approved.Payee {
		return nil, decline("what the challenge wants is not what was approved")
	}
	proof := hex.EncodeToString(key.sign(exampleHash(c)))
	return &answer{Payload: map[string]string{"proof": proof}, Source: "did:pkh:eip155:84532:" + key.address()}, nil
}

// exampleHash is what is signed.
func exampleHash(challenge map[string]string) []byte {
	sum := sha256.Sum256([]byte("agentctl example payment\n" + challenge["id"] + "\n" + challenge["realm"] + "\n" + challenge["request"] + "\n"))
	return sum[:]
}
