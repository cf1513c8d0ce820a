package search_test

import (
	"testing"

	"nomograph/internal/golden"
	"nomograph/search"
)

func TestSimilarities_Texts_AreRanked(t *testing.T) {
	near, err := search.Similarities(t.Context(), search.Builtin(), "migrate the database",
		[]string{"Move the database to another server", "Paint the office green", ""})
	if err != nil || len(near) != 3 || near[0] <= near[1] || near[0] > 1 || near[2] != 0 {
		t.Errorf("got %v %v, want len(near)=3, near[0] more than %v, near[0] at most 1, near[2]=0", near, err, near[1])
	}
	if near, err := search.Similarities(t.Context(), nil, "x", []string{"y"}); near != nil || err != nil {
		t.Errorf("without an embedder: %v %v", near, err)
	}
	for text, want := range map[string]float64{"The Database of node.js": 1, "a database": 0.5, "DATA base": 0, "": 0} {
		if got := search.WordCoverage("database, node.js?", text); want == 1 && got != 1 || want == 0 && got != 0 ||
			want == 0.5 && (got <= 0 || got >= 1) {
			t.Errorf("%q has %v of the words", text, got)
		}
	}
	golden.Equal(t, "a question without words", search.WordCoverage("?!", "anything"), 0)
}
