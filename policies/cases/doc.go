// Package cases runs the test cases of packs and measures which rules and rows they cover.
//
// Run evaluates each Case of a Request with the same rule sets as a policy check and returns a Report, also as JUnit
// XML. A case with a Fixture gets a graph of its own, opened by a Scratch; ScratchEngine starts an engine for it. Read
// returns the cases of one pack.
package cases
