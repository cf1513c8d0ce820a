package graphtest

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// waitLimit is far longer than any awaited event takes on a busy machine.
const waitLimit = 2 * time.Minute

// Until waits until ok reports true. After two minutes it fails the test; event names what did not happen.
func Until(t testing.TB, event string, ok func() bool) {
	t.Helper()
	for started := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(started) > waitLimit {
			t.Fatalf("within %s did not happen: %s", waitLimit, event)
		}
	}
}

// NextMillisecond waits until the clock shows another millisecond. Times and ids have milliseconds, so later records
// then sort after earlier ones.
func NextMillisecond() {
	for start := time.Now().UnixMilli(); time.Now().UnixMilli() == start; time.Sleep(100 * time.Microsecond) {
		continue
	}
}

// Running counts the goroutines of this process whose stack contains all functions, such as "mcp.deliver". Tests use
// it to wait until work has reached a point that nothing else shows.
func Running(functions ...string) int {
	stacks := make([]byte, 8<<20)
	count := 0
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if !slices.ContainsFunc(functions, func(f string) bool { return !strings.Contains(stack, f) }) {
			count++
		}
	}
	return count
}

// Receive returns the next value of a channel, or the zero value if it is closed. After two minutes it fails the test;
// event names what did not happen.
func Receive[T any](t testing.TB, event string, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(waitLimit):
		t.Fatalf("within %s did not happen: %s", waitLimit, event)
	}
	return value
}
