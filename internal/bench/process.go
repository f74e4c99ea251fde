package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// command is one process to measure.
type command struct {
	path string
	args []string
	env  []string // the whole environment
	dir  string   // where it runs
}

// cost is what one run took.
type cost struct {
	wall time.Duration
	rss  int64 // peak, in bytes; 0 where the system does not tell
}

// once runs the command and returns its cost and what it wrote to standard error. A failure is an error: the time of a
// program that did not do its work means nothing.
func (c command) once(ctx context.Context) (cost, string, error) {
	process := exec.CommandContext(ctx, c.path, c.args...)
	process.Env, process.Dir = c.env, c.dir
	var stderr bytes.Buffer
	process.Stderr = &stderr
	began := time.Now()
	err := process.Run()
	spent := cost{wall: time.Since(began)}
	if err != nil {
		return spent, "", fmt.Errorf("%s %q: %w\n%s", c.path, c.args, err, stderr.String())
	}
	spent.rss = peakRSS(process.ProcessState)
	return spent, stderr.String(), nil
}

// takeTurns runs the commands one after the other, so many rounds, and returns the medians. The first round warms up and
// does not count.
func takeTurns(ctx context.Context, rounds int, commands ...command) ([]cost, error) {
	walls, sizes := make([][]time.Duration, len(commands)), make([][]int64, len(commands))
	for round := range rounds + 1 {
		for i, c := range commands {
			spent, _, err := c.once(ctx)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				walls[i], sizes[i] = append(walls[i], spent.wall), append(sizes[i], spent.rss)
			}
		}
	}
	medians := make([]cost, len(commands))
	for i := range commands {
		medians[i] = cost{median(walls[i]), slices.Max(sizes[i])}
	}
	return medians, nil
}

// median sorts the values and returns the one in the middle.
func median[T interface{ ~int64 }](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}
