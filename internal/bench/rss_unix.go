//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakRSS returns the largest resident size of an ended process, in bytes.
func peakRSS(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) //nolint:unconvert // 32 bits wide on some systems
	}
	return int64(usage.Maxrss) << 10 //nolint:unconvert // in KiB here
}
