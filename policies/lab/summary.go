package lab

import (
	"fmt"
	"math"
	"strings"

	"nomograph/internal/render"
)

// page is a text in Markdown.
type page struct{ strings.Builder }

func (p *page) line(format string, values ...any) { fmt.Fprintf(p, format+"\n", values...) }

// writeTable writes a table with a row for each item, and nothing without items.
func writeTable[T any](p *page, head string, items []T, row func(T) string) {
	if len(items) == 0 {
		return
	}
	p.line("%s", head)
	for _, item := range items {
		p.line("%s", row(item))
	}
	p.line("")
}

// notes ends the page with a list, and returns it.
func (p *page) notes(list []string) string {
	for _, note := range list {
		p.line("- %s", note)
	}
	return p.String()
}

// markdown formats the replay for a comment on a pull request.
func (r *Replay) markdown() string {
	var b page
	b.line("## Policy replay\n")
	if len(r.Change) == 0 {
		b.line("No change was given: today's rules were replayed.\n")
	} else {
		b.line("Change: %s.\n", strings.Join(r.Change, "; "))
	}
	b.line("%s (%s) %s.\n", render.Plural(r.Acts, "act"), render.Plural(r.Verdicts, "verdict"), r.words())
	type arm struct {
		name string
		Arm
	}
	writeTable(&b, "| | allowed | denied | undetermined |\n|---|--:|--:|--:|",
		[]arm{{"at the time", r.Given}, {"today's rules", r.Today}, {"changed rules", r.Changed}}, func(a arm) string {
			return fmt.Sprintf("| %s | %d | %d | %d |", a.name, a.Allowed, a.Denied, a.Undetermined)
		})
	r.Blocked.write(&b, "Newly denied", "No act is newly denied.")
	if e := r.Estimate; e != nil {
		b.line("%s\n", e.sentence(r.Blocked.Outcomes))
	}
	r.Freed.write(&b, "Newly allowed", "No act is newly allowed.")
	if r.Freed.Acts > 0 {
		b.line("%s\n", r.Freed.whyNoEstimate())
	}
	if r.Undetermined > 0 {
		b.line("%s undetermined: a relevant rule cannot be replayed.\n", render.Plural(r.Undetermined, "act"))
	}
	if r.Blocked.Acts > 0 {
		b.line("Reviewed: %s of the newly denied acts that went ahead, %s of the others.\n", r.Reviews.Inside.text(),
			r.Reviews.Outside.text())
	}
	if r.Retries.Acts > 0 {
		b.line("%s denied and then tried again until allowed:\n", render.Plural(r.Retries.Acts, "act"))
		for _, c := range r.Retries.Changes {
			b.line("- %s (%d)", escapeText(c.Change), c.Acts)
		}
		b.line("")
	}
	if r.Same.Verdicts > 0 {
		b.line("Of %s by exactly today's rules, the replay reproduces %d, differs in %d, and cannot compare %d.\n",
			render.Plural(r.Same.Verdicts, "verdict"), r.Same.Reproduced, r.Same.Different, r.Same.NotComparable)
	}
	for _, c := range r.FailOn {
		b.line("- %s: `%s` (value %v)", map[bool]string{true: "FAILED", false: "ok"}[c.Holds], c.Condition, c.Value)
	}
	for _, note := range r.Notes {
		b.line("> %s.", note)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// whyNoEstimate explains why there is no estimate for newly allowed acts.
func (f *Flips) whyNoEstimate() string {
	return fmt.Sprintf("A denied act has no outcome, so there is no estimate for newly allowed acts. %d of them went ahead by force or approval.", f.Overridden)
}

func (f *Flips) write(b *page, title, none string) {
	if f.Acts == 0 {
		b.line("%s\n", none)
		return
	}
	o := f.Outcomes
	b.line("### %s: %s\n", title, render.Plural(f.Acts, "act"))
	b.line("%d success, %d partial, %d failure, %d abandoned, %d unreviewed, %d not done; %d overridden. %d exact, %d approximate.\n",
		o.Success, o.Partial, o.Failure, o.Abandoned, o.Unreviewed, f.NotDone, f.Overridden, f.Exact, f.Approximate)
	for _, part := range []struct {
		name   string
		groups []Group
	}{{"rule", f.ByRule}, {"agent", f.ByAgent}, {"category", f.ByCategory}, {"stakes", f.ByStakes}} {
		writeTable(b, "| "+part.name+" | acts | success | failure | unreviewed |\n|---|--:|--:|--:|--:|", part.groups,
			func(g Group) string {
				return fmt.Sprintf("| %s | %d | %d | %d | %d |", escapeText(g.Name), g.Acts, g.Outcomes.Success,
					g.Outcomes.Failure, g.Outcomes.Unreviewed)
			})
	}
	writeTable(b, "| example | action | outcome | stakes | rules | exactness |\n|---|---|---|---|---|---|", f.Examples,
		Example.row)
}

func (e Example) row() string {
	outcome := e.Outcome
	if e.Overridden != "" {
		outcome += " (" + e.Overridden + ")"
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s |", e.VerdictID,
		escapeText(render.Cut(e.Description, render.MaxTitleLength)), outcome, e.Stakes,
		escapeText(strings.Join(e.Rules, ", ")), strings.ReplaceAll(string(e.Exactness), "_", " "))
}

// escapeText escapes recorded text, so that it cannot end a cell or start another element.
func escapeText(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "`", "'", "<", "&lt;", "@", "@\u200b").Replace(text)
}

func (r ReviewRate) text() string {
	if r.Acts == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d (%s)", r.Reviewed, r.Acts, percent(float64(r.Reviewed)/float64(r.Acts)))
}

func percent(share float64) string { return fmt.Sprintf("%d %%", int(math.Round(100*share))) }

// sentence summarizes what the reviews show.
func (e *Estimate) sentence(o Outcomes) string {
	unknown := min(e.Unreviewed, o.Unreviewed)
	text := fmt.Sprintf("%s stopped, %s blocked, %d unknown", render.Plural(o.Failure, "failure"),
		render.PluralOf(o.Success, "success", "successes"), unknown)
	if restated := e.Unreviewed - unknown; restated > 0 {
		text += fmt.Sprintf("; %s after retries that only changed numbers: no evidence",
			render.Plural(restated, "outcome"))
	}
	switch {
	case e.Precision == nil && e.Unreviewed == 0:
		return text + "."
	case e.ReviewsToSettle == nil:
		text += "; reviewing all of them may not show whether it costs less than it saves"
	case *e.ReviewsToSettle == 0:
		text += "; " + map[bool]string{true: "", false: "if the unknown acts are like the reviewed ones, "}[e.Unreviewed == 0] +
			map[bool]string{true: "it costs less than it saves",
				false: "it costs more than it saves"}[e.Answer == answers[1]]
	case e.Precision == nil:
		text += fmt.Sprintf("; at least %s would show whether it costs less than it saves",
			render.Plural(*e.ReviewsToSettle, "review"))
	default:
		text += fmt.Sprintf("; about %s with the same share of failures would show whether it costs less than it saves",
			render.Plural(*e.ReviewsToSettle, "review"))
	}
	text += ". " + e.Criterion + "."
	if p := e.Precision; p != nil && p.Of >= minReviewed {
		text += fmt.Sprintf(" Failures among the reviewed%s: %s (95 %% interval %s to %s).",
			map[bool]string{true: " that were drawn at random"}[p.Drawn], percent(p.Share), percent(p.Low),
			percent(p.High))
	} else if p != nil {
		text += fmt.Sprintf(" Fewer than %d reviews give no rate.", minReviewed)
	}
	if b := e.PrecisionBounds; b != nil {
		text += fmt.Sprintf(" If all unknown ones succeeded %s failed, if all failed %s.", percent(b.Low),
			percent(b.High))
	}
	if r := e.Recall; r != nil && r.Of >= minReviewed {
		text += fmt.Sprintf(" It stops %s of the known failures (95 %% interval %s to %s).", percent(r.Share),
			percent(r.Low), percent(r.High))
	} else if r != nil {
		text += fmt.Sprintf(" It stops %d of %d known failures.", r.Hits, r.Of)
	}
	return text
}

// minReviewed is the minimum number of reviews for a rate in percent.
const minReviewed = 10
