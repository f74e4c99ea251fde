package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	eachLines       = 30_000
	eachConcurrency = 8
	curlCalls       = 100 // of the shell loop
	wrkSeconds      = 3
	eachRounds      = 5
)

// each measures calls for each line of a file, beside a shell loop of curl and beside wrk, which only sends the same bytes again
// and again. All send the same request to the same server.
func (b *bench) each(ctx context.Context, t *table) error {
	const query = "/orders?limit=10"
	file := filepath.Join(b.dir, "lines")
	if err := os.WriteFile(file, []byte(strings.Repeat(`{"limit":10}`+"\n", eachLines)), 0o600); err != nil {
		return err
	}
	one := b.get(smallHost, base+query)
	loop := command{path: "/bin/sh", args: append([]string{"-c", fmt.Sprintf(`i=0; while [ $i -lt %d ]; do "$@" >/dev/null; i=$((i+1)); done`, curlCalls), "sh", one.path}, one.args...), env: one.env, dir: b.dir}
	medians, err := takeTurns(ctx, eachRounds, b.ctl("warm", smallHost, "orders", "list", "--each", file, "--concurrency", strconv.Itoa(eachConcurrency)), loop)
	if err != nil {
		return err
	}
	ours, curl := perSecond(eachLines, medians[0].wall), perSecond(curlCalls, medians[1].wall)
	t.times("calls a second with --each, 8 at a time, beside a shell loop of curl", ours, curl, "curl", 10)
	t.memory(fmt.Sprintf("its peak memory with %d lines", eachLines), medians[0].rss, 150)
	wrk, err := b.wrk(ctx, base+query)
	if err != nil {
		return err
	}
	if wrk == 0 {
		return nil
	}
	t.times("the same beside wrk -c8 -t2", ours, wrk, "wrk", 0.4)
	return nil
}

func perSecond(calls int, spent time.Duration) float64 { return float64(calls) / spent.Seconds() }

// wrk is how many requests a second wrk gets answered; 0 where it is not installed.
func (b *bench) wrk(ctx context.Context, path string) (float64, error) {
	program, err := exec.LookPath("wrk")
	if err != nil {
		return 0, nil //nolint:nilerr // it is not needed for the other figures
	}
	url := "https://127.0.0.1:" + b.sites.tlsPort + path
	out, err := exec.CommandContext(ctx, program, "-c", strconv.Itoa(eachConcurrency), "-t", "2", "-d", fmt.Sprint(wrkSeconds)+"s", "-H", "Host: "+smallHost, url).Output()
	if err != nil {
		return 0, fmt.Errorf("wrk: %w", err)
	}
	found := regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`).FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("wrk says %q", out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}
