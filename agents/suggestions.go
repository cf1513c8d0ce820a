package agents

import (
	"cmp"
	"fmt"
	"strings"
)

// maxSuggestions is the maximum number of suggestions in the answer to an announcement.
const maxSuggestions = 5

// suggestions come from the alternatives that guardrails offer, from the visible lessons of similar decisions, and from
// the outcomes of these decisions.
func suggestions(a AnnounceRequest, j Verdict, similar []Similar) []string {
	var out []string
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); len(out) < maxSuggestions {
			out = append(out, text)
		}
	}
	for _, o := range append(j.Violations[:len(j.Violations):len(j.Violations)], j.Warnings...) {
		if o.Suggestion != "" && !strings.Contains(strings.Join(out, "\n"), o.Suggestion) {
			add("%s (%s)", o.Suggestion, o.GuardrailID)
		}
	}
	var ended, bad, good int
	var confidence float64
	var failed []string
	for _, d := range similar {
		if d.Notes != "" {
			add("Consider %q (%s): %s", d.Title, outcomePhrase(d.Outcome), d.Notes)
		}
		switch d.Outcome {
		case "":
			continue
		case "success":
			good++
		case "failure", "abandoned":
			bad++
			failed = append(failed, d.ID)
			if d.Notes == "" {
				add("%q was decided before and ended in %s: ask its owner why (%s)", d.Title, d.Outcome, d.ID)
			}
		}
		if ended++; d.Confidence != nil {
			confidence += *d.Confidence
		}
	}
	if bad > 0 && ended > 1 {
		add("%d of %d similar decisions did not succeed (%s): plan a rollback", bad, ended, strings.Join(failed, ", "))
	}
	if a.Confidence != nil && ended > 1 && *a.Confidence > 0.7 && good*2 < ended {
		add("The confidence of %.2f is more than similar decisions earned: %d of %d succeeded, at a mean confidence of %.2f", *a.Confidence, good, ended, confidence/float64(ended))
	}
	return out
}

func outcomePhrase(outcome string) string {
	return cmp.Or(outcome, "its outcome is not known yet")
}
