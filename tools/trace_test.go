package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/config"
	"nomograph/internal/schema"
)

// TestTrace_Operations_MatchTheirSchemas records thoughts before and after a decision and validates the answers
// against the published schemas.
func TestTrace_Operations_MatchTheirSchemas(t *testing.T) {
	g := graphtest.New(t)
	env := Open(config.Defaults(), zerolog.Nop(), Options{Graph: g.DB, Workspace: "here"})
	g.Exec(t, "CREATE (d:Decision {uid: 'd1', id: 'abcdef01', decision: 'Use Neo4j'})-[:DELIBERATED_BY {position: 2}]->(:TraceEvent {uid: 'e1', session: 'old', seq: 0})<-[:RECORDED]-(:Session {uid: 'old', id: 'old', agent: 'bob', last_at: datetime(), count: 1})", nil)
	for _, tt := range []struct {
		operation, arguments, holds string
		fails                       apperr.Code
	}{
		{operation: "record_thought", arguments: `{"text": "first", "session_id": "s"}`,
			holds: `{"success":true,"mode":"pre-decision","session_id":"s","seq":0}`},
		{operation: "record_thought", arguments: `{"text": "too late", "session_id": "s", "decision_id": "abcd"}`,
			holds: `"mode":"post-decision","session_id":"s","seq":1,"decision_id":"abcdef01","step_number":3}`},
		{operation: "record_thought", arguments: `{"text": "ambient"}`, holds: `"seq":0`},
		{operation: "record_thought", arguments: `{"text": "ambient", "agent_id": "Ann"}`, holds: `"seq":1`},
		{operation: "record_thought", arguments: `{"text": "nowhere", "decision_id": "ffffffff"}`,
			fails: apperr.NotFound},
		{operation: "record_thought", arguments: `{"text": "x", "session_id": "s", "agent_id": "bob"}`,
			fails: apperr.Conflict},
		{operation: "record_thought", arguments: `{"text": ""}`, fails: apperr.Validation},
		{operation: "list_sessions", arguments: `{"agent_id": "ANN"}`, holds: `"session_id":"s"`},
		{operation: "get_session", arguments: `{"session_id": "s"}`,
			holds: `"payload":{"decision_id":"abcdef01","text":"too late"}`},
		{operation: "get_session", arguments: `{"session_id": "nowhere"}`, fails: apperr.NotFound},
		{operation: "verify_trace", arguments: `{"sessions": ["s"]}`,
			holds: `{"intact":true,"sessions":1,"events":2,"problems":[],"head":"`},
		{operation: "verify_trace", arguments: `{}`,
			holds: `"problem":"hash_mismatch"`}, // the old session was written without hashes of the chain
	} {
		t.Run(tt.operation+" "+tt.arguments, func(t *testing.T) {
			o, _ := Find(traceOperations, tt.operation)
			out, err := o.Run(WithCaller(t.Context(), "ann"), env, json.RawMessage(tt.arguments))
			if tt.fails != "" {
				if !apperr.Is(err, tt.fails) {
					t.Fatalf("%v, want %s", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(out)
			if err != nil || !strings.Contains(string(text), tt.holds) {
				t.Errorf("%s %v\nlacks %s", text, err, tt.holds)
			}
			output, err := json.Marshal(o.Output())
			if err != nil {
				t.Fatal(err)
			}
			var value any
			if err := json.Unmarshal(text, &value); err != nil {
				t.Fatal(err)
			}
			if problems := schema.MustCompile(output).Check(value); len(problems) > 0 {
				t.Errorf("got %v\n%s, want no problems", problems, text)
			}
		})
	}
}
