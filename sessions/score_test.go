package sessions

import (
	"testing"

	"nomograph/internal/golden"
)

func TestPattern_ActionNames_Match(t *testing.T) {
	for pattern, names := range map[string][2]string{"git.push": {"Git.Push", "git.pull"},
		"git.*": {"git.push", "legit.push"}, "*.delete": {"invoice.delete", "delete.all"},
		"*": {"anything", ""}, "a*b*c": {"a-b-c", "a-c-b"}, "ab*b": {"abb", "ab"}} {
		if !matches(pattern, names[0]) || names[1] != "" && matches(pattern, names[1]) {
			t.Errorf(`%s: got %v, want matches(pattern, names[0])=true, not names[1] != "" && matches(pattern, names[1])`, pattern, names)
		}
	}
}

func TestKeywords_WordOfANeed_Matches(t *testing.T) {
	for keyword, want := range map[string]bool{"claim": true, "be promoted": true, "promote": false, "\u00fcber": true,
		"aim": false, "7": true} {
		golden.Equal(t, keyword, containsPhrase("may a claim be promoted, \u00fcber 7?", keyword), want)
	}
}

// TestScore_AnyInput_StaysWithinBounds: for any matches, votes and importance.
func TestScore_AnyInput_StaysWithinBounds(t *testing.T) {
	for _, voices := range [][]float64{nil, {0, 0}, {0, 1000}, {1000, 1000}, {2, 3.5}} {
		for _, priority := range []any{nil, int64(-5), int64(0), int64(9), "high"} {
			for _, found := range []float64{0, 0.3, 1} {
				c := candidate{Voices: voices, Priority: priority, Keywords: []any{"x"}}
				if score := c.score(found, "x", 9, false); score < 0 || score > 1 || found == 0 && score != 0 {
					t.Errorf("%v of %v, %v: %v", found, voices, priority, score)
				}
			}
		}
	}
	neutral, liked, disliked := candidate{}, candidate{Voices: []float64{4, 4}}, candidate{Voices: []float64{0, 4}}
	if neutral.feedbackFactor() != 1 || liked.feedbackFactor() != 1.25 || disliked.feedbackFactor() != 0.75 {
		t.Errorf("got %v %v %v, want 1, 1.25, 0.75", neutral.feedbackFactor(), liked.feedbackFactor(),
			disliked.feedbackFactor())
	}
}
