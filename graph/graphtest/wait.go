package graphtest

import (
	"testing"
	"time"
)

// waitLimit is far above what any awaited event takes on a busy machine.
const waitLimit = 2 * time.Minute

// Until waits until ok reports true, and fails the test after two minutes. event names what did not happen.
func Until(t testing.TB, event string, ok func() bool) {
	t.Helper()
	for begun := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > waitLimit {
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
