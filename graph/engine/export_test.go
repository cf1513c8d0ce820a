package engine

import (
	"time"

	"nomograph/cypher"
)

// Hasten lets a supervisor of tests end a query after three seconds of processor time instead of 25, and plan two statements in
// the background instead of all.
func Hasten() {
	cpuAfterTermination = 3 * time.Second
	warmed = func() []cypher.Typical { return cypher.Hot()[:2] }
}
