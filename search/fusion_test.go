package search

import (
	"fmt"
	"slices"
	"testing"

	"nomograph/graph/graphtest"
)

func TestAddLinked_SharedNeighbor_RanksBehindHits(t *testing.T) {
	hits := []Hit{{UID: "asked", Score: 0.10}, {UID: "b", Score: 0.09}, {UID: "c", Score: 0.08},
		{UID: "last", Score: 0.02}}
	got := addLinked(hits, map[string][]string{"asked": {"basis"}, "b": {"basis", "last"}, "c": {"basis"}})
	graphtest.Equal(t, uids(Results{Hits: got}), []string{"asked", "basis", "b", "c", "last"}, "[asked basis b c last]")
	for i := 1; i < len(got); i++ {
		if got[i].Score > got[i-1].Score {
			t.Errorf("%s has more than %s before it: %v", got[i].UID, got[i-1].UID, got)
		}
	}
	linked := map[string][]string{"asked": {"basis"}} // a decision with many links must not rank above the best match
	for i := range 20 {
		hit := Hit{UID: fmt.Sprint(i), Score: 0.1}
		hits, linked[hit.UID] = append(hits, hit), []string{"basis"}
	}
	got = addLinked(hits, linked)
	graphtest.Values(t, "UID, UID, Score", got[0].UID, "asked", got[1].UID, "basis", got[0].Score, got[1].Score)
}

func TestSearch_SameMeaning_RanksFirst(t *testing.T) {
	cosine := func(c float64) *float64 { return &c }
	text := Results{Hits: []Hit{{UID: "repeats"}, {UID: "same"}, {UID: "other"}}}
	vector := func(c float64) Results {
		return Results{Hits: []Hit{{UID: "same", Semantic: cosine(c)}, {UID: "other", Semantic: cosine(0.3)}}}
	}
	if got := fuse(text, vector(0.95), 0.02); !slices.Equal(uids(got), []string{"same", "repeats", "other"}) ||
		got.Hits[0].Score < got.Hits[1].Score {
		t.Errorf("got %+v, want uids(got)=%v, Score at least %v", got.Hits, []string{"same", "repeats", "other"},
			got.Hits[1].Score)
	}
	graphtest.Equal(t, fuse(text, vector(0.8), 0.02).Hits[0].UID, "repeats", "like it, and no more")
}
