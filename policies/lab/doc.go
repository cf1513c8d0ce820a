// Package lab reports from recorded verdicts and outcomes what rules did and what other rules would have done.
//
// Store.Replay evaluates recorded actions by the rules in force and by changed ones, and returns a Replay: which
// actions flip, and their outcomes. Store.Export writes the actions to a file, and ReplayFile replays from it without
// a database.
package lab
