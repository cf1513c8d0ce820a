// Package heapgrowth sets how much the heap may grow between garbage collections. Importing it also affects initialization
// before main. Libraries allocate 4 MB there, at which the first collection would find everything in use. That took a
// quarter of the time of a short command.
package heapgrowth

import (
	"os"
	"runtime/debug"
	"time"
)

// Growth of the heap between collections in percent, unless GOGC is set.
const (
	startGrowth   = 400 // first collection at 16 MB: most commands end earlier
	defaultGrowth = 100 // Go's default, for long-running processes
	leanGrowth    = 50
)

// startPhase is the duration of the start phase of a process.
const startPhase = time.Second

var endOfStart = time.AfterFunc(startPhase, func() { grow(defaultGrowth) })

func init() { grow(startGrowth) }

// EndStartPhase ends the start phase for a command that reads much data; otherwise its garbage would grow to four
// times its data.
func EndStartPhase() {
	endOfStart.Stop()
	grow(defaultGrowth)
}

// ReduceGrowth reduces the heap growth for a process type that runs many times in parallel. It holds little data, and most
// of its allocations are short-lived.
func ReduceGrowth() {
	endOfStart.Stop()
	grow(leanGrowth)
}

func grow(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
