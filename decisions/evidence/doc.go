// Package evidence keeps what shows an auditor that decisions were made as they should be: events that other systems saw, and decisions linked to
// them, mapped to the controls of frameworks.
//
// Both are events of the chain of one session, "evidence", whose hashes cover their class: what was observed by another system, and what
// is attested here. The two are never added up. Store.Observe and Link write, Map and Export read, Verify computes the chain again.
package evidence
