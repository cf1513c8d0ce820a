package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// session is a Session node.
type session struct {
	UID, ID, Agent, Workspace  string
	Ambient                    bool
	StartedAt, LastAt, EndedAt time.Time
	Head                       string // hash of the last event
	Count                      int64  // number of events
	Imported                   bool   // imported conversation without events
}

// sessionNode is a Session node as read. Its properties can have any type, because the graph may have been edited.
type sessionNode struct {
	UID, ID, Agent, Workspace, Ambient, StartedAt, LastAt, EndedAt, Head, Count, Consumed, Kind any
}

// session returns the readable properties of the node, and the names of the others.
func (n sessionNode) session() (s session, wrong []string) {
	s = session{UID: valueAs[string](n.UID, "uid", &wrong), ID: valueAs[string](n.ID, "id", &wrong),
		Agent:     valueAs[string](n.Agent, "agent", &wrong),
		Workspace: valueAs[string](n.Workspace, "workspace", &wrong),
		Ambient:   valueAs[bool](n.Ambient, "ambient", &wrong),
		StartedAt: valueAs[time.Time](n.StartedAt, "started_at", &wrong),
		LastAt:    valueAs[time.Time](n.LastAt, "last_at", &wrong),
		EndedAt:   valueAs[time.Time](n.EndedAt, "ended_at", &wrong), Head: valueAs[string](n.Head, "head", &wrong),
		Count: valueAs[int64](n.Count, "count", &wrong)}
	valueAs[int64](n.Consumed, "consumed", &wrong)
	s.Imported = n.Kind == any("imported")
	if s.UID == "" && !slices.Contains(wrong, "uid") {
		wrong = append(wrong, "uid")
	}
	if s.Count < 0 {
		s.Count, wrong = 0, append(wrong, "count")
	}
	return s, wrong
}

// valueAs returns the value if it has type T, else the zero value. For a value of a different type except nil, it adds
// name to wrong if wrong is not nil.
func valueAs[T any](value any, name string, wrong *[]string) T {
	result, ok := value.(T)
	if !ok && value != nil && wrong != nil {
		*wrong = append(*wrong, name)
	}
	return result
}

// SessionFilter selects a page of sessions, last used first.
type SessionFilter struct {
	AgentID string `json:"agent_id,omitempty" jsonschema:"filter by agent" rule:"maxLength=200"`
	Limit   int    `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=500,default=100"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page" rule:"maxLength=200"`
}

// SessionRow is a session in a list.
type SessionRow struct {
	SessionID string    `json:"session_id"`
	AgentID   string    `json:"agent_id"`
	Workspace string    `json:"workspace,omitempty"`
	Goal      string    `json:"goal,omitempty"`
	Denied    int64     `json:"denied,omitempty" jsonschema:"denied actions among the newest 200 events"`
	Ambient   bool      `json:"ambient" jsonschema:"true for an ambient session (agent and workspace, no explicit id)"`
	StartedAt time.Time `json:"started_at"`
	LastAt    time.Time `json:"last_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	Events    int64     `json:"events"`
	Head      string    `json:"head" jsonschema:"hash of the last event; store it externally to verify with verify_trace later"`
	UID       string    `json:"uid"`
}

// Live reports whether the session has not ended and had an event within the last ten minutes.
func (r SessionRow) Live() bool { return r.EndedAt.IsZero() && time.Since(r.LastAt) < 10*time.Minute }

// SessionList is a page of sessions.
type SessionList struct {
	Sessions   []SessionRow `json:"sessions"`
	NextCursor string       `json:"next_cursor,omitempty"`
}

const (
	defaultLimit = 100
	afterAll     = "~" // sorts after all uids
)

// Sessions lists sessions. It returns a validation_error for an invalid cursor.
func (l *Log) Sessions(ctx context.Context, f SessionFilter) (SessionList, error) {
	at, uid, err := f.before()
	if err != nil {
		return SessionList{}, err
	}
	limit := f.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	statement, params := cypher.SessionsPage, graph.Params{"before": graph.UTC(at), "before_uid": uid,
		"limit": limit + 1}
	if f.AgentID != "" {
		statement, params["agent"] = cypher.SessionsOfAgent, strings.ToLower(strings.TrimSpace(f.AgentID))
	}
	nodes, err := graph.All[sessionNode](ctx, l.db, statement, params)
	if err != nil {
		return SessionList{}, err
	}
	rows := make([]session, len(nodes))
	for i, n := range nodes {
		rows[i], _ = n.session()
	}
	list := SessionList{Sessions: []SessionRow{}}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		list.NextCursor = last.LastAt.UTC().Format(time.RFC3339Nano) + "/" + last.UID
	}
	for _, s := range rows {
		list.Sessions = append(list.Sessions, s.row())
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

func (f SessionFilter) before() (time.Time, string, error) {
	if f.Cursor == "" {
		return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), afterAll, nil
	}
	text, uid, _ := strings.Cut(f.Cursor, "/")
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, uid, badCursor()
	}
	return at, uid, nil
}

func badCursor() error {
	return apperr.New(apperr.Validation, "Invalid cursor").
		WithHint("Pass `next_cursor` of the previous page unchanged, or leave it out to start")
}

func (s session) row() SessionRow {
	row := SessionRow{SessionID: s.ID, AgentID: s.Agent, Workspace: s.Workspace, Ambient: s.Ambient,
		StartedAt: s.StartedAt.UTC(), LastAt: s.LastAt.UTC(),
		Events: s.Count, Head: s.Head, UID: s.UID}
	if !s.EndedAt.IsZero() {
		row.EndedAt = s.EndedAt.UTC()
	}
	return row
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
	Seq     int64          `json:"seq"`
	Type    string         `json:"type"`
	At      time.Time      `json:"at"`
	AgentID string         `json:"agent_id"`
	Payload map[string]any `json:"payload"`
	Hash    string         `json:"hash"`
	UID     string         `json:"uid"`
}

// EventOf returns an event built from its node's properties.
func EventOf(properties map[string]any, at time.Time, uid string) EventRow {
	return eventRow(properties["seq"], properties["type"], properties["agent"], properties["payload"],
		properties["hash"], at, uid)
}

func eventRow(seq, kind, agent, payload, hash any, at time.Time, uid string) EventRow {
	return EventRow{valueAs[int64](seq, "", nil), valueAs[string](kind, "", nil), at.UTC(),
		valueAs[string](agent, "", nil), payloadOf(valueAs[string](payload, "", nil)), valueAs[string](hash, "", nil),
		uid}
}

// Session returns a session with its events. It returns not_found, and a validation_error for an invalid cursor.
func (l *Log) Session(ctx context.Context, q SessionQuery) (SessionEvents, error) {
	limit, from, before := q.Limit, int64(0), int64(math.MaxInt64)
	if limit <= 0 {
		limit = defaultLimit
	}
	backward := q.Newest
	if q.Cursor != "" {
		begin, earlier := strings.CutPrefix(q.Cursor,
			"-") // the cursor of an earlier page: that page ends where the named page begins
		at, err := strconv.ParseInt(begin, 10, 64)
		if err != nil || at < 0 {
			return SessionEvents{}, badCursor()
		}
		if backward = earlier; earlier {
			before = at
		} else {
			from = at
		}
	}
	node, err := l.sessionOf(ctx, q.SessionID)
	if err != nil {
		return SessionEvents{}, err
	}
	s, _ := node.session()
	statement := cypher.EventsPage
	params := graph.Params{"session": s.UID, "limit": limit + 1, "types": nullIfNoValues(q.Types),
		"except": nullIfNoValues(q.ExceptTypes)}
	if backward { // the page's end depends on the number of events now
		statement, params["before"] = cypher.EventsNewest, before
	} else {
		params["from"] = from
	}
	rows, err := graph.All[struct{ UID, Seq, At, Type, Agent, Payload, Hash any }](ctx, l.db, statement, params)
	if err != nil {
		return SessionEvents{}, err
	}
	out := SessionEvents{Session: s.row(), Events: []EventRow{}}
	more := len(rows) > limit
	if backward {
		rows = rows[:min(len(rows), limit)]
		slices.Reverse(rows)
		if before != math.MaxInt64 {
			out.NextCursor = strconv.FormatInt(before, 10)
		}
	} else if more {
		out.NextCursor, rows = strconv.FormatInt(valueAs[int64](rows[limit].Seq, "", nil), 10), rows[:limit]
	}
	if len(rows) > 0 && (more && backward || from > 0) {
		out.EarlierCursor = fmt.Sprintf("-%d", valueAs[int64](rows[0].Seq, "", nil))
	}
	if q.Newest { // counting reads all events, so only the newest page has counts
		if out.Types, err = graph.All[TypeCount](ctx, l.db, cypher.EventsTypes,
			graph.Params{"session": s.UID}); err != nil {
			return SessionEvents{}, err
		}
	}
	row, err := graph.One[struct{ Project, Session any }](ctx, l.db, cypher.SessionConversation,
		graph.Params{"uid": s.UID, "id": s.ID})
	if err != nil {
		return SessionEvents{}, err
	}
	if project := valueAs[string](row.Project, "", nil); project != "" {
		out.Conversation = &Conversation{project, valueAs[string](row.Session, "", nil)}
	}
	for _, e := range rows { // invalid fields are shown empty; Verify reports them
		out.Events = append(out.Events, eventRow(e.Seq, e.Type, e.Agent, e.Payload, e.Hash,
			valueAs[time.Time](e.At, "", nil), valueAs[string](e.UID, "", nil)))
	}
	return out, nil
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
	found, err := graph.One[sessionNode](ctx, l.db, cypher.SessionByID, graph.Params{"session": id})
	s, _ := found.session()
	return s.Agent, err
}

// minPrefixLength is the minimum length of an id prefix.
const minPrefixLength = 4

// sessionOf returns a session by its id or uid, or by an unambiguous prefix of its id. It returns not_found, or a
// conflict that lists the candidates.
func (l *Log) sessionOf(ctx context.Context, id string) (sessionNode, error) {
	found, err := graph.One[sessionNode](ctx, l.db, cypher.SessionByID, graph.Params{"session": id})
	if err != nil || found != (sessionNode{}) || len(id) < minPrefixLength {
		return found, orMissing(err, found, id)
	}
	begin, err := graph.All[struct{ ID string }](ctx, l.db, cypher.SessionsWithPrefix, graph.Params{"prefix": id})
	if err == nil && len(begin) == 1 {
		found, err = graph.One[sessionNode](ctx, l.db, cypher.SessionByID, graph.Params{"session": begin[0].ID})
	}
	if len(begin) < 2 {
		return found, orMissing(err, found, id)
	}
	ids := make([]string, len(begin))
	for i, s := range begin {
		ids[i] = s.ID
	}
	return sessionNode{}, apperr.Newf(apperr.Conflict, "Several sessions match '%s'", id).
		WithHint("Use more of the id: %s", strings.Join(ids, ", ")).With("sessions", ids)
}

// orMissing returns err, or not_found if there is no session.
func orMissing(err error, found sessionNode, id string) error {
	if err == nil && found == (sessionNode{}) {
		return apperr.Newf(apperr.NotFound, "Session '%s' not found", id).WithHint("List sessions with `list_sessions`")
	}
	return err
}
