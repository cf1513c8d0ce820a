// Package cases runs the tests that packs carry, and measures which rules and rows they reached.
//
// Run judges each Case of a Request by the gate's own rule sets and gives a Report, also as JUnit XML. A case with a Fixture
// has a graph of its own, which a Scratch opens: ScratchEngine starts an engine for it. Read gives the cases of one pack.
package cases
