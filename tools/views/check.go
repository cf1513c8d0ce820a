package views

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
	"nomograph/policies"
	"nomograph/policies/check"
)

// checkExpressionResult formats the value of an expression and the values that it read.
func checkExpressionResult(e check.ExpressionResult, page terminal.Page) string {
	var b strings.Builder
	value := policies.ShowValueOrNone(e.Value)
	if _, isBool := e.Value.(bool); isBool {
		value = page.Colorize(map[any]string{true: "allowed", false: "denied"}[e.Value], value)
	}
	b.WriteString(value + "\n")
	var saw []string
	for _, path := range slices.Sorted(maps.Keys(e.Saw)) {
		saw = append(saw, path+" "+policies.ShowValueOrNone(e.Saw[path]))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Thresholds)) {
		saw = append(saw, name+" "+policies.ShowValueOrNone(e.Thresholds[name].Value))
	}
	if len(saw) > 0 {
		b.WriteString("  saw    " + strings.Join(saw, "; ") + "\n")
	}
	if len(e.Fails) > 0 {
		b.WriteString("  fails  " + strings.Join(e.Fails, "; ") + "\n")
	}
	addNotes(&b, e.Notes)
	return b.String()
}

// checkCoverage formats the coverage by day, and the gaps.
func checkCoverage(c check.Coverage, page terminal.Page) string {
	if c.Executed == 0 {
		return "No executed tool calls are known in this time. Hooks after tools report them; so does nomograph import sessions.\n" + checkUnknown(c.UnknownPrograms, page)
	}
	share, _ := c.Share()
	text := fmt.Sprintf("%d of %d executed tool calls have a verdict (%.1f %%)\n\n", c.Checked, c.Executed, 100*share) +
		tableOf(page, reflect.ValueOf(c.Days), "DAY=Day EXECUTED=Executed WITH_VERDICT=WithVerdict WITHOUT_VERDICT=WithoutVerdict DESPITE_DENIAL=DespiteDenial", "")
	text += checkUnknown(c.UnknownPrograms, page)
	if len(c.GapList) == 0 {
		return text
	}
	return text + "\n" + tableOf(page, reflect.ValueOf(c.GapList),
		"CLIENT=Client VERSION=Version EVENT=Event KIND=Kind SOURCE=Source REASON=Reason CALLS=Calls LAST_AT=LastAt",
		"")
}

// checkUnknown formats programs about which rules know nothing, "" without any.
func checkUnknown(unknown []check.UnknownProgram, page terminal.Page) string {
	if len(unknown) == 0 {
		return ""
	}
	return "\nPrograms that nothing describes. Add `programs` to a pack, so that rules see what they do:\n\n" +
		tableOf(page, reflect.ValueOf(unknown), "PROGRAM=Program VERDICTS=Verdicts LAST_AT=LastAt", "")
}

// checkPruned formats how many verdicts and executed tool calls expired.
func checkPruned(p check.Pruned) string {
	done := "deleted"
	if p.DryRun {
		done = "to delete"
	}
	text := fmt.Sprintf("%s %s (%d allowed, %d denied), %s %s\n", render.Plural(p.Allowed+p.Denied, "verdict"), done,
		p.Allowed, p.Denied, render.Plural(p.Executions, "executed tool call"), done)
	if p.Note != "" {
		text += p.Note + "\n"
	}
	return text
}

// checkAppeal formats an appeal and what follows from its state.
func checkAppeal(a check.Appeal) string {
	text := fmt.Sprintf("The appeal of verdict %s is %s", a.VerdictID, a.State)
	switch a.State {
	case check.AppealOpen:
		return text + ". A person decides it with `verdict uphold` or `verdict overturn`.\n"
	case check.AppealOverturned:
		return fmt.Sprintf("%s by %s: %s\nThe verdict stays. Make a test of it: nomograph verdict case %s\n", text,
			a.DecidedBy, a.Answer, a.VerdictID)
	}
	return fmt.Sprintf("%s by %s: %s\n", text, a.DecidedBy, a.Answer)
}

// checkVerdict formats a verdict with the violations of each rule.
func checkVerdict(v check.Verdict, page terminal.Page) string {
	var b strings.Builder
	b.WriteString(page.ColorWord(checkAnswerOf(v.Allowed)) + "\n")
	for _, list := range []struct {
		word       string
		objections []check.Violation
	}{{"blocks", v.Violations}, {"warns", v.Warnings}, {"on trial", v.Shadow}} {
		for _, o := range list.objections {
			checkNotify(o, &b, page.ColorWord(list.word))
		}
	}
	if a := v.Autonomy; a != nil {
		fmt.Fprintf(&b, "autonomy: %s at %s stakes, needed: %s. %s. Next: %s\n", a.Level, a.Stakes, a.Needed, a.Why,
			a.Missing)
	}
	addNotes(&b, v.Notes)
	fmt.Fprintf(&b, "%s evaluated", render.Plural(v.Evaluated, "rule"))
	render.WriteNonEmpty(&b, "; verdict %s", v.VerdictID)
	b.WriteByte('\n')
	return b.String()
}

func checkAnswerOf(allowed bool) string {
	return map[bool]string{true: "allowed", false: "denied"}[allowed]
}

func checkNotify(o check.Violation, b *strings.Builder, word string) {
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

// checkExplanation formats a stored verdict and what happened afterwards.
func checkExplanation(e check.Explanation, page terminal.Page) string {
	text := fmt.Sprintf("%s by %s: ", page.Time(e.At), e.AgentID) + checkVerdict(e.Verdict, page)
	switch {
	case e.OverriddenBy == check.ByApproval:
		text += "carried out: a person approved it (" + e.Forced + ")\n"
	case e.OverriddenBy == check.ByForce:
		text += "recorded anyway, by force: " + e.Forced + "\n"
	case e.Forced != "": // older verdicts do not distinguish the two
		text += "overridden: " + e.Forced + "\n"
	}
	switch {
	case e.Appeal != nil:
		text += "appealed by " + e.Appeal.AgentID + ": " + e.Appeal.Reason + "\n" + checkAppeal(*e.Appeal)
	case !e.Allowed:
		text += "If the denial is wrong: nomograph verdict appeal " + e.VerdictID + " REASON\n"
	}
	if len(e.Decisions) > 0 {
		text += "decisions: " + strings.Join(e.Decisions, ", ") + "\n"
	}
	if len(e.ChangedSince) > 0 {
		text += "changed since: " + strings.Join(e.ChangedSince, ", ") + "\n"
	}
	if e.Today != nil {
		text += "by the rules of today: " + checkVerdict(*e.Today, page)
	}
	return text
}
