package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/render"
	"nomograph/policies"
)

// String tells the verdict as Layout does.
func (v Verdict) String() string { return v.Layout(render.Page{}) }

// Layout tells a person the verdict: yes or no, and what each rule has to say.
func (v Verdict) Layout(page render.Page) string {
	var b strings.Builder
	b.WriteString(page.ColorWord(answerOf(v.Allowed)) + "\n")
	for _, list := range []struct {
		word       string
		objections []Violation
	}{{"blocks", v.Violations}, {"warns", v.Warnings}, {"on trial", v.Shadow}} {
		for _, o := range list.objections {
			o.notify(&b, page.ColorWord(list.word))
		}
	}
	for _, note := range v.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	fmt.Fprintf(&b, "%s judged", render.Plural(v.Evaluated, "rule"))
	if v.VerdictID != "" { // a replay has none
		fmt.Fprintf(&b, "; verdict %s", v.VerdictID)
	}
	b.WriteByte('\n')
	return b.String()
}

func answerOf(allowed bool) string { return map[bool]string{true: "allowed", false: "denied"}[allowed] }

func (o Violation) notify(b *strings.Builder, word string) {
	fmt.Fprintf(b, "  %s %s: %s\n", o.GuardrailID, word, o.Message)
	line := func(name string, parts []string) {
		if len(parts) > 0 {
			fmt.Fprintf(b, "    %-8s %s\n", name, strings.Join(parts, "; "))
		}
	}
	if o.Error != "" {
		line("because", []string{o.Error})
	}
	var saw []string
	for _, path := range slices.Sorted(maps.Keys(o.Values)) {
		saw = append(saw, path+" "+policies.ShowValueOrNone(graph.JSON(o.Values[path])))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Thresholds)) {
		saw = append(saw, name+" "+policies.ShowValueOrNone(o.Thresholds[name].Value))
	}
	line("saw", saw)
	for _, found := range o.Found {
		line("found", []string{policies.ShowValue(found)})
	}
	line("to pass", o.WouldPass)
	line("instead", o.Alternatives)
}

// String tells the verdict as Layout does.
func (e Explanation) String() string { return e.Layout(render.Page{}) }

// Layout tells a person a verdict that was given, and what became of it.
func (e Explanation) Layout(page render.Page) string {
	text := fmt.Sprintf("%s by %s: ", page.Time(e.At), e.AgentID) + e.Verdict.Layout(page)
	switch {
	case e.OverriddenBy == ByApproval:
		text += "done all the same: a person approved it (" + e.Forced + ")\n"
	case e.OverriddenBy == ByForce:
		text += "recorded all the same, by force: " + e.Forced + "\n"
	case e.Forced != "": // an older verdict does not tell the two apart
		text += "overridden: " + e.Forced + "\n"
	}
	if len(e.Decisions) > 0 {
		text += "decisions: " + strings.Join(e.Decisions, ", ") + "\n"
	}
	if len(e.ChangedSince) > 0 {
		text += "changed since: " + strings.Join(e.ChangedSince, ", ") + "\n"
	}
	if e.Today != nil {
		text += "by the rules of today: " + e.Today.Layout(page)
	}
	return text
}
