// Package check checks whether an action is allowed, explains why, and stores the verdict before it returns it.
//
// Store.Check reads the rules in force, records manual edits, evaluates every rule for an ActionCheck, and writes the
// Verdict. Store.Evaluate leaves storing to the caller, which stores the verdict together with other data, such as a
// decision. Explain returns a stored verdict, Verdicts lists verdicts, and Prune deletes old ones.
//
// A RuleSet is a compiled snapshot of the rules. A Compiler builds one from nodes, so test cases of packs are evaluated
// exactly like actions. A rule that cannot be read or evaluated denies, and so does a verdict that cannot be stored.
package check
