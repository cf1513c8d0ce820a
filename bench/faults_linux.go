package main

import (
	"os"
	"syscall"
)

// pageFaults is how many pages a process that has ended touched for the first time. Unlike times, it does not depend on how busy the machine is.
func pageFaults(ended *os.ProcessState) float64 {
	usage, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Minflt)
}
