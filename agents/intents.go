package agents

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
)

// IntentsQuery selects intents.
type IntentsQuery struct {
	AgentID string `json:"agent_id,omitempty" jsonschema:"filter by announcing agent" rule:"maxLength=200"`
	Limit   int    `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=100,default=20"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page" rule:"maxLength=2000"`
}

// IntentList is a page of intents, newest first.
type IntentList struct {
	Intents    []Intent `json:"intents"`
	NextCursor string   `json:"next_cursor,omitempty"`
}

// pagePosition is the position at the end of a page.
type pagePosition struct {
	Time time.Time `json:"t"`
	UID  string    `json:"u"`
}

const defaultIntents = 20

// Intents lists intents, newest first. It returns a validation_error for an invalid cursor.
func (s *Store) Intents(ctx context.Context, q IntentsQuery) (IntentList, error) {
	limit := cmp.Or(q.Limit, defaultIntents)
	p := graph.Params{"agent": graph.NullIfEmpty(strings.ToLower(strings.TrimSpace(q.AgentID))), "at": nil, "uid": "",
		"limit": limit + 1}
	if q.Cursor != "" {
		var from pagePosition
		if err := graph.ReadCursor(q.Cursor, &from); err != nil || from.UID == "" {
			return IntentList{}, apperr.New(apperr.Validation, "Invalid cursor").
				WithHint("Pass `next_cursor` of the previous page unchanged, or leave it out to start")
		}
		p["at"], p["uid"] = graph.UTC(from.Time), from.UID
	}
	rows, err := graph.All[struct{ Intent map[string]any }](ctx, s.graph, cypher.IntentsPage, p)
	if err != nil {
		return IntentList{}, err
	}
	list := IntentList{}
	for i, row := range rows {
		if i == limit {
			last := list.Intents[limit-1]
			list.NextCursor = graph.Cursor(pagePosition{last.At, last.ID})
			break
		}
		list.Intents = append(list.Intents, IntentOf(row.Intent))
	}
	return list, nil
}

// IntentQuery selects one intent.
type IntentQuery struct {
	IntentID string `json:"intent_id" jsonschema:"id or correlation id of the intent" rule:"minLength=1,maxLength=200"`
}

// IntentDetails is an intent with its votes.
type IntentDetails struct {
	Intent     Intent `json:"intent"`
	Votes      []Vote `json:"votes" jsonschema:"votes, oldest first; the newest per agent counts"`
	Objections int    `json:"objections" jsonschema:"agents whose newest vote is an objection"`
}

// Intent returns one intent with its votes. It returns not_found, and a conflict for a correlation id that several
// agents used.
func (s *Store) Intent(ctx context.Context, q IntentQuery) (IntentDetails, error) {
	row, err := s.readIntent(ctx, q.IntentID)
	if err != nil {
		return IntentDetails{}, err
	}
	out := IntentDetails{Intent: IntentOf(row.Intent)}
	newest := map[string]bool{}
	for _, p := range row.Voices {
		v := VoteOf(p)
		out.Votes = append(out.Votes, v)
		newest[caller.Identity(v.AgentID)] = v.Allowed
	}
	for _, allowed := range newest {
		if !allowed {
			out.Objections++
		}
	}
	return out, nil
}

type intentWithVotes struct {
	Intent map[string]any
	Voices []map[string]any
}

func (s *Store) readIntent(ctx context.Context, ref string) (intentWithVotes, error) {
	rows, err := graph.All[intentWithVotes](ctx, s.graph, cypher.IntentWithVotes,
		graph.Params{"ref": strings.TrimSpace(ref)})
	switch {
	case err != nil:
		return intentWithVotes{}, err
	case len(rows) == 0:
		return intentWithVotes{}, apperr.Newf(apperr.NotFound, "Intent '%s' not found", ref).
			WithHint("List intents with `list_intents`")
	case len(rows) > 1:
		names := lists.Map(rows, func(row intentWithVotes) string {
			return fmt.Sprintf("%s (%s)", graph.Text(row.Intent, "uid"), graph.Text(row.Intent, "agent"))
		})
		return intentWithVotes{}, apperr.Newf(apperr.Conflict, "'%s' matches %d intents", ref, len(rows)).
			WithHint("Use the full id: %s", strings.Join(names, ", "))
	}
	return rows[0], nil
}

func (s *Store) findIntent(ctx context.Context, ref string) (Intent, error) {
	row, err := s.readIntent(ctx, ref)
	return IntentOf(row.Intent), err
}
