// Package gate answers whether an action may be done, and why, and keeps the verdict before it gives it.
//
// Store.Check reads the rules in force, records what of them was changed past Nomograph, judges an ActionCheck by each of
// them, and writes the Verdict. Store.Judge leaves the writing to whoever writes the verdict with something else, such as a
// decision. Explain gives a verdict again, Verdicts lists them, and Prune deletes old ones.
//
// A RuleSet is the rules as they were read once. A Compiler makes one of nodes, so that cases of packs are judged as actions
// are. What cannot be read, evaluated or kept is not allowed.
package gate
