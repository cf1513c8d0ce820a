// Package evidence stores audit evidence: events observed in other systems, and decisions linked to them, mapped to
// controls of compliance frameworks.
//
// Both are events in the hash chain of one session named "evidence". Their hashes cover their class: observed by
// another system, or attested here. The two classes are never added up. Store.Observe and Link write, Map reads, Verify recomputes the chain.
package evidence
