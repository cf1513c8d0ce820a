package views

import (
	"fmt"
	"strconv"
	"strings"

	"nomograph/internal/render"
	"nomograph/internal/terminal"
	"nomograph/sessions"
)

// sessionsExceptionList formats a list of exceptions.
func sessionsExceptionList(l sessions.ExceptionList, page terminal.Page) string {
	rows := make([][]string, len(l.Exceptions))
	for i, e := range l.Exceptions {
		rules := make([]string, len(e.Rules))
		for n, r := range e.Rules {
			rules[n] = r.Rule
		}
		until := "-"
		if e.ValidUntil != nil {
			until = page.Time(*e.ValidUntil)
		}
		rows[i] = []string{e.ExceptionID, e.State, e.AgentID, e.Action, e.Params, strings.Join(rules, ", "), until,
			strconv.Itoa(len(e.Renewals)), strconv.FormatInt(e.Used, 10),
			fmt.Sprintf("%d failed, %d succeeded", e.Outcomes.Failure+e.Outcomes.Abandoned, e.Outcomes.Success)}
	}
	return page.List([]string{"EXCEPTION_ID", "STATE", "AGENT_ID", "ACTION", "PARAMS", "RULES", "VALID_UNTIL",
		"RENEWALS", "USED", "OUTCOMES"}, rows, "")
}

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

// sessionsContextsFound formats found contexts.
func sessionsContextsFound(f sessions.ContextsFound) string {
	var b strings.Builder
	for _, c := range f.Contexts {
		fmt.Fprintf(&b, "%.2f  %s (%s): %s\n", c.MatchScore, c.ContextID, c.AtlasID, c.Name)
	}
	if len(f.Contexts) == 0 {
		b.WriteString("no context was found\n")
	}
	return b.String()
}

// sessionsStarted formats the initial contexts of a session.
func sessionsStarted(s sessions.Started) string {
	var b strings.Builder
	sessionsContexts(&b, s.InitialContext, s.LeftOut, s.Notes)
	fmt.Fprintf(&b, "atlases: %s\nsession %s\n", strings.Join(s.ActiveAtlases, ", "), s.SessionID)
	return b.String()
}

// sessionsSuggestions formats suggested atlas changes.
func sessionsSuggestions(s sessions.Suggestions) string {
	var b strings.Builder
	for _, r := range s.Rewrite {
		render.WriteNonEmpty(&b, "rewrite %s\n", r.ContextID)
		for _, reason := range r.Reasons {
			render.WriteNonEmpty(&b, "  %s\n", render.OneLine(reason.Text))
		}
	}
	for _, k := range s.Keywords {
		b.WriteString("add the keyword '" + k.Keyword + "' to " + k.ContextID + "\n")
	}
	for _, u := range s.Unmet {
		b.WriteString("write a context for: " + render.OneLine(u.Need) + " (" + render.Plural(u.Times, "time") + ", " +
			render.Plural(u.Agents, "agent") + ")\n")
	}
	for _, u := range s.Unused {
		b.WriteString("never requested: " + u.ContextID + " (" + u.AtlasID + ", " + u.InjectMode + ")\n")
	}
	if b.Len() == 0 {
		return "nothing to change\n"
	}
	return b.String()
}
