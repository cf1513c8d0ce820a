package trace

import (
	"context"
	"strings"
	"unicode/utf8"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
)

// sessionOwner is a Who as it is stored: without secrets, under the key of its agent. Whoever names a session means it from every connection.
type sessionOwner struct{ key, name, workspace, session, connection string }

const (
	maxNameLength      = 200 // characters
	maxWorkspaceLength = 1000
)

// owner returns a validation_error for names that are too long for an index, and for a session id that is a secret: masked, it
// would be that of others too.
func (w SessionSelector) owner(ctx context.Context) (sessionOwner, error) {
	clean := func(text string) string {
		text, _ = redact.Text(strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD"))
		return text
	}
	o := sessionOwner{name: clean(w.Agent), workspace: clean(w.Workspace), session: strings.ToValidUTF8(w.SessionID, "\uFFFD")}
	if o.name == "" {
		o.name = "unknown"
	}
	o.key = caller.Key(o.name)
	if o.session == "" {
		o.connection = caller.From(ctx).Connection
	}
	if clean(o.session) != o.session {
		return o, apperr.New(apperr.Validation, "`session_id` looks like a secret, or has blanks around it").WithHint("Choose another id, or leave it out")
	}
	for name, text := range map[string]string{"agent_id": o.name, "session_id": o.session} {
		if utf8.RuneCountInString(text) > maxNameLength {
			return o, apperr.Newf(apperr.Validation, "%s is longer than %d characters", name, maxNameLength).WithHint("Use a short name")
		}
	}
	if utf8.RuneCountInString(o.workspace) > maxWorkspaceLength {
		return o, apperr.Newf(apperr.Validation, "The workspace's name is longer than %d characters", maxWorkspaceLength).WithHint("Set NOMOGRAPH_PROJECT")
	}
	return o, nil
}

// place is the same for all spellings of an agent's name.
func (o sessionOwner) place() sessionOwner {
	o.name = ""
	return o
}

// owns gives a conflict where the session of that id and agent is not the owner's.
func (o sessionOwner) owns(id, agent string) error {
	if caller.SameAgent(agent, o.key) {
		return nil
	}
	return apperr.Newf(apperr.Conflict, "The session '%s' belongs to another agent, not to '%s'", id, o.name).
		WithHint("Leave `session_id` out, or choose another")
}
