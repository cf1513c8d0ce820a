// Package heap says how much the heap grows between collections. A program imports it also for what it does before main: libraries make
// 4 MB then, at which the garbage collector would run for the first time and find all of it in use. That took a quarter of a short command.
package heap

import (
	"os"
	"runtime/debug"
	"time"
)

// Percent that the heap grows between collections, unless GOGC says otherwise.
const (
	beginning = 400 // the first collection is at 16 MB: most commands end before
	usual     = 100 // what Go has, for processes that live on
	lean      = 50
)

// soon is when the beginning of a process is over.
const soon = time.Second

var later = time.AfterFunc(soon, func() { grow(usual) })

func init() { grow(beginning) }

// KeepLean has the heap grow less between collections, for a process of which many run. What it holds is little, and what it makes for an
// answer is garbage soon.
func KeepLean() {
	later.Stop()
	grow(lean)
}

func grow(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
