package trace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
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
	type tampering struct {
		edit string
		want []string // seq and problem
	}
	tests := map[string]tampering{}
	matches := strings.NewReplacer("{e2}", "MATCH (e:TraceEvent {session: $s, seq: 2})", "{e4}",
		"MATCH (e:TraceEvent {session: $s, seq: 4})", "{s}", "MATCH (s:Session {uid: $s})")
	for _, row := range golden.Rows(t, "testdata/tampered.txt") {
		test := tampering{edit: matches.Replace(row[2])}
		if row[1] != "" {
			test.want = strings.Split(row[1], ", ")
		}
		tests[row[0]] = test
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
			v := graphtest.Must(l.Verify(t.Context(), trace.VerifyRequest{Sessions: []string{name},
				ExpectedHead: anchor(test.want, receipt.Head)}))(t)
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
			golden.Equal(t, name, (len(test.want) > 0 && !(len(test.want) == 1 && strings.Contains(test.want[0],
				"anchor"))), broken[name])
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
