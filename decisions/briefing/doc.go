// Package briefing assembles the context that an agent needs before a session, within a token budget.
//
// Store.SessionContext reads the sections of a Query in parallel and returns a SessionContext, also as Markdown. It
// drops the least important parts until the text fits.
package briefing
