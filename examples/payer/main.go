// Command payer is an example of a program that pays for agentctl. It signs with a test key: x402's "exact" by EIP-3009 on test
// networks, and the method "example" of MPP, which moves no money. It refuses everything else. docs/payments.md describes
// what it reads and writes.
package main

import (
	"os"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], environment{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: time.Now}))
}
