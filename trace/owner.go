package trace

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
)

// sessionOwner is a SessionSelector as it is stored: with secrets masked and the agent's key. connection is empty if a
// session id is given.
type sessionOwner struct{ key, name, workspace, session, connection string }

const (
	maxNameLength      = 200 // characters
	maxWorkspaceLength = 1000
)

// owner returns a validation_error for names that are too long for an index. It also rejects a session id that looks
// like a secret, because masking would make different ids equal.
func (w SessionSelector) owner(ctx context.Context) (sessionOwner, error) {
	clean := func(text string) string {
		text, _ = redact.Text(strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD"))
		return text
	}
	o := sessionOwner{name: cmp.Or(clean(w.Agent), "unknown"), workspace: clean(w.Workspace),
		session: strings.ToValidUTF8(w.SessionID, "\uFFFD")}
	o.key = caller.Key(o.name)
	if o.session == "" {
		o.connection = caller.From(ctx).Connection
	}
	if clean(o.session) != o.session {
		return o, apperr.New(apperr.Validation, "`session_id` looks like a secret, or has blanks around it").
			WithHint("Choose another id, or leave it out")
	}
	for name, text := range map[string]string{"agent_id": o.name, "session_id": o.session} {
		if utf8.RuneCountInString(text) > maxNameLength {
			return o, apperr.Newf(apperr.Validation, "%s is longer than %d characters", name, maxNameLength).
				WithHint("Use a short name")
		}
	}
	if utf8.RuneCountInString(o.workspace) > maxWorkspaceLength {
		return o, apperr.Newf(apperr.Validation, "The workspace's name is longer than %d characters",
			maxWorkspaceLength).WithHint("Set NOMOGRAPH_PROJECT")
	}
	return o, nil
}

// place returns the owner without the agent's name, so that all spellings are equal.
func (o sessionOwner) place() sessionOwner {
	o.name = ""
	return o
}

// owns returns a conflict if the session with this id and agent belongs to another agent.
func (o sessionOwner) owns(id, agent string) error {
	if caller.SameAgent(agent, o.key) {
		return nil
	}
	return apperr.Newf(apperr.Conflict, "The session '%s' belongs to another agent, not to '%s'", id, o.name).
		WithHint("Leave `session_id` out, or choose another")
}
