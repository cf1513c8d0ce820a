package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/policies/change"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// person returns the same answer to every question, and stores the questions.
type person struct {
	answer map[string]any
	err    error
	asked  string
}

func (p *person) Ask(_ context.Context, q tools.Question) (map[string]any, error) {
	p.asked = q.Message
	return p.answer, p.err
}

func TestSetThreshold_UnusualChange_AsksThePerson(t *testing.T) {
	g, env := toolstest.Open(t)
	set, _ := tools.Find(tools.Catalog, "set_threshold")
	for _, tt := range []struct {
		name  string
		asker *person
		done  bool
	}{
		{"a person who confirms", &person{answer: map[string]any{"confirm": true}}, true},
		{"a person who does not", &person{answer: map[string]any{"confirm": false}}, false},
		{"a person who declines", &person{err: tools.ErrNoAnswer}, false},
		{"nobody at hand", &person{err: tools.ErrNoPerson}, false},
		{"no asker", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g.Exec(t, "MATCH (t:SYS_Threshold) DETACH DELETE t;\nCREATE (:SYS_Threshold {name: 'limit', value: 10})",
				nil)
			ctx := t.Context()
			if tt.asker != nil {
				ctx = tools.WithAsker(ctx, tt.asker)
			}
			_, err := set.Run(ctx, env, json.RawMessage(`{"name": "limit", "value": 200, "reason": "r"}`))
			if tt.done != (err == nil) || err != nil && !apperr.Is(err, apperr.Validation) {
				t.Errorf("got %v", err)
			}
			if tt.asker != nil && !strings.Contains(tt.asker.asked,
				"from 10 to 200, which is more than ten times as much") {
				t.Errorf("asked %q", tt.asker.asked)
			}
			want := map[bool]any{true: int64(200), false: int64(10)}[tt.done]
			graphtest.Equal(t, g.Rows(t, "MATCH (t:SYS_Threshold) RETURN t.value AS value",
				nil)[0]["value"], want, "held values")
		})
	}
	out, err := set.Run(t.Context(), env, json.RawMessage(`{"name": "limit", "value": 1, "reason": "r", "confirm": true}`))
	if changed, ok := out.(change.ThresholdChanged); err != nil || !ok || !changed.Changed {
		t.Errorf("confirmed: %v %v", out, err)
	}
}
