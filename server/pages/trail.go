package pages

import (
	"cmp"
	"fmt"
	"strings"

	"nomograph/graph"
	"nomograph/internal/render"
	"nomograph/policies/check"
	"nomograph/sessions"
	"nomograph/trace"
)

func showSessions(v *Visit) (any, error) {
	return Call[trace.SessionList](v, "list_sessions", trace.SessionFilter{AgentID: v.Query("agent_id"), Limit: 50, Cursor: v.Query("cursor")})
}

// trail is the data of a session's page. Its chain is verified for each request.
type trail struct {
	Session  trace.SessionRow
	Story    []storyEvent
	Next     string
	Verified trace.Verification
}

// PageTitle returns a title with the session's agent.
func (t trail) PageTitle() string {
	return "Session of " + cmp.Or(t.Session.AgentID, "an unknown agent")
}

// storyEvent is an event as a sentence: agent, Did, What and Result.
type storyEvent struct {
	trace.EventRow
	Did, What string
	Decision  string // id of the decision that What links to
	Result    string // one word: a verdict, an outcome or a vote
	Look      string // CSS class of the Result badge
	Verdict   string // id of the verdict
	More      []string
	Payload   string
}

func showSession(v *Visit) (any, error) {
	found, err := Call[trace.SessionEvents](v, "get_session", trace.SessionQuery{SessionID: v.Query("id"), Limit: 200, Cursor: v.Query("cursor")})
	if err != nil {
		return nil, err
	}
	out := trail{Session: found.Session, Next: found.NextCursor}
	for _, event := range found.Events {
		out.Story = append(out.Story, storyEventOf(event))
	}
	out.Verified, err = Call[trace.Verification](v, "verify_trace", trace.VerifyRequest{Sessions: []string{found.Session.UID}})
	return out, err
}

// sessionHead returns the head hash of a session, so that a script can detect new events without verifying the whole
// chain again.
func sessionHead(v *Visit) (Answer, error) {
	found, err := Call[trace.SessionEvents](v, "get_session", trace.SessionQuery{SessionID: v.Query("id"), Limit: 1})
	if err != nil {
		return Answer{}, err
	}
	return JSON(map[string]any{"head": found.Session.Head, "ended": !found.Session.EndedAt.IsZero()})
}

// storyEventOf describes an event by its type. Unknown types are described by their name.
func storyEventOf(event trace.EventRow) storyEvent {
	t := storyEvent{EventRow: event}
	payload := func(name string) string { return graph.Text(event.Payload, name) }
	more := func(before, name string) {
		if text := readable(event.Payload[name]); text != "" {
			t.More = append(t.More, before+text)
		}
	}
	decision := func() { // ids of policies and thresholds contain a colon
		if t.What = plain(render.Title(payload("decision"))); !strings.Contains(payload("id"), ":") {
			t.Decision = payload("id")
		}
		t.What = cmp.Or(t.What, payload("id"))
	}
	switch event.Type {
	case "query":
		t.Did, t.What = "searched for", payload("query")
		if results, ok := event.Payload["results"].([]any); ok {
			t.More = append(t.More, fmt.Sprintf("found %s", render.Plural(len(results), "decision")))
		}
	case "check":
		t.Did, t.What, t.Verdict = "checked the action", cmp.Or(payload("description"), "(not recorded)"), payload("verdict_id")
		t.Result, t.Look = "denied", "denied"
		if event.Payload["allowed"] == true {
			t.Result, t.Look = "allowed", "allowed"
		}
		more("violated: ", "objections")
	case "lookup":
		t.Did = "read"
		decision()
		switch {
		case payload("path_to") != "":
			t.Did = "looked for a path from"
			more("to ", "path_to")
		case event.Payload["graph"] != nil, event.Payload["neighbors"] != nil:
			t.Did = "read the links of"
		case event.Payload["lineage"] != nil:
			t.Did = "read the lineage of"
		}
	case "stats":
		t.Did, t.What = "read statistics:", payload("text")
	case "thought":
		t.Did, t.What = "thought:", payload("text")
	case "step":
		t.Did, t.What = "reasoned:", payload("thought")
	case "input":
		t.Did, t.What = "took into account:", payload("text")
		more("source: ", "source")
	case "decision":
		t.Did = "decided:"
		decision()
	case "update":
		t.Did = "updated the decision"
		switch event.Payload["retracted"] {
		case true:
			t.Did = "retracted the decision"
		case false:
			t.Did = "restored the decision"
		}
		decision()
		more("changed ", "updated_fields")
		more("reason: ", "why")
	case "review":
		t.Did, t.Result, t.Look = "reviewed the decision", payload("outcome"), payload("outcome")
		decision()
		more("", "actual_result")
	case "link":
		t.Did, t.Decision = "linked", payload("source_id")
		if event.Payload["removed"] == true {
			t.Did = "removed the link"
		}
		t.What = strings.Join([]string{payload("source_id"), strings.ReplaceAll(payload("edge_type"), "_", " "), payload("target_id")}, " ")
	case "session.started":
		t.Did, t.What = "started the session with the goal", payload("goal")
	case "context.given":
		t.Did, t.What = "asked for context on", payload("need")
		given := listedIn(event.Payload["contexts"], "context_id")
		if t.More = append(t.More, "got "+strings.Join(given, ", ")); len(given) == 0 {
			t.More = []string{"no context matched"}
		}
	case "action.reported":
		t.Did, t.What, t.Verdict = "reported the action", payload("action"), payload("verdict_id")
		t.Result = strings.ReplaceAll(payload("decision"), "_", " ")
		t.Look = map[string]string{sessions.Approved: "allowed", sessions.NeedsApproval: "warn"}[payload("decision")]
		t.Look = cmp.Or(t.Look, "denied")
		more("", "reason")
	case "tool.executed":
		t.Did, t.What = "executed the tool call", cmp.Or(payload("tool"), payload("kind"))
		t.Result, t.Look = payload("outcome"), map[string]string{check.Succeeded: "allowed", check.FailedCall: "denied"}[payload("outcome")]
		more("in ", "client")
	case "approval.granted", "approval.denied", "approval.undone", "approval.renewed", "approval.revoked":
		t.Did, t.What = "got an answer to the approval request for", payload("action")
		t.Result, t.Look = "approved", "allowed"
		switch event.Type {
		case "approval.denied":
			t.Result, t.Look = "rejected", "denied"
		case "approval.undone":
			t.Result, t.Look = "approval undone", "warn"
		case "approval.renewed":
			t.Result = "approval renewed"
		case "approval.revoked":
			t.Result, t.Look = "approval revoked", "denied"
		}
		more("by ", "answered_by")
		more("by ", "undone_by")
		more("by ", "renewed_by")
		more("by ", "revoked_by")
		more("", "reason")
	case "feedback":
		t.Did, t.What = "rated the context", payload("context_id")
		t.Result, t.Look = "not helpful", "denied"
		if event.Payload["helpful"] == true {
			t.Result, t.Look = "helpful", "allowed"
		}
		more("", "reason")
		more("for the need: ", "need")
	case trace.Ending:
		t.Did, t.What = "ended the session", ""
		more("", "summary")
	default:
		t.Did = strings.NewReplacer(".", " ", "_", " ").Replace(event.Type)
		for _, name := range about {
			if t.What = payload(name); t.What != "" {
				break
			}
		}
	}
	t.Payload, _ = render.IndentedJSON(event.Payload) // the payload was decoded from JSON
	return t
}

// about lists the payload fields that describe an event of an unknown type, the most informative first.
var about = []string{"thought", "text", "query", "description", "action", "decision", "goal", "need", "context_id", "summary", "title", "name", "event_type", "id"}

// listedIn returns one field of every object in a list.
func listedIn(list any, field string) (values []string) {
	items, _ := list.([]any)
	for _, item := range items {
		if of, ok := item.(map[string]any); ok {
			if value := graph.Text(of, field); value != "" {
				values = append(values, value)
			}
		}
	}
	return values
}

// feedbackPage is the data of the feedback page.
type feedbackPage struct {
	sessions.FeedbackList
	sessions.Suggestions
}

func showFeedback(v *Visit) (any, error) {
	list, err := Call[sessions.FeedbackList](v, "get_context_feedback", sessions.FeedbackQuery{Limit: 200})
	if err != nil {
		return nil, err
	}
	suggested, err := callIfMay[sessions.Suggestions](v, "suggest_atlas_changes", sessions.SuggestQuery{})
	return feedbackPage{list, suggested}, err
}
