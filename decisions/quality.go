package decisions

import (
	"slices"

	"nomograph/trace"
)

// Quality is the score of a recorded decision, with suggestions.
type Quality struct {
	Score       float64  `json:"score" jsonschema:"0.0 to 1.0"`
	Suggestions []string `json:"suggestions"`
}

// qualityOf adds up, in hundredths: pattern 15, tags 15, at least two types of reasons 15, an explicit bridge 10, a
// text of more than 20 characters 10, a context of more than 10 characters 10, project, feature or pull request 10, any
// deliberation 5, a reasoning step in it 10. The formula is that of cognition-agent-decisions.
func qualityOf(d *Draft) Quality {
	types := map[string]bool{}
	for _, reason := range d.Reasons {
		types[reason.Type] = true
	}
	deliberated := d.deliberated()
	reasoned := slices.ContainsFunc(deliberated,
		func(e trace.Event) bool { return e.Type == "thought" || e.Type == "step" })
	score, q := 0, Quality{}
	for _, part := range []struct {
		has        bool
		worth      int
		suggestion string
	}{
		{d.Pattern != "", 15, "Add a pattern: the abstract idea that this decision represents"},
		{len(d.Tags) > 0, 15, "Add tags"},
		{len(types) >= 2, 15, "Give reasons of two types or more"},
		{d.bridgeMethod == "explicit", 10, "Add a bridge: what it looks like (structure) and what it is for (function)"},
		{len([]rune(d.Decision)) > 20, 10, "Say in more words what was decided"},
		{len([]rune(d.Context)) > 10, 10, "Add the context in which it was decided"},
		{d.Project != "" || d.Feature != "" || d.PR > 0, 10,
			"Say which project, feature or pull request it belongs to"},
		{len(deliberated) > 0, 5, "Look for precedents before deciding"},
		{reasoned, 10, "Record a thought or two before deciding"},
	} {
		if part.has {
			score += part.worth
		} else {
			q.Suggestions = append(q.Suggestions, part.suggestion)
		}
	}
	q.Score = float64(score) / 100
	return q
}
