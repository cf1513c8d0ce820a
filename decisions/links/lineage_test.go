package links_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/decisions/links"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

func TestLineage_Ancestors_AreOrdered(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	id := toolstest.Some(t, g, "abcdef0123")
	for _, l := range []string{"b depends_on a", "c depends_on b", "d relates_to a", "0 depends_on 1", "2 supersedes 1",
		"e supersedes b"} {
		word := strings.Fields(l)
		toolstest.Link(t, env, id[word[0]], word[1], id[word[2]])
	}
	turnOut := func(name, outcome string) {
		g.Exec(t, "MATCH (d:Decision {id: $id}) SET d.status = 'reviewed', d.outcome = $outcome",
			map[string]any{"id": id[name], "outcome": outcome})
	}
	notify := func(l links.Lineage) string {
		words := []string{}
		for _, d := range l.Decisions {
			words = append(words, fmt.Sprintf("%s%d %s %s", d.ID[:1], d.Distance, d.Through, d.Via[:1]))
		}
		return strings.Join(words, ", ")
	}

	t.Run("dependents and dependencies", func(t *testing.T) {
		for name, c := range map[string]struct {
			query links.LineageQuery
			want  string
		}{
			"directly and over others": {links.LineageQuery{ID: id["a"]}, "b1 depends_on a, c2 depends_on b"},
			"one step":                 {links.LineageQuery{ID: id["a"], Depth: 1}, "b1 depends_on a"},
			"it stands on": {links.LineageQuery{ID: id["c"], Direction: "dependencies"},
				"b1 depends_on c, e2 supersedes b, a2 depends_on b"},
			"in place of another": {links.LineageQuery{ID: id["2"]}, "02 depends_on 1"},
		} {
			got, err := env.Links.Lineage(ctx, c.query)
			if err != nil || notify(got) != c.want {
				t.Errorf("%s: got %s, %v, want notify(got)=%v", name, notify(got), err, c.want)
			}
		}
		turnOut("b", "success")
		got, err := env.Links.Lineage(ctx, links.LineageQuery{ID: id["a"]})
		if err != nil || got.Pending != 1 || got.Decisions[0].Outcome != "success" ||
			got.Decisions[0].Status != "reviewed" || !got.Decisions[0].Superseded {
			t.Errorf("got %+v, %v, want Pending=1, Outcome=success, Status=reviewed, Superseded=true", got, err)
		}
		if got, err := env.Links.Lineage(ctx, links.LineageQuery{ID: id["a"], Limit: 1}); err != nil ||
			len(got.Decisions) != 1 || !got.Truncated {
			t.Errorf("got %+v, %v, want len(Decisions)=1, Truncated=true", got, err)
		}
	})
	t.Run("failed decisions with dependents", func(t *testing.T) {
		// Only b depends on a, but was superseded; c depends on b; 0 depends on 2, because 2 superseded 1; nothing
		// depends on d.
		for name, outcome := range map[string]string{"a": "failure", "b": "abandoned", "2": "failure", "d": "failure"} {
			turnOut(name, outcome)
		}
		g.Exec(t, "MATCH (d:Decision {id: $id}) SET d.created_at = d.created_at + duration({days: 1})",
			map[string]any{"id": id["2"]})
		got, err := env.Links.Lineage(ctx, links.LineageQuery{Failed: true, Limit: 1})
		if err != nil || len(got.Failures) != 1 || got.Failures[0].ID != id["2"] ||
			len(got.Failures[0].ActiveDependents) != 1 || got.Failures[0].ActiveDependents[0].ID != id["0"] ||
			got.NextCursor == "" {
			t.Fatalf("got %+v, %v, want len(Failures)=1, got.Failures[0].ID=%v, len(ActiveDependents)=1, got.Failures[0].ActiveDependents[0].ID=%v, a NextCursor", got, err, id["2"], id["0"])
		}
		got, err = env.Links.Lineage(ctx, links.LineageQuery{Failed: true, Limit: 1, Cursor: got.NextCursor})
		if err != nil || len(got.Failures) != 1 || got.Failures[0].ID != id["b"] ||
			got.Failures[0].ActiveDependents[0].ID != id["c"] || got.NextCursor != "" {
			t.Fatalf(`got %+v, %v, want len(Failures)=1, got.Failures[0].ID=%v, got.Failures[0].ActiveDependents[0].ID=%v, NextCursor=""`, got, err, id["b"], id["c"])
		}
	})
	t.Run("invalid arguments", func(t *testing.T) {
		for name, q := range map[string]links.LineageQuery{"neither": {}, "both": {ID: id["a"], Failed: true},
			"too deep": {ID: id["a"], Depth: 1000}, "a cursor": {Failed: true, Cursor: "x"}} {
			if _, err := env.Links.Lineage(ctx, q); !apperr.Is(err, apperr.Validation) {
				t.Errorf("%s is answered with %v", name, err)
			}
		}
	})
}
