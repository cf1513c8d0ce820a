// Package preparation answers everything that is to be asked before an action, in one call, and records the decision to do it.
//
// Store.PreActionRequest judges a PreActionRequest while it looks for precedents, their patterns and the calibration of the category, and
// gives a Prepared. Without a confidence or a known category it only checks.
package preparation
