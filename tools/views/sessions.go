package views

import (
	"fmt"
	"strings"

	"nomograph/internal/render"
	"nomograph/sessions"
)

// sessionsBootstrapped formats the governance and the initial contexts of a session.
func sessionsBootstrapped(b sessions.Bootstrapped) string {
	var out strings.Builder
	for _, g := range b.Governance {
		out.WriteString(g.Action + ": " + g.Decision + "\n")
		for _, policy := range g.Policies {
			out.WriteString("  " + render.OneLine(policy) + "\n")
		}
	}
	return out.String() + sessionsStarted(b.Started)
}

// sessionsContexts writes contexts with their contents.
func sessionsContexts(b *strings.Builder, contexts []sessions.Context, left []sessions.LeftOut, notes []string) {
	for _, c := range contexts {
		fmt.Fprintf(b, "[%s, %s, score %.2f]\n> %s\n\n", c.ContextID, c.AtlasID, c.MatchScore,
			strings.TrimSpace(c.Content))
	}
	for _, c := range left {
		fmt.Fprintf(b, "left out, over the token budget: %s (%s)\n", c.ContextID, render.Plural(c.Tokens, "token"))
	}
	addNotes(b, notes)
}

// sessionsGiven formats the contexts for a need.
func sessionsGiven(g sessions.Given) string {
	var b strings.Builder
	sessionsContexts(&b, g.MatchedContexts, g.LeftOut, g.Notes)
	if len(g.MatchedContexts) == 0 {
		b.WriteString("no context fits the need\n")
	}
	fmt.Fprintf(&b, "session %s, event %s\n", g.SessionID, g.TraceID)
	return b.String()
}

// sessionsStarted formats the initial contexts of a session.
func sessionsStarted(s sessions.Started) string {
	var b strings.Builder
	sessionsContexts(&b, s.InitialContext, s.LeftOut, s.Notes)
	fmt.Fprintf(&b, "atlases: %s\nsession %s\n", strings.Join(s.ActiveAtlases, ", "), s.SessionID)
	return b.String()
}
