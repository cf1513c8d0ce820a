package pages

import (
	"cmp"
	"strings"

	"nomograph/graph"
	"nomograph/layout"
	"nomograph/sessions"
	"nomograph/trace"
)

func showSessions(v *Visit) (any, error) {
	return Call[trace.SessionList](v, "list_sessions", trace.SessionFilter{AgentID: v.Query("agent_id"), Limit: 50, Cursor: v.Query("cursor")})
}

// trail is a session as a story, whose chain is verified while somebody looks.
type trail struct {
	Session  trace.SessionRow
	Story    []told
	Next     string
	Verified trace.Verification
}

// PageTitle says whose it is.
func (t trail) PageTitle() string { return "A session of " + cmp.Or(t.Session.AgentID, "nobody known") }

// told is an event in words.
type told struct {
	trace.EventRow
	Did, What string
	Decision  string // that it is about
	Payload   string
}

// did says what an event of a type is. Types that came later are told by their own names.
var did = map[string]string{"query": "searched for", "check": "asked whether it may", "lookup": "looked at", "stats": "looked at numbers of", "thought": "thought", "input": "knew", "step": "thought",
	"decision": "decided", "update": "changed a decision", "review": "reviewed", "link": "linked", "session.started": "began", "context.given": "was given what it needs for",
	"action.reported": "reported that it is about to do", "feedback": "said of a context", "session.ended": "ended"}

// about are the parts of a payload that say what an event was about, the most telling first.
var about = []string{"thought", "text", "query", "description", "decision", "goal", "need", "action", "context_id", "summary", "title", "name", "id"}

func showSession(v *Visit) (any, error) {
	found, err := Call[trace.SessionEvents](v, "get_session", trace.SessionQuery{SessionID: v.Query("id"), Limit: 200, Cursor: v.Query("cursor")})
	if err != nil {
		return nil, err
	}
	out := trail{Session: found.Session, Next: found.NextCursor}
	for _, event := range found.Events {
		out.Story = append(out.Story, toldOf(event))
	}
	out.Verified, err = Call[trace.Verification](v, "verify_trace", trace.VerifyRequest{Sessions: []string{found.Session.UID}})
	return out, err
}

// sessionHead tells whether a session has gone on, so that whoever looks at it need not have its whole chain verified anew to know.
func sessionHead(v *Visit) (Answer, error) {
	found, err := Call[trace.SessionEvents](v, "get_session", trace.SessionQuery{SessionID: v.Query("id"), Limit: 1})
	if err != nil {
		return Answer{}, err
	}
	return JSON(map[string]any{"head": found.Session.Head, "ended": !found.Session.EndedAt.IsZero()})
}

func toldOf(event trace.EventRow) told {
	t := told{EventRow: event, Did: cmp.Or(did[event.Type], event.Type)}
	for _, name := range about {
		if t.What = graph.Text(event.Payload, name); t.What != "" {
			break
		}
	}
	if event.Type == "link" {
		t.Decision = graph.Text(event.Payload, "source_id")
		t.What = strings.Join([]string{t.Decision, strings.ReplaceAll(graph.Text(event.Payload, "edge_type"), "_", " "), graph.Text(event.Payload, "target_id")}, " ")
		if event.Payload["removed"] == true {
			t.Did = "took a link away"
		}
	}
	if event.Type == "decision" || event.Type == "review" || event.Type == "update" || event.Type == "lookup" {
		if id := graph.Text(event.Payload, "id"); !strings.Contains(id, ":") { // else a policy or threshold
			t.Decision = id
		}
	}
	t.Payload, _ = layout.IndentedJSON(event.Payload) // which came out of JSON
	return t
}

// helpfulness is what agents said of contexts, and what follows from it.
type helpfulness struct {
	sessions.FeedbackList
	sessions.Suggestions
}

func showFeedback(v *Visit) (any, error) {
	said, err := Call[sessions.FeedbackList](v, "get_context_feedback", sessions.FeedbackQuery{Limit: 200})
	if err != nil {
		return nil, err
	}
	follows, err := callIfMay[sessions.Suggestions](v, "suggest_atlas_changes", sessions.SuggestQuery{})
	return helpfulness{said, follows}, err
}
