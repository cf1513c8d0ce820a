package check

import (
	"cmp"
	"fmt"
	"time"

	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/render"
	"nomograph/policies"
	"nomograph/policies/rule"
)

// wouldPass says in words what would pass a rule whose pattern found rows.
func wouldPass(r *rule.Guardrail, found []map[string]any) string {
	row := found[0]
	switch {
	case r.Limit != nil:
		return afterLimit(r.Limit, row)
	case r.Circuit != nil:
		until := "after its cooldown"
		if at, ok := row["until"].(time.Time); ok {
			until = "at " + at.UTC().Format(time.RFC3339)
		}
		if id := graph.Text(row, "probe_id"); id != "" {
			return fmt.Sprintf("a review of the decision %s with the outcome success, or a reset of the circuit breaker %s by a person", id, r.Circuit.Scope)
		}
		return fmt.Sprintf("one more attempt of %s %s, or a reset of the circuit breaker by a person", r.Circuit.Scope,
			until)
	case isAutonomy(r):
		return "approval by a person, or the level " + cmp.Or(graph.Text(row, "missing"), graph.Text(row, "needed"))
	}
	rows := render.Plural(len(found), "row")
	if len(found) == maxRowsShown {
		rows = fmt.Sprintf("%d or more rows", maxRowsShown)
	}
	return fmt.Sprintf("a graph in which forbids_pattern of the rule finds nothing; now it finds %s, shown under found",
		rows)
}

// afterLimit returns what a limit would still allow after the counted uses.
func afterLimit(l *rule.Limit, row map[string]any) string {
	window := "within " + (time.Duration(l.Seconds) * time.Second).String()
	used, ok := policies.ToFloat(row["used"])
	most, known := policies.ToFloat(row["most"]) // the value of a threshold
	if !known {
		most = l.Most
	}
	if l.Of == rule.LimitCalls {
		text := fmt.Sprintf("at most %g calls %s", most, window)
		if ok {
			text += fmt.Sprintf("; %g were allowed, so wait until earlier ones are older", used)
		}
		return text
	}
	text := fmt.Sprintf("%s as a number, together at most %g %s", l.Of, most, window)
	switch {
	case !ok:
		return text
	case used >= most:
		return text + "; that much was used, so wait until earlier acts are older"
	}
	return text + fmt.Sprintf("; %g was used, so at most %g now", used, limits.Left(most, used))
}
