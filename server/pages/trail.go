package pages

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"time"

	"nomograph/internal/document"
	"nomograph/internal/render"
	"nomograph/memory/recall"
	"nomograph/sessions"
	"nomograph/trace"
)

// trail is the data of a session's page. Its chain is verified for each request.
type trail struct {
	Session       trace.SessionRow
	Story         []storyEvent // newest first
	Next, Earlier string       // cursors of the pages with later and with earlier events
	Verified      trace.Verification
	Families      []family
	Family        string // selected family of events; "" for all
	Conversation  *recall.Reconstruction
}

// Lasted returns the time from the first to the last event in words; "" for less than a second.
func (t trail) Lasted() string { return duration(t.Session.LastAt.Sub(t.Session.StartedAt)) }

// OneDay reports whether the time of day alone identifies the events: the session lasted less than twelve hours. Its
// heading has the date.
func (t trail) OneDay() bool { return t.Session.LastAt.Sub(t.Session.StartedAt) < 12*time.Hour }

// family is a group of event types with one icon, by which the page filters: a row of families.json.
type family struct {
	Name, Title string
	Icon        string // path of an SVG with 16 units
	Types       []string
	Count       int64 // events of the session
}

//go:embed families.json
var familiesFile []byte

// families are all groups of event types. The last family has all other types.
var families = document.ShippedJSON[[]family](familiesFile)

// familyOf returns the family of an event type.
func familyOf(kind string) family {
	all := families()
	for _, f := range all {
		if slices.Contains(f.Types, kind) {
			return f
		}
	}
	return all[len(all)-1]
}

// duration returns a time span in words, with one unit; "" for less than a tenth of a second.
func duration(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return ""
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f\u00a0s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f\u00a0s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f\u00a0min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f\u00a0h", d.Hours())
	}
	return fmt.Sprintf("%.0f\u00a0days", d.Hours()/24)
}

// tree groups the events since the previous decision under each decision. Events of a decision are oldest first;
// decisions and other events are newest first.
func tree(events []storyEvent) (story []storyEvent) {
	var open []storyEvent // since the last decision
	for _, event := range events {
		switch {
		case event.Type == "decision":
			event.Led = open
			story, open = append(story, event), nil
		case slices.Contains([]string{"thoughts", "reads", "checks"}, event.Family.Name) &&
			event.Type != "action.reported":
			open = append(open, event)
		default:
			story = append(story, event)
		}
	}
	story = append(story, open...)
	slices.SortStableFunc(story, func(a, b storyEvent) int { return cmp.Compare(b.Seq, a.Seq) })
	return story
}

const (
	storyEvents        = 200
	conversationTokens = 6000
)

// PageTitle returns a title with the session's agent.
func (t trail) PageTitle() string {
	return "Session of " + cmp.Or(t.Session.AgentID, "an unknown agent")
}

// storyEvent is an event as a sentence, which continues after the name of the agent.
type storyEvent struct {
	trace.EventRow
	Sentence template.HTML
	Text     string // the payload
	Family   family
	Took     string       // since the event before, in words
	Led      []storyEvent // events that led to this decision
}

func showSession(v *Visit) (any, error) {
	out := trail{}
	q := trace.SessionQuery{SessionID: v.Query("id"), Limit: storyEvents, Cursor: v.Query("cursor"), Newest: true}
	var named []string // types that have a family of their own
	for _, f := range families() {
		named = append(named, f.Types...)
		if f.Name == v.Query("type") {
			out.Family, q.Types = f.Name, f.Types
		}
	}
	if out.Family != "" && len(q.Types) == 0 {
		q.ExceptTypes = named
	}
	found, err := Call[trace.SessionEvents](v, "get_session", q)
	if err != nil {
		return nil, err
	}
	out.Session, out.Next, out.Earlier = found.Session, found.NextCursor, found.EarlierCursor
	var events []storyEvent
	for i, event := range found.Events {
		e, err := v.storyEventOf(event)
		if err != nil {
			return nil, err
		}
		if i > 0 && event.Seq == found.Events[i-1].Seq+1 {
			e.Took = duration(event.At.Sub(found.Events[i-1].At))
		}
		events = append(events, e)
	}
	counts := map[string]int64{}
	for _, t := range found.Types {
		counts[familyOf(t.Type).Name] += t.Count
	}
	for _, f := range families() {
		if f.Count = counts[f.Name]; f.Count > 0 || f.Name == out.Family {
			out.Families = append(out.Families, f)
		}
	}
	out.Story = tree(events)
	err = concurrently(func() error {
		at := found.Conversation
		if at == nil {
			return nil
		}
		text, err := callIfMay[recall.Reconstruction](v, "reconstruct",
			recall.ReconstructQuery{Project: at.Project, SessionID: at.SessionID, MaxTokens: conversationTokens})
		if len(text.Chunks) > 0 {
			out.Conversation = &text
		}
		if expected(err) {
			return nil
		}
		return err
	}, func() (err error) {
		out.Verified, err = Call[trace.Verification](v, "verify_trace",
			trace.VerifyRequest{Sessions: []string{found.Session.UID}})
		return err
	})
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

// storyEventOf describes an event by the template of its type in templates/story.html.
func (v *Visit) storyEventOf(event trace.EventRow) (storyEvent, error) {
	t := storyEvent{EventRow: event, Family: familyOf(event.Type)}
	t.Text, _ = render.IndentedJSON(event.Payload) // the payload was decoded from JSON
	name := "event " + event.Type
	if v.server.templates[v.page.Name].Lookup(name) == nil {
		name = "event of another type"
	}
	var sentence bytes.Buffer
	err := v.server.templates[v.page.Name].ExecuteTemplate(&sentence, name, event)
	t.Sentence = safeHTML(sentence.String()) // of a template
	return t, err
}

// feedbackPage is the data of the feedback page.
type feedbackPage struct {
	*listing
	sessions.Suggestions
}

func showFeedback(v *Visit) (any, error) {
	list, err := v.list(feedbackList)
	if err != nil {
		return list, err
	}
	suggested, err := callIfMay[sessions.Suggestions](v, "suggest_atlas_changes", sessions.SuggestQuery{})
	return feedbackPage{list, suggested}, err
}
