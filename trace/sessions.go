package trace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// session is a Session node. Properties that were edited to another type are empty.
type session struct {
	SessionRow
	Consumed int64 `column:"consumed"` // number of events that led to decisions
	Imported bool  // imported conversation without events
}

// sessionIn returns the session in a row, and the names of properties that cannot be read.
func sessionIn(row map[string]any) (s session, wrong []string) {
	wrong = fill(&s, row)
	s.Imported = row["kind"] == "imported"
	s.StartedAt, s.LastAt, s.EndedAt = s.StartedAt.UTC(), s.LastAt.UTC(), s.EndedAt.UTC()
	if s.UID == "" && !slices.Contains(wrong, "uid") {
		wrong = append(wrong, "uid")
	}
	if s.Events < 0 {
		s.Events, wrong = 0, append(wrong, "count")
	}
	return s, wrong
}

// fill sets the fields of the struct that into points to from the columns of a row. It returns the columns that have
// another type than their field, because the graph may have been edited. Null leaves a field empty.
func fill(into any, row map[string]any) (wrong []string) {
	target := reflect.ValueOf(into).Elem()
	for _, field := range reflect.VisibleFields(target.Type()) {
		column := field.Tag.Get("column")
		value := reflect.ValueOf(row[column])
		switch {
		case column == "" || !value.IsValid():
		case value.Type() == field.Type:
			target.FieldByIndex(field.Index).Set(value)
		default:
			wrong = append(wrong, column)
		}
	}
	return wrong
}

// SessionFilter selects a page of sessions, last used first.
type SessionFilter struct {
	AgentID string `json:"agent_id,omitempty" jsonschema:"filter by agent" rule:"maxLength=200"`
	Limit   int    `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=500,default=100"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page" rule:"maxLength=200"`
}

// SessionRow is a session in a list.
type SessionRow struct {
	SessionID string    `json:"session_id" column:"id"`
	AgentID   string    `json:"agent_id" column:"agent"`
	Workspace string    `json:"workspace,omitempty" column:"workspace"`
	Goal      string    `json:"goal,omitempty"`
	Denied    int64     `json:"denied,omitempty" jsonschema:"denied actions among the newest 200 events"`
	Ambient   bool      `json:"ambient" jsonschema:"true for an ambient session (agent and workspace, no explicit id)" column:"ambient"`
	StartedAt time.Time `json:"started_at" column:"started_at"`
	LastAt    time.Time `json:"last_at" column:"last_at"`
	EndedAt   time.Time `json:"ended_at,omitzero" column:"ended_at"`
	Events    int64     `json:"events" column:"count"`
	Head      string    `json:"head" jsonschema:"hash of the last event; store it externally to verify with verify_trace later" column:"head"`
	UID       string    `json:"uid" column:"uid"`
}

// Live reports whether the session has not ended and had an event within the last ten minutes.
func (s SessionRow) Live() bool { return s.EndedAt.IsZero() && time.Since(s.LastAt) < 10*time.Minute }

// SessionList is a page of sessions.
type SessionList struct {
	Sessions   []SessionRow `json:"sessions"`
	NextCursor string       `json:"next_cursor,omitempty"`
}

const defaultLimit = 100

// listPosition is the last session of a page.
type listPosition struct {
	At  time.Time
	UID string
}

// Sessions lists sessions. It returns a validation_error for an invalid cursor.
func (l *Log) Sessions(ctx context.Context, f SessionFilter) (SessionList, error) {
	before := listPosition{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), "~"} // sorts after all uids
	if f.Cursor != "" {
		if err := graph.ReadCursor(f.Cursor, &before); err != nil {
			return SessionList{}, badCursor()
		}
	}
	limit := cmp.Or(f.Limit, defaultLimit)
	statement, params := cypher.SessionsPage, graph.Params{"before": graph.UTC(before.At), "before_uid": before.UID,
		"limit": limit + 1}
	if f.AgentID != "" {
		statement, params["agent"] = cypher.SessionsOfAgent, strings.ToLower(strings.TrimSpace(f.AgentID))
	}
	rows, err := graph.All[map[string]any](ctx, l.db, statement, params)
	list := SessionList{Sessions: []SessionRow{}}
	for i, row := range rows {
		if i == limit {
			last := list.Sessions[limit-1]
			list.NextCursor = graph.Cursor(listPosition{last.LastAt, last.UID})
			break
		}
		s, _ := sessionIn(row)
		list.Sessions = append(list.Sessions, s.SessionRow)
	}
	if err != nil {
		return list, err
	}
	return list, l.glance(ctx, list.Sessions)
}

const glanced = 200 // newest events of a session in which denials are counted

// glance adds the goals of sessions and their numbers of denials.
func (l *Log) glance(ctx context.Context, rows []SessionRow) error {
	at := map[string]*SessionRow{}
	for i := range rows {
		at[rows[i].UID] = &rows[i]
	}
	found, err := graph.All[struct {
		UID    string
		Start  any
		Denied int64
	}](ctx, l.db, cypher.SessionsGlance, graph.Params{"sessions": slices.Collect(maps.Keys(at)), "newest": glanced})
	for _, one := range found {
		at[one.UID].Denied = one.Denied
		var start struct{ Goal string }
		if text, ok := one.Start.(string); ok && json.Unmarshal([]byte(text),
			&start) == nil { // a changed payload has no goal
			at[one.UID].Goal = start.Goal
		}
	}
	return err
}

func badCursor() error {
	return apperr.New(apperr.Validation, "Invalid cursor").
		WithHint("Pass `next_cursor` of the previous page unchanged, or leave it out to start")
}

// SessionQuery selects a page of a session's events, in order.
type SessionQuery struct {
	SessionID string `json:"session_id" jsonschema:"id or uid, or the beginning of one" rule:"minLength=1,maxLength=200"`
	Limit     int    `json:"limit,omitempty" jsonschema:"maximum number of events" rule:"minimum=1,maximum=500,default=100"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page" rule:"maxLength=40"`
	Newest    bool   `json:"newest,omitempty" jsonschema:"start with the newest events; earlier_cursor leads to earlier events"`
	// Types and ExceptTypes filter; the page is filled with events that match.
	Types       []string `json:"types,omitempty" jsonschema:"only events of these types, such as decision or check" rule:"maxItems=50"`
	ExceptTypes []string `json:"except_types,omitempty" jsonschema:"no events of these types" rule:"maxItems=50"`
}

// SessionEvents is a session with a page of its events.
type SessionEvents struct {
	Session       SessionRow    `json:"session"`
	Events        []EventRow    `json:"events"`
	NextCursor    string        `json:"next_cursor,omitempty"`
	EarlierCursor string        `json:"earlier_cursor,omitempty" jsonschema:"cursor of the page before this one"`
	Types         []TypeCount   `json:"types,omitempty" jsonschema:"types of all events of the session, with their numbers; with newest only"`
	Conversation  *Conversation `json:"conversation,omitempty" jsonschema:"conversation of the session in memory; reconstruct returns it"`
}

// TypeCount is a type of events with the number of events in a session.
type TypeCount struct {
	Type  string `json:"type"`
	Count int64  `json:"count"`
}

// Conversation names a session in memory.
type Conversation struct {
	Project   string `json:"project"`
	SessionID string `json:"session_id"`
}

// EventRow is an event in a list.
type EventRow struct {
	Seq     int64          `json:"seq" column:"seq"`
	Type    string         `json:"type" column:"type"`
	At      time.Time      `json:"at" column:"at"`
	AgentID string         `json:"agent_id" column:"agent"`
	Payload map[string]any `json:"payload"`
	Hash    string         `json:"hash" column:"hash"`
	UID     string         `json:"uid" column:"uid"`
}

// EventOf returns an event built from its node's properties.
func EventOf(properties map[string]any, at time.Time, uid string) EventRow {
	e := eventIn(properties)
	e.At, e.UID = at, uid
	return e
}

// eventIn returns the event in a row. Fields that cannot be read are empty; Verify reports them.
func eventIn(row map[string]any) (e EventRow) {
	fill(&e, row)
	text, _ := row["payload"].(string)
	e.At, e.Payload = e.At.UTC(), payloadOf(text)
	return e
}

// page returns the seqs between which a page lies, and whether it is filled from its end.
func (q SessionQuery) page() (from, before int64, backward bool, err error) {
	from, before = 0, math.MaxInt64
	if q.Cursor == "" {
		return from, before, q.Newest, nil
	}
	begin, earlier := strings.CutPrefix(q.Cursor, "-") // of an earlier page, which ends where the named page begins
	at, err := strconv.ParseInt(begin, 10, 64)
	switch {
	case err != nil || at < 0:
		return 0, 0, false, badCursor()
	case earlier:
		return from, at, true, nil
	}
	return at, before, false, nil
}

// Session returns a session with its events. It returns not_found, and a validation_error for an invalid cursor.
func (l *Log) Session(ctx context.Context, q SessionQuery) (SessionEvents, error) {
	limit := cmp.Or(q.Limit, defaultLimit)
	from, before, backward, err := q.page()
	if err != nil {
		return SessionEvents{}, err
	}
	node, err := l.sessionOf(ctx, q.SessionID)
	if err != nil {
		return SessionEvents{}, err
	}
	s, _ := sessionIn(node)
	statement := cypher.EventsPage
	params := graph.Params{"session": s.UID, "limit": limit + 1, "types": nullIfNoValues(q.Types),
		"except": nullIfNoValues(q.ExceptTypes)}
	if backward { // the page's end depends on the number of events now
		statement, params["before"] = cypher.EventsNewest, before
	} else {
		params["from"] = from
	}
	rows, err := graph.All[map[string]any](ctx, l.db, statement, params)
	if err != nil {
		return SessionEvents{}, err
	}
	out := SessionEvents{Session: s.SessionRow}
	events := lists.Map(rows, eventIn)
	more := len(events) > limit
	if more && !backward {
		out.NextCursor = strconv.FormatInt(events[limit].Seq, 10)
	}
	out.Events = events[:min(len(events), limit)]
	if backward {
		slices.Reverse(out.Events)
		if before != math.MaxInt64 {
			out.NextCursor = strconv.FormatInt(before, 10)
		}
	}
	if len(out.Events) > 0 && (more && backward || from > 0) {
		out.EarlierCursor = fmt.Sprintf("-%d", out.Events[0].Seq)
	}
	if q.Newest { // counting reads all events, so only the newest page has counts
		if out.Types, err = graph.All[TypeCount](ctx, l.db, cypher.EventsTypes,
			graph.Params{"session": s.UID}); err != nil {
			return SessionEvents{}, err
		}
	}
	place, err := graph.One[map[string]any](ctx, l.db, cypher.SessionConversation,
		graph.Params{"uid": s.UID, "id": s.SessionID})
	if project := graph.Text(place, "project"); project != "" {
		out.Conversation = &Conversation{project, graph.Text(place, "session")}
	}
	return out, err
}

// nullIfNoValues returns a list as a parameter; null, which filters nothing, for an empty list.
func nullIfNoValues(values []string) any {
	if len(values) == 0 {
		return nil
	}
	return values
}

// SessionOwner returns the agent of the session with this id or uid, or "" if there is none.
func (l *Log) SessionOwner(ctx context.Context, id string) (string, error) {
	found, err := graph.One[map[string]any](ctx, l.db, cypher.SessionByID, graph.Params{"session": id})
	return graph.Text(found, "agent"), err
}

// minPrefixLength is the minimum length of an id prefix.
const minPrefixLength = 4

// sessionOf returns the row of a session by its id or uid, or by an unambiguous prefix of its id. It returns not_found,
// or a conflict that lists the candidates.
func (l *Log) sessionOf(ctx context.Context, id string) (map[string]any, error) {
	found, err := graph.One[map[string]any](ctx, l.db, cypher.SessionByID, graph.Params{"session": id})
	if err != nil || found != nil || len(id) < minPrefixLength {
		return found, orMissing(err, found, id)
	}
	begin, err := graph.All[struct{ ID string }](ctx, l.db, cypher.SessionsWithPrefix, graph.Params{"prefix": id})
	if err == nil && len(begin) == 1 {
		found, err = graph.One[map[string]any](ctx, l.db, cypher.SessionByID, graph.Params{"session": begin[0].ID})
	}
	if len(begin) < 2 {
		return found, orMissing(err, found, id)
	}
	ids := make([]string, len(begin))
	for i, s := range begin {
		ids[i] = s.ID
	}
	return nil, apperr.Newf(apperr.Conflict, "Several sessions match '%s'", id).
		WithHint("Use more of the id: %s", strings.Join(ids, ", ")).With("sessions", ids)
}

// orMissing returns err, or not_found if there is no session.
func orMissing(err error, found map[string]any, id string) error {
	if err == nil && found == nil {
		return apperr.Newf(apperr.NotFound, "Session '%s' not found", id).WithHint("List sessions with `list_sessions`")
	}
	return err
}
