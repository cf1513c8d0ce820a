package precedents

import "testing"

// LookAtMost has lists look at no more than n decisions for a page, until the test ends.
func LookAtMost(t testing.TB, n int) {
	before := MostLookedAt
	MostLookedAt = n
	t.Cleanup(func() { MostLookedAt = before })
}

// ChooseAtMost has lists put no more than n decisions in order in memory, until the test ends.
func ChooseAtMost(t testing.TB, n int) {
	before := MostChosen
	MostChosen = n
	t.Cleanup(func() { MostChosen = before })
}
