package hooks

import (
	"fmt"
	"path"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies/check"
	"nomograph/policies/rule"
)

// Texts of denials. Denied calls in transcripts are recognized by them.
const (
	explainWith   = "If this is wrong, tell the user: nomograph verdict explain "
	appealWith    = "To appeal: nomograph verdict appeal "
	uncheckedText = "This action is not allowed, because it could not be checked: "
)

// timeoutError returns the error of a check that exceeds its budget.
func timeoutError(budget time.Duration) error {
	return apperr.Newf(apperr.Unavailable, "Nomograph did not answer within %v", budget).
		WithHint("Try again; find the cause with `nomograph doctor`")
}

// VerdictOf formats the verdict of a check for an agent: the violations, what would pass, and the command that
// explains it. A check that returned no verdict is unavailable.
func VerdictOf(v check.Verdict) (Verdict, error) {
	if v.VerdictID == "" {
		return Verdict{}, apperr.New(apperr.Unavailable, "The check returned no verdict").
			WithHint("Try again; find the cause with `nomograph doctor`")
	}
	out := Verdict{Decision: Allow, ID: v.VerdictID}
	for _, warning := range v.Warnings {
		out.Context = joined(out.Context, fmt.Sprintf("Policy %s warns: %s", warning.GuardrailID, warning.Message))
	}
	if v.Allowed {
		return out, nil
	}
	out.Decision = Ask
	var reason strings.Builder
	for _, o := range v.Violations {
		if o.Severity != rule.Approve || o.Error != "" {
			out.Decision = Deny
		}
		fmt.Fprintf(&reason, "Policy %s: %s.", o.GuardrailID, strings.TrimSuffix(o.Message, "."))
		render.WriteNonEmpty(&reason, " It could not be evaluated: %s.", o.Error)
		switch {
		case len(o.Alternatives) > 0:
			fmt.Fprintf(&reason, " Instead: %s.", strings.Join(o.Alternatives, "; "))
		case len(o.WouldPass) > 0:
			fmt.Fprintf(&reason, " It passes if %s.", shortLine(strings.Join(o.WouldPass, "; ")))
		}
		reason.WriteByte('\n')
	}
	fmt.Fprintf(&reason, explainWith+"%[1]s\n"+appealWith+"%[1]s \"REASON\"", v.VerdictID)
	out.Reason = reason.String()
	return out, nil
}

// ForPerson returns the reason without the commands, which are for agents.
func (v Verdict) ForPerson() string {
	var lines []string
	for line := range strings.SplitSeq(v.Reason, "\n") {
		if !strings.HasPrefix(line, explainWith) && !strings.HasPrefix(line, appealWith) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Unchecked returns the denial of an action that could not be checked.
func Unchecked(err *apperr.Error) Verdict {
	reason := uncheckedText + strings.TrimSuffix(err.Message, ".") + "."
	if err.Hint != "" {
		reason += " " + err.Hint + "."
	}
	return Verdict{Decision: Deny, Reason: reason}
}

// NotChecked returns the verdict that lets an unchecked action pass, because the settings allow that for its kind.
func NotChecked(err *apperr.Error) Verdict {
	return Verdict{Decision: Allow, Context: "This action was not checked: " + err.Message}
}

// Add combines the verdicts of the actions of one event: the strictest decision counts, and all reasons are listed.
func (v Verdict) Add(next Verdict) Verdict {
	rank := map[Decision]int{Allow: 0, Ask: 1, Deny: 2}
	if stricter := rank[next.Decision] > rank[v.Decision]; stricter || v.ID == "" {
		v.ID = next.ID
		if stricter {
			v.Decision = next.Decision
		}
	}
	v.Reason, v.Context = joined(v.Reason, next.Reason), joined(v.Context, next.Context)
	return v
}

func joined(a, b string) string {
	if a == "" || b == "" || a == b {
		return a + strings.TrimPrefix(b, a)
	}
	return a + "\n" + b
}

// MayPass reports whether there are actions and the kind of each matches one of the patterns, such as "file.*".
func MayPass(patterns []string, actions []Action) bool {
	for _, action := range actions {
		passes := false
		for _, pattern := range patterns {
			match, _ := path.Match(pattern, string(action.Kind))
			passes = passes || match
		}
		if !passes {
			return false
		}
	}
	return len(actions) > 0
}
