package decisions

// DrawIDs has a store draw its ids from a function of the test's.
func DrawIDs(s *Store, draw func() string) { s.drawID = draw }

// DrawUIDs has a store draw its uids from a function of the test's.
func DrawUIDs(s *Store, draw func() string) { s.drawUID = draw }
