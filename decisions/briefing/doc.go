// Package briefing tells an agent what to know before a session, in as many tokens as it asks for.
//
// Store.SessionContext reads the sections of a Query at the same time and gives a SessionContext, also as Markdown. The least
// important pieces are left out until the text fits.
package briefing
