package decisions

import "testing"

// DrawIDs has a store draw its ids from a function of the test's.
func DrawIDs(s *Store, draw func() string) { s.newID = draw }

// DrawUIDs has a store draw its uids from a function of the test's.
func DrawUIDs(s *Store, draw func() string) { s.newUID = draw }

// LookAtMost has lists look at no more than n decisions for a page, until the test ends.
func LookAtMost(t testing.TB, n int) {
	before := mostLookedAt
	mostLookedAt = n
	t.Cleanup(func() { mostLookedAt = before })
}
