package trace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestVerify_TamperedChain_IsFound edits a chain of events 0 to 4 in every possible way and expects the kind and place
// of the change.
func TestVerify_TamperedChain_IsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	l := newLog(g)
	const e2, e4, s = "MATCH (e:TraceEvent {session: $s, seq: 2}) ", "MATCH (e:TraceEvent {session: $s, seq: 4}) ",
		"MATCH (s:Session {uid: $s}) "
	tests := map[string]struct {
		edit string
		want []string // seq and problem
	}{
		"nothing":                       {"RETURN 1", nil},
		"what is not part of the chain": {s + "SET s.consumed = 3, s.last_at = datetime()", nil},
		"consumed, more than there is":  {s + "SET s.consumed = 6", []string{"0 invalid_session"}},
		"uid of an event":               {e2 + "SET e.uid = e.uid + 'x'", []string{"2 hash_mismatch"}},
		"schema of an event":            {e2 + "SET e.schema_version = 1", []string{"2 hash_mismatch"}},
		"schema of an event, unknown":   {e2 + "SET e.schema_version = 3", []string{"2 hash_mismatch"}},
		"a property more":               {e2 + "SET e.note = 'x'", []string{"2 extra_property"}},
		"type":                          {e2 + "SET e.type = 'decision'", []string{"2 hash_mismatch"}},
		"at": {e2 + "SET e.at = e.at + duration('PT0.000001S')",
			[]string{"2 hash_mismatch", "3 time_regression"}},
		"at, by a nanosecond": {e2 + "SET e.at = e.at + duration('PT0.000000001S')",
			[]string{"2 hash_mismatch", "3 time_regression"}},
		"at, the same instant elsewhere": {e2 + "SET e.at = datetime({datetime: e.at, timezone: '+02:00'})",
			[]string{"2 hash_mismatch"}},
		"at, far back": {e2 + "SET e.at = e.at - duration('P1D')",
			[]string{"2 hash_mismatch", "2 time_regression"}},
		"at, no time": {e2 + "SET e.at = toString(e.at)", []string{"2 hash_mismatch"}},
		"agent":       {e2 + "SET e.agent = 'bob'", []string{"2 hash_mismatch"}},
		"payload": {e2 + "SET e.payload = replace(e.payload, 'text', 'Text')",
			[]string{"2 hash_mismatch"}},
		"payload, gone":                   {e2 + "REMOVE e.payload", []string{"2 hash_mismatch"}},
		"a character moves to a neighbor": {e2 + "SET e.type = left(e.type, size(e.type) - 1), e.agent = right(e.type, 1) + e.agent", []string{"2 hash_mismatch"}},
		"prev_hash": {e2 + "SET e.prev_hash = 'x'",
			[]string{"2 chain_broken", "2 hash_mismatch"}},
		"hash":             {e2 + "SET e.hash = 'x'", []string{"2 hash_mismatch", "3 chain_broken"}},
		"hash of the last": {e4 + "SET e.hash = 'x'", []string{"4 hash_mismatch", "4 head_mismatch"}},
		"hash and prev_hash of the first": {"MATCH (e:TraceEvent {session: $s, seq: 0}) SET e.prev_hash = '00'",
			[]string{"0 invalid_start", "0 hash_mismatch"}},
		"seq":                            {e2 + "SET e.seq = 7", []string{"2 sequence_gap", "7 foreign_event"}},
		"seq, of two that change places": {"MATCH (a:TraceEvent {session: $s, seq: 1}), (b:TraceEvent {session: $s, seq: 2}) SET a.seq = 99 SET b.seq = 1 SET a.seq = 2", []string{"1 chain_broken", "1 hash_mismatch", "2 chain_broken", "2 hash_mismatch", "3 chain_broken"}},
		"seq, a fraction":                {e2 + "SET e.seq = 1.5", []string{"2 foreign_event", "2 sequence_gap"}},
		"seq, negative": {"MATCH (e:TraceEvent {session: $s, seq: 0}) SET e.seq = -1",
			[]string{"0 foreign_event", "0 sequence_gap"}},
		"session of an event":   {e4 + "SET e.session = 'other'", []string{"4 missing_tail"}},
		"deleted in the middle": {e2 + "DETACH DELETE e", []string{"2 sequence_gap"}},
		"deleted at the start": {"MATCH (e:TraceEvent {session: $s, seq: 0}) DETACH DELETE e",
			[]string{"0 sequence_gap"}},
		"deleted at the tail": {e4 + "DETACH DELETE e", []string{"4 missing_tail"}},
		"deleted, all of them": {"MATCH (e:TraceEvent {session: $s}) DETACH DELETE e",
			[]string{"0 missing_tail"}},
		"deleted at the tail, the count set back": {e4 + "DETACH DELETE e WITH 1 AS x " + s + "SET s.count = 4",
			[]string{"3 head_mismatch"}},
		"deleted at the tail, the session set back, which only the anchor tells": {
			e4 + "WITH e, e.prev_hash AS head DETACH DELETE e WITH head " + s + "SET s.count = 4, s.head = head",
			[]string{"3 anchor_mismatch"}},
		"added by hand behind the end": {s + "CREATE (s)-[:RECORDED]->(:TraceEvent {uid: $s + 'x', session: $s, seq: 5, type: 'thought', at: datetime(), agent: 'ann', payload: '{}', prev_hash: s.head, hash: 'x'})",
			[]string{"5 foreign_event"}},
		"added by hand, and counted": {s + "CREATE (s)-[:RECORDED]->(:TraceEvent {uid: $s + 'x', session: $s, seq: 5, type: 'thought', at: datetime(), agent: 'ann', payload: '{}', prev_hash: s.head, hash: 'x'}) SET s.count = 6, s.head = 'x'",
			[]string{"5 hash_mismatch"}},
		"added beside the chain": {s + "CREATE (s)-[:RECORDED]->(:TraceEvent {uid: $s + 'x'})",
			[]string{"5 foreign_event"}},
		"taken from the session": {e2 + "MATCH (e)<-[r:RECORDED]-() DELETE r", []string{"2 foreign_event"}},
		"count":                  {s + "SET s.count = 3", []string{"2 head_mismatch", "4 foreign_event"}},
		"count, more":            {s + "SET s.count = 9", []string{"5 missing_tail"}},
		"head":                   {s + "SET s.head = 'x'", []string{"4 head_mismatch"}},
		"agent of the session":   {s + "SET s.agent = 'bob'", []string{"0 invalid_start"}},
		"start of the session": {s + "SET s.started_at = s.started_at - duration('PT1S')",
			[]string{"0 invalid_start"}},
		"the chain of another session": {"MATCH (o:Session {id: 'other'}) " + s +
			"MATCH (s)-[:RECORDED]->(e) DETACH DELETE e WITH DISTINCT o, s MATCH (o)-[:RECORDED]->(f) CREATE (s)-[:RECORDED]->(c:TraceEvent) SET c = f {.*, uid: f.uid + $s, session: $s} SET s.head = o.head", []string{"0 invalid_start", "0 hash_mismatch", "1 hash_mismatch", "2 hash_mismatch", "3 hash_mismatch", "4 hash_mismatch", "4 anchor_mismatch"}},
	}
	record := func(id string) trace.Receipt {
		t.Helper()
		return appended(t, l, trace.SessionSelector{Agent: "ann", SessionID: id}, thought("a"), thought("b"),
			thought("c"), thought("d"), thought("e"))
	}
	other := record("other")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			receipt := record(name)
			g.Exec(t, test.edit, map[string]any{"s": receipt.SessionUID})
			v, err := l.Verify(t.Context(), trace.VerifyRequest{Sessions: []string{name},
				ExpectedHead: anchor(test.want, receipt.Head)})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range v.Problems {
				got = append(got, fmt.Sprint(p.Seq, " ", p.Problem))
				if p.SessionID != name || p.Message == "" {
					t.Errorf("got %+v, want SessionID=%v, a Message", p, name)
				}
			}
			if !slices.Equal(got, test.want) || v.Failed() != (len(test.want) > 0) || v.Sessions != 1 {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if text := toolstest.Text(v); v.Failed() == strings.HasPrefix(text, "intact") || len(got) > 0 &&
				!strings.Contains(text, got[0][2:]) {
				t.Errorf(`got %s, want Failed other than strings.HasPrefix(text, "intact"), not len(got) > 0 && !strings.Contains(text, got[0][2:])`, text)
			}
		})
	}

	t.Run("all sessions", func(t *testing.T) {
		var steps []progress.Step
		v, err := l.Verify(progress.Listen(t.Context(), func(s progress.Step) { steps = append(steps, s) }),
			trace.VerifyRequest{})
		broken := map[string]bool{}
		for _, p := range v.Problems {
			broken[p.SessionID] = true
		}
		for name, test := range tests {
			if needsAnchor := len(test.want) == 1 && strings.Contains(test.want[0],
				"anchor"); broken[name] != (len(test.want) > 0 && !needsAnchor) {
				t.Errorf("%s: got %v, want broken[name]=%v", name, broken[name], (len(test.want) > 0 && !needsAnchor))
			}
		}
		if all := int64(len(tests) + 1); err != nil || broken["other"] || v.Sessions != all || len(steps) != int(all) ||
			steps[0].Total != all {
			t.Errorf("got %+v %v %v, want other=false, Sessions=%v, len(steps)=%v, Total=%v", v, err, steps, all,
				int(all), all)
		}
	})
	t.Run("events of a deleted session", func(t *testing.T) {
		receipt := record("gone")
		g.Exec(t, "MATCH (s:Session {id: 'gone'}) DETACH DELETE s", nil)
		v, err := l.Verify(t.Context(), trace.VerifyRequest{})
		if found := slices.ContainsFunc(v.Problems, func(p trace.Problem) bool {
			return p.SessionID == receipt.SessionUID
		}); err != nil || !found && v.Omitted == 0 {
			t.Errorf("got %+v %v, want not !found && v.Omitted == 0", v, err)
		}
	})
	t.Run("a session without an id is ambient", func(t *testing.T) {
		receipt := appended(t, l, trace.SessionSelector{Agent: "ambi"}, thought("a"))
		intact(t, l, receipt.SessionUID)
		g.Exec(t, "MATCH (s:Session {uid: $s}) SET s.ambient = false", map[string]any{"s": receipt.SessionUID})
		v, err := l.Verify(t.Context(), trace.VerifyRequest{Sessions: []string{receipt.SessionUID}})
		if err != nil || len(v.Problems) != 1 || v.Problems[0].Problem != "invalid_session" {
			t.Errorf("got %+v %v, want an invalid_session", v, err)
		}
	})
	t.Run("an anchor is any earlier head", func(t *testing.T) {
		for head, fails := range map[string]bool{other.Head: false, strings.Repeat("0", 64): true} {
			v, err := l.Verify(t.Context(), trace.VerifyRequest{Sessions: []string{other.SessionUID},
				ExpectedHead: head})
			if err != nil || v.Failed() != fails || v.Head != other.Head {
				t.Errorf("%s: got %+v %v, want Failed=%v, v.Head=%v", head, v, err, fails, other.Head)
			}
		}
		appended(t, l, trace.SessionSelector{Agent: "ann", SessionID: "other"}, thought("more"))
		if v, err := l.Verify(t.Context(), trace.VerifyRequest{Sessions: []string{"other"},
			ExpectedHead: other.Head}); err != nil || v.Failed() {
			t.Errorf("got %+v %v, want v.Failed()=false", v, err)
		}
	})
	t.Run("invalid requests", func(t *testing.T) {
		if _, err := l.Verify(t.Context(), trace.VerifyRequest{Sessions: []string{"nowhere"}}); !apperr.Is(err,
			apperr.NotFound) {
			t.Error(err)
		}
		if _, err := l.Verify(t.Context(), trace.VerifyRequest{ExpectedHead: "x"}); !apperr.Is(err, apperr.Validation) {
			t.Error(err)
		}
	})
}

// anchor is set only for changes that the chain alone cannot reveal.
func anchor(want []string, head string) string {
	for _, problem := range want {
		if strings.HasSuffix(problem, "anchor_mismatch") {
			return head
		}
	}
	return ""
}
