package decisions

import "testing"

// LookAtMost has lists look at no more than n decisions for a page, until the test ends.
func LookAtMost(t testing.TB, n int) {
	before := mostLookedAt
	mostLookedAt = n
	t.Cleanup(func() { mostLookedAt = before })
}
