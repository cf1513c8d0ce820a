package lab

import (
	"strings"

	"nomograph/internal/render"
)

// markdown formats the answer for people.
func (l *Learned) markdown() string {
	var b page
	b.line("## What failures have in common\n")
	b.line("%s: %s, %s, %d partial, %d abandoned, %d not reviewed.\n",
		render.Plural(l.Outcomes.total(), "recorded decision"),
		render.PluralOf(l.Outcomes.Success, "success", "successes"),
		render.Plural(l.Outcomes.Failure, "failure"), l.Outcomes.Partial, l.Outcomes.Abandoned, l.Outcomes.Unreviewed)
	if len(l.Findings) == 0 && l.Failures > 0 {
		b.line("Nothing sets the failures apart more than chance would (%s examined).\n",
			render.PluralOf(l.Facts, "fact", "facts"))
	}
	for i, f := range l.Findings {
		b.line("%d. **%s**: %d of %d failed (%.1f expected), others %s; p = %.3f.", i+1, escapeText(f.Words),
			f.Failures,
			f.Acts, f.Expected, percent(f.Elsewhere), f.P)
		b.line("   Condition: `%s`", strings.ReplaceAll(f.When, "`", "'"))
		for _, e := range f.Examples {
			b.line("   - %s %s", e.DecisionID, escapeText(e.Description))
		}
		if f.Propose != "" {
			b.line("   Propose a rule in shadow mode: `%s`", f.Propose)
		}
		b.line("")
	}
	if len(l.Detectable) > 0 && l.Failures > 0 {
		b.line("With %s and %s a fact is found in four of five cases if:\n", render.PluralOf(l.Acts, "act", "acts"),
			render.Plural(l.Failures, "failure"))
		for _, d := range l.Detectable {
			if d.Rate == nil {
				b.line("- %s of the acts share it (%d): not even if all of them fail", percent(d.Share), d.Acts)
				continue
			}
			whole := "never"
			if d.RateOfSessions != nil {
				whole = percent(*d.RateOfSessions)
			}
			b.line("- %s of the acts share it (%d) and %s or more of them fail (%s if acts of a session are alike)",
				percent(d.Share), d.Acts, percent(*d.Rate), whole)
		}
		b.line("")
	}
	return b.notes(l.Notes)
}

func (o Outcomes) total() int { return o.Success + o.Partial + o.Failure + o.Abandoned + o.Unreviewed }

// explanation formats the explanation of one failure for people.
func (l *Learned) explanation(failed reviewedDecision) string {
	var b page
	d := l.Difference
	b.line("## What distinguished the failure %s\n", failed.Decision)
	b.line("%s\n", escapeText(render.Title(failed.Description)))
	if len(d.Nearest) == 0 {
		b.line("There is no success to compare it with.")
	} else {
		b.line("Compared with the %s most like it: %s.\n", render.PluralOf(len(d.Nearest), "success", "successes"),
			strings.Join(d.Nearest, ", "))
		if len(d.Facts) == 0 {
			b.line("They share all its facts.")
		}
	}
	for _, f := range d.Facts {
		b.line("- **%s**: %d of %d of them; of all acts with it %d of %d failed, without it %d of %d",
			escapeText(f.Words), f.NearestWith, len(d.Nearest), f.FailuresWith, f.With, f.FailuresWithout, f.Without)
	}
	b.line("")
	return b.notes(l.Notes)
}
