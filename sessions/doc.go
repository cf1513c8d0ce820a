// Package sessions holds governed sessions: atlases, which contribute contexts and rules, and the sessions in which an
// agent receives contexts.
//
// Package trace writes the session, package check evaluates its rules, and package search finds its contexts. No state
// is held in the process.
package sessions
