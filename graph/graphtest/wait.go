package graphtest

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// waitLimit is far above what any awaited event takes on a busy machine.
const waitLimit = 2 * time.Minute

// Until waits until ok reports true, and fails the test after two minutes. event names what did not happen.
func Until(t testing.TB, event string, ok func() bool) {
	t.Helper()
	for started := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(started) > waitLimit {
			t.Fatalf("within %s did not happen: %s", waitLimit, event)
		}
	}
}

// NextMillisecond waits until the clock shows another millisecond. The database's times and the ids of Nomograph have
// milliseconds, so what is recorded afterwards is later than what was recorded before.
func NextMillisecond() {
	for start := time.Now().UnixMilli(); time.Now().UnixMilli() == start; time.Sleep(100 * time.Microsecond) {
		continue
	}
}

// Running counts the goroutines of this process whose stack names all functions, such as "mcp.deliver". A test awaits with
// it that work has come to a point that it shows in no other way.
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

// Receive gives the next value of a channel, or the zero value of one that is closed, and fails the test after two minutes.
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
