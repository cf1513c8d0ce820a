package search

import (
	"slices"
	"testing"
)

func TestFollow(t *testing.T) {
	hits := []Hit{{UID: "asked", Score: 0.10}, {UID: "b", Score: 0.09}, {UID: "c", Score: 0.08}, {UID: "last", Score: 0.02}}
	got := follow(hits, []led{{"asked", []string{"basis"}}, {"b", []string{"basis", "last"}}, {"c", []string{"basis"}}})
	if found := uids(Found{Hits: got}); !slices.Equal(found, []string{"asked", "basis", "b", "c", "last"}) {
		t.Errorf("%v", found)
	}
	for i := 1; i < len(got); i++ {
		if got[i].Score > got[i-1].Score {
			t.Errorf("%s has more than %s before it: %v", got[i].UID, got[i-1].UID, got)
		}
	}
	many := make([]led, 20) // what everybody stands on does not come before what was asked for
	for i := range many {
		many[i] = led{"asked", []string{"basis"}}
	}
	if got := follow(hits, many); got[0].UID != "asked" || got[1].UID != "basis" || got[0].Score != got[1].Score {
		t.Errorf("%v", got)
	}
}
