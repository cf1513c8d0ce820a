package decisions_test

import (
	"context"
	"testing"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/tools/toolstest"
)

func TestReview_Transport_SetsSourceAndAuthentication(t *testing.T) {
	g, env := toolstest.Open(t)
	for name, test := range map[string]struct {
		who    caller.Caller
		source string
		want   any
	}{
		"a person on a page": {caller.Caller{Transport: caller.Pages, Trusted: true, Authenticated: true}, "",
			"person"},
		"an agent":         {caller.Caller{Transport: "mcp", Trusted: true}, "", "agent"},
		"the command line": {caller.Caller{Transport: caller.CommandLine, Trusted: true}, "", nil},
		"git, by an agent over REST": {caller.Caller{Transport: "rest", Trusted: true, Authenticated: true},
			decisions.FromGit, "git"},
	} {
		t.Run(name, func(t *testing.T) {
			made := toolstest.Record(t, env, decisions.Record{Decision: "Cache " + name, Category: "tooling",
				Confidence: 0.7})
			ctx := caller.With(t.Context(), test.who)
			graphtest.Must(env.Decisions.Review(ctx, decisions.Outcome{ID: made.ID, Outcome: "success",
				Source: test.source}))(t)
			rows := g.Rows(t, "MATCH (:Decision {id: $id})-[:HAS_REVIEW]->(r) RETURN r.source AS source, r.by_proven AS proven", map[string]any{"id": made.ID})
			if len(rows) != 1 || rows[0]["source"] != test.want || rows[0]["proven"] != test.who.Authenticated {
				t.Errorf("got %v, want source %v, by_proven %v", rows, test.want, test.who.Authenticated)
			}
		})
	}
}

func TestReview_SameWordsAuthenticated_AreAnotherReview(t *testing.T) {
	_, env := toolstest.Open(t)
	made := toolstest.Record(t, env, decisions.Record{Decision: "Cache everything", Category: "tooling",
		Confidence: 0.7})
	review := func(ctx context.Context) decisions.Reviewed {
		return graphtest.Must(env.Decisions.Review(ctx, decisions.Outcome{ID: made.ID, Outcome: "success",
			Session: decisions.Session{By: "ada"}}))(t)
	}
	review(t.Context())
	authenticated := caller.With(t.Context(), caller.Caller{Name: "ada", Authenticated: true, Trusted: true})
	if out := review(authenticated); out.Repeated || out.ReviewNumber != 2 {
		t.Errorf("got %+v, want review 2", out)
	}
	if out := review(authenticated); !out.Repeated {
		t.Errorf("got %+v, want the same review", out)
	}
}
