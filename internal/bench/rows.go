package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bench knows the programs and the sites.
type bench struct {
	agentctl, curl string
	dir            string // temporary; cache, state and downloads are in it
	sites          *sites
	rounds         int
	saveBytes      int64
}

// measure takes every row in turn.
func (b *bench) measure(ctx context.Context) (*table, error) {
	t := new(table)
	for _, step := range []func(context.Context, *table) error{
		b.version, b.initialisers, b.warmCall, b.largeSite, b.branches, b.coldStart, b.save, b.flow, b.catalogue, b.openapi, b.find, b.each,
	} {
		if err := step(ctx, t); err != nil {
			return t, err
		}
	}
	return t, nil
}

// ctl is a run of agentctl with directories of its own: those of one cache name are shared.
func (b *bench) ctl(cache string, args ...string) command {
	env := []string{"HOME=" + b.dir, "NO_COLOR=1", "AGENTCTL_RESOLVE=" + strings.Join([]string{b.resolve(smallHost), b.resolve(largeHost), b.resolve(flowHost), b.resolve(catalogueHost)}, ","), "SSL_CERT_FILE=" + b.sites.caFile}
	for _, kind := range []string{"CONFIG", "CACHE", "STATE"} {
		env = append(env, "AGENTCTL_"+kind+"_DIR="+filepath.Join(b.dir, cache, kind))
	}
	return command{path: b.agentctl, args: args, env: env, dir: b.dir}
}

// resolve is agentctl's --resolve: the address carries its own port.
func (b *bench) resolve(host string) string { return host + ":443:127.0.0.1:" + b.sites.tlsPort }

// get is a run of curl over TLS for one of the hosts.
func (b *bench) get(host, path string, args ...string) command {
	connect := host + ":443:127.0.0.1:" + b.sites.tlsPort
	args = append([]string{"-s", "--fail", "--cacert", b.sites.caFile, "--connect-to", connect, "https://" + host + path}, args...)
	return command{path: b.curl, args: args, env: []string{"HOME=" + b.dir}, dir: b.dir}
}

func (b *bench) version(ctx context.Context, t *table) error {
	page := command{path: b.curl, args: []string{"-s", "--fail", "http://" + b.sites.plainAddr + "/page"}, env: []string{"HOME=" + b.dir}, dir: b.dir}
	medians, err := takeTurns(ctx, b.rounds, b.ctl("warm", "version"), page)
	if err == nil {
		t.ratio("agentctl version, beside curl of a local page", medians[0].wall, medians[1].wall, 1.3)
	}
	return err
}

// initialisers adds up what the Go runtime says about package initialisation.
func (b *bench) initialisers(ctx context.Context, t *table) error {
	c := b.ctl("warm", "version")
	c.env = append(c.env, "GODEBUG=inittrace=1")
	clock := regexp.MustCompile(`(?m)^init \S+ @.*?, ([0-9.]+) ms clock`)
	var sums []time.Duration
	for range b.rounds {
		_, trace, err := c.once(ctx)
		if err != nil {
			return err
		}
		found := clock.FindAllStringSubmatch(trace, -1)
		if len(found) == 0 {
			return fmt.Errorf("no initialiser in the trace of %q: %q", c.args, trace)
		}
		var sum float64
		for _, match := range found {
			spent, err := strconv.ParseFloat(match[1], 64)
			if err != nil {
				return err
			}
			sum += spent
		}
		sums = append(sums, time.Duration(sum*float64(time.Millisecond)))
	}
	t.limit("package initialisers of agentctl version", median(sums), 10*time.Millisecond)
	return nil
}

func (b *bench) warmCall(ctx context.Context, t *table) error {
	medians, err := takeTurns(ctx, b.rounds, b.ctl("warm", smallHost, "orders", "list", "--json"), b.get(smallHost, base+"/orders"))
	if err == nil {
		t.ratio("warm GET over TLS with --json, beside curl of the same URL", medians[0].wall, medians[1].wall, 1.5)
	}
	return err
}

func (b *bench) largeSite(ctx context.Context, t *table) error {
	medians, err := takeTurns(ctx, b.rounds, b.ctl("warm", smallHost, "orders", "list", "--json"), b.ctl("warm", largeHost, "orders", "list", "--json"))
	if err != nil {
		return err
	}
	t.difference("the same call on sites of 10 and of 10,000 actions", medians[0].wall, medians[1].wall, 2*time.Millisecond)
	t.memory("its peak memory with 10 actions", medians[0].rss, 30)
	t.memory("its peak memory with 10,000 actions", medians[1].rss, 30)
	return nil
}

// branches measures what never sends a request: help, listing and completion of one branch.
func (b *bench) branches(ctx context.Context, t *table) error {
	for _, branch := range []struct {
		what string
		args []string
	}{
		{"help of one action", []string{"SITE", "orders", "list", "--help"}},
		{"list of one group", []string{"SITE", "orders"}},
		{"completion below one group", []string{"__complete", "SITE", "orders", ""}},
	} {
		on := func(host string) command { return b.ctl("warm", replace(branch.args, "SITE", host)...) }
		medians, err := takeTurns(ctx, b.rounds, on(smallHost), on(largeHost))
		if err != nil {
			return err
		}
		t.difference(branch.what+", 10 and 10,000 actions", medians[0].wall, medians[1].wall, 2*time.Millisecond)
		t.memory(branch.what+", peak memory with 10,000 actions", medians[1].rss, 30)
	}
	return nil
}

// replace returns a copy of words in which one is another.
func replace(words []string, old, now string) []string {
	words = slices.Clone(words)
	words[slices.Index(words, old)] = now
	return words
}

// coldStart empties the cache before each run.
func (b *bench) coldStart(ctx context.Context, t *table) error {
	var walls []time.Duration
	var most int64
	for range min(b.rounds, 7) {
		if err := os.RemoveAll(filepath.Join(b.dir, "cold")); err != nil {
			return err
		}
		spent, _, err := b.ctl("cold", largeHost, "orders", "list", "--json").once(ctx)
		if err != nil {
			return err
		}
		walls, most = append(walls, spent.wall), max(most, spent.rss)
	}
	what := fmt.Sprintf("cold start with 10,000 actions (index of %.1f MiB)", mib(int64(len(newIndex(largeActions)))))
	t.limit(what, median(walls), time.Second)
	t.memory(what+", peak memory", most, 120)
	return nil
}

// save downloads to a file, which both programs write to the same disk.
func (b *bench) save(ctx context.Context, t *table) error {
	const rounds = 3
	file := filepath.Join(b.dir, "download")
	saved := func(action string) command {
		return b.ctl("warm", smallHost, action, "--save", file, "--quiet", "--timeout", "10m")
	}
	medians, err := takeTurns(ctx, rounds, saved("sample"), saved("download"), b.get(smallHost, base+"/download", "-o", file))
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.Size() != b.saveBytes {
		return fmt.Errorf("the download has %d bytes, not %d", info.Size(), b.saveBytes)
	}
	what := fmt.Sprintf("--save of %.0f MiB", mib(b.saveBytes))
	t.rate(what+", beside curl -o", b.saveBytes, medians[1].wall, medians[2].wall, 0.8)
	t.growth(what+", peak memory beside that of 1 MiB", medians[0].rss, medians[1].rss, 8)
	return nil
}
