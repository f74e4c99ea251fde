package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// The exit statuses that agentctl knows.
const (
	exitPaid     = 0
	exitFailed   = 1
	exitUsage    = 2
	exitDeclined = 10
)

// maxRequest is more than agentctl sends.
const maxRequest = 1 << 20 // bytes

type environment struct {
	In       io.Reader
	Out, Err io.Writer
	Now      func() time.Time
}

// declined is why this payer will not pay.
type declined struct{ error }

func decline(format string, args ...any) error { return declined{fmt.Errorf(format, args...)} }

// request is what agentctl writes, as far as this payer needs it.
type request struct {
	Version     string            `json:"agentctl_payer"`
	Protocol    string            `json:"protocol"`
	X402Version int               `json:"x402_version"`
	Challenge   map[string]string `json:"challenge"`
	Decoded     struct {
		Amount    string `json:"amount"`
		Currency  string `json:"currency"`
		Recipient string `json:"recipient"`
	} `json:"decoded"`
	Chosen   requirement `json:"chosen"`
	Approved struct {
		Amount   string `json:"amount"`
		Currency string `json:"currency"`
		Payee    string `json:"payee"`
	} `json:"approved"`
}

// answer is what agentctl reads: a proof. It makes the header's value around it.
type answer struct {
	Payload any    `json:"payload"`
	Source  string `json:"source,omitempty"`
}

func run(args []string, env environment) int {
	flags := flag.NewFlagSet("payer", flag.ContinueOnError)
	flags.SetOutput(env.Err)
	keyFile := flags.String("key", "", "the `FILE` of the test key; it is made where there is none")
	address := flags.Bool("address", false, "print the address of the key, and pay nothing")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	if *keyFile == "" || flags.NArg() > 0 {
		fmt.Fprintln(env.Err, "usage: payer --key FILE [--address]")
		return exitUsage
	}
	key, err := loadKey(*keyFile)
	if err != nil {
		fmt.Fprintln(env.Err, err)
		return exitFailed
	}
	if *address {
		fmt.Fprintln(env.Out, key.address())
		return exitPaid
	}
	said, err := pay(env, key)
	if err == nil {
		err = json.NewEncoder(env.Out).Encode(said)
	}
	if err == nil {
		return exitPaid
	}
	fmt.Fprintln(env.Err, err)
	if _, ok := errors.AsType[declined](err); ok {
		return exitDeclined
	}
	return exitFailed
}

func pay(env environment, key *key) (*answer, error) {
	var r request
	if err := json.NewDecoder(io.LimitReader(env.In, maxRequest)).Decode(&r); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	if r.Version != "1" {
		return nil, fmt.Errorf("agentctl_payer %q is not known", r.Version)
	}
	switch r.Protocol {
	case "x402":
		return payX402(env, key, &r)
	case "mpp":
		return payMPP(key, &r)
	}
	return nil, decline("%q is no protocol of this payer", r.Protocol)
}
