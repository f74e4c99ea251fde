// Odp is the conformance adapter for the Offering Discovery Protocol: it runs the code of this project on test cases and
// says whether it did what they expect (ODP-154). It plays the agent; cases for the role "service" are skipped.
//
//	go run ./internal/conformance/odp                 requests on standard input, one a line; responses on standard output
//	go run ./internal/conformance/odp -vectors DIR    all cases for agents below DIR; a report on standard output
//
// The formats of requests, responses, vectors and the report are those of the protocol's conformance schemas. What a case
// expects is only ever compared with: it has no part in what the code is asked to do. Which code a case is for is said in
// suites.go.
//
// The exit status is 1 when a request was malformed, or a case of the vectors did not pass.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	vectors := flag.String("vectors", "", "run the cases of this directory instead of reading requests")
	revision := flag.String("revision", "unknown", "revision of the vectors, for the report")
	version := flag.String("version", "dev", "version of agentctl, for the report")
	flag.Parse()

	if err := run(*vectors, report{Version: *version, Revision: *revision, Time: time.Now()}); err != nil { //nolint:forbidigo // the clock of the report
		fmt.Fprintln(os.Stderr, "error:", err) //nolint:forbidigo // this is the program
		os.Exit(1)                             //nolint:forbidigo // this is the program
	}
}

func run(vectors string, r report) error {
	if vectors == "" {
		return serve(os.Stdin, os.Stdout, os.Stderr) //nolint:forbidigo // this is the program
	}
	results, err := runVectors(vectors)
	if err != nil {
		return err
	}
	return r.write(os.Stdout, os.Stderr, results) //nolint:forbidigo // this is the program
}
