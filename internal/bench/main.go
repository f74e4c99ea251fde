// Bench measures whole processes of agentctl beside curl, on the same machine in the same run, and prints a table with the
// bound of each figure. It exits 1 when a bound is broken. Run it from the repository's root:
//
//	go build -o bin/ ./cmd/... && go run ./internal/bench
//
// It needs curl. The sites are served by a second process, so that they take no part in what is measured here. A busy machine makes every figure worse; the programs of one row take turns, so that both feel it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
)

func main() {
	rounds := flag.Int("rounds", 31, "measure each start this many times")
	saveMiB := flag.Int64("save-mib", 1024, "size in MiB of the download for --save")
	program := flag.String("agentctl", filepath.Join("bin", "agentctl"), "the program to measure")
	serveIn := flag.String("serve", "", "only serve the sites, with their certificate in this directory, until standard input ends")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	if *serveIn != "" {
		if err := serve(ctx, *serveIn, *saveMiB<<20); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		return
	}
	table, err := run(ctx, *program, *rounds, *saveMiB)
	stop()
	if table != nil {
		fmt.Printf("%s/%s, %d cores, %s; medians of %d runs\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), *rounds)
		table.write(os.Stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	case table.broken():
		os.Exit(1)
	}
}

// run builds the surroundings and measures every row.
func run(ctx context.Context, program string, rounds int, saveMiB int64) (*table, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		return nil, fmt.Errorf("curl is what agentctl is compared with: %w", err)
	}
	dir, err := os.MkdirTemp("", "agentctl-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sites, stop, err := startSites(ctx, dir, saveMiB)
	if err != nil {
		return nil, err
	}
	defer stop()
	b := &bench{agentctl: program, curl: curl, dir: dir, sites: sites, rounds: rounds, saveBytes: saveMiB << 20}
	return b.measure(ctx)
}
