package main

import (
	"os"
	"syscall"
)

// peakOf is the most memory that a process had that has ended, in MB.
func peakOf(ended *os.ProcessState) float64 {
	usage, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Maxrss) / 1000
}
