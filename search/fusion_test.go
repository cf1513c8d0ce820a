package search

import (
	"slices"
	"testing"

	"nomograph/internal/golden"
)

func TestAddLinked_SharedNeighbor_RanksBehindHits(t *testing.T) {
	hits := []Hit{{UID: "asked", Score: 0.10}, {UID: "b", Score: 0.09}, {UID: "c", Score: 0.08},
		{UID: "last", Score: 0.02}}
	got := addLinked(hits, []linkedHit{{"asked", []string{"basis"}}, {"b", []string{"basis", "last"}},
		{"c", []string{"basis"}}})
	if found := uids(Results{Hits: got}); !slices.Equal(found, []string{"asked", "basis", "b", "c", "last"}) {
		t.Errorf("got %v, want [asked basis b c last]", found)
	}
	for i := 1; i < len(got); i++ {
		if got[i].Score > got[i-1].Score {
			t.Errorf("%s has more than %s before it: %v", got[i].UID, got[i-1].UID, got)
		}
	}
	many := make([]linkedHit, 20) // a decision with many links must not rank above the best match
	for i := range many {
		many[i] = linkedHit{"asked", []string{"basis"}}
	}
	if got := addLinked(hits, many); got[0].UID != "asked" || got[1].UID != "basis" || got[0].Score != got[1].Score {
		t.Errorf("got %v, want UID=asked, UID=basis, Score=%v", got, got[1].Score)
	}
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
	golden.Equal(t, "like it, and no more", fuse(text, vector(0.8), 0.02).Hits[0].UID, "repeats")
}
