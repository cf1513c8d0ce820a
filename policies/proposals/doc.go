// Package proposals stores proposed changes of the rules: with reason, diff, replay and lineage. A second person
// approves a proposal, and applying it compares the rules with those that were replayed.
package proposals
