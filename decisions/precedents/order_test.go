package precedents

import (
	"slices"
	"testing"

	"nomograph/decisions"
)

func TestMatches_Superseded_StandBelowTheirReplacement(t *testing.T) {
	for name, c := range map[string]struct {
		by   map[string][]string // ids of superseding decisions
		want []string
	}{
		"none":          {nil, []string{"a", "b", "c", "d"}},
		"first by last": {map[string][]string{"a": {"d"}}, []string{"b", "c", "d", "a"}},
		"chain":         {map[string][]string{"a": {"b"}, "b": {"c"}}, []string{"c", "b", "a", "d"}},
		"two":           {map[string][]string{"a": {"b", "d"}}, []string{"b", "c", "d", "a"}},
		"below already": {map[string][]string{"d": {"a"}}, []string{"a", "b", "c", "d"}},
		"not found":     {map[string][]string{"a": {"x"}}, []string{"a", "b", "c", "d"}},
	} {
		m := Matches{Scores: map[string]Scores{}}
		for i, id := range []string{"a", "b", "c", "d"} {
			m.Decisions = append(m.Decisions, Match{Summary: decisions.Summary{ID: id}, Score: 1 - float64(i)/10,
				SupersededBy: c.by[id]})
		}
		m.putSupersededLast()
		var got []string
		for i, match := range m.Decisions {
			if got = append(got, match.ID); i > 0 && match.Score > m.Decisions[i-1].Score {
				t.Errorf("%s: got score %v of %s above the one before it", name, match.Score, match.ID)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	m := Matches{Scores: map[string]Scores{}, Decisions: []Match{{Summary: decisions.Summary{ID: "a"},
		SupersededBy: []string{"b"}}, {Summary: decisions.Summary{ID: "b"}, SupersededBy: []string{"a"}}}}
	if m.putSupersededLast(); len(m.Decisions) != 2 {
		t.Errorf("cycle: got %d decisions, want 2", len(m.Decisions))
	}
}
