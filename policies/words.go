package policies

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
)

// String tells a person the verdict: yes or no, and what each rule has to say.
func (v Verdict) String() string {
	var b strings.Builder
	b.WriteString(map[bool]string{true: "allowed\n", false: "denied\n"}[v.Allowed])
	for _, list := range []struct {
		word       string
		objections []Objection
	}{{"blocks", v.Violations}, {"warns", v.Warnings}, {"on trial", v.Shadow}} {
		for _, o := range list.objections {
			o.tell(&b, list.word)
		}
	}
	for _, note := range v.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	fmt.Fprintf(&b, "%d %s judged", v.Evaluated, plural(v.Evaluated, "rule"))
	if v.VerdictID != "" { // a replay has none
		fmt.Fprintf(&b, "; verdict %s", v.VerdictID)
	}
	b.WriteByte('\n')
	return b.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func (o Objection) tell(b *strings.Builder, word string) {
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
		saw = append(saw, path+" "+shownOrNone(graph.JSON(o.Values[path])))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Thresholds)) {
		saw = append(saw, name+" "+shownOrNone(o.Thresholds[name].Value))
	}
	line("saw", saw)
	for _, found := range o.Found {
		line("found", []string{shown(found)})
	}
	line("to pass", o.WouldPass)
	line("instead", o.Alternatives)
}

// String tells a person a verdict that was given, and what became of it.
func (e Explanation) String() string {
	text := fmt.Sprintf("%s by %s: ", e.At.Format(time.RFC3339), e.AgentID) + e.Verdict.String()
	if len(e.ChangedSince) > 0 {
		text += "changed since: " + strings.Join(e.ChangedSince, ", ") + "\n"
	}
	if e.Today != nil {
		text += "by the rules of today: " + e.Today.String()
	}
	return text
}

// String tells a person the history, newest first.
func (h History) String() string {
	var b strings.Builder
	for _, e := range h.Entries {
		at := e.At.Format(time.RFC3339)
		if e.Since != nil {
			at = "between " + e.Since.Format(time.RFC3339) + " and " + at
		}
		fmt.Fprintf(&b, "%s  %s by %s: %s\n", at, e.Kind, e.By, e.Why)
		for _, what := range slices.Sorted(maps.Keys(e.Changes)) {
			fmt.Fprintf(&b, "    %s: %s -> %s\n", what, shownOrNone(e.Changes[what].From), shownOrNone(e.Changes[what].To))
		}
		fmt.Fprintf(&b, "    version %.12s\n", e.To)
	}
	if h.NextCursor != "" {
		fmt.Fprintf(&b, "more: --cursor %s\n", h.NextCursor)
	}
	return b.String()
}
