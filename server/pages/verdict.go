package pages

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/sessions"
)

// verdict is the data of a verdict's page, with an evaluation of the same action by the current rules.
type verdict struct {
	check.Explanation
	Name         string             // what the action is
	ActionJSON   string             // the action as JSON text
	Stored       map[string]any     // the action
	NotEvaluated string             // why the current rules could not evaluate it
	Approval     *sessions.Approval // the approval request of the verdict
	Facts        []tried
	Passing      string // URL of the page with facts that are expected to pass
	Trial        *check.Verdict
	Problem      *apperr.Error // why the changed facts could not be evaluated
	Differences  []difference
	Own          bool // the caller's action was denied, or the caller appealed, and so cannot decide the appeal
}

// tried is a fact of the action that the form can change.
type tried struct {
	Field, Label, Value string
	Was                 string // stored value; "" for an absent fact
	Choices             []string
	Number              bool

	stored any
}

// difference is a rule with another result today.
type difference struct {
	Rule, Then, Now string
	Version         string // of the rule at the time of the verdict
}

// NeedsApproval reports whether only an approval can allow the action: the rules say so, or a request was made because
// no rule permits the action.
func (e verdict) NeedsApproval() bool {
	return e.Verdict.NeedsApproval() || !e.Allowed && e.Approval != nil
}

// Answer returns the answer in words, with what became of a denial.
func (e verdict) Answer() string {
	approval := ""
	if e.Approval != nil {
		approval = strings.Replace(e.Approval.State, "approving", "approved", 1)
	}
	return check.Answer(e.Allowed, e.NeedsApproval(), approval, e.Forced != "")
}

// PageTitle returns the result and the action.
func (e verdict) PageTitle() string { return capital(e.Answer()) + ": " + e.Name }

// Steps returns what would pass a rule.
func (e verdict) Steps(v check.Violation) []step { return stepsOf(v) }

var verdictActs = map[string]Act{"appeal": appealVerdict, "uphold": decideAppeal("uphold_verdict"),
	"overturn": decideAppeal("overturn_verdict")}

func appealVerdict(v *Visit) (string, error) {
	return v.do(v.URL.Path+"#appeal", "appeal_verdict",
		check.AppealRequest{ID: v.PathValue("id"), Reason: v.Form("reason")})
}

func decideAppeal(operation string) Act {
	return func(v *Visit) (string, error) {
		return v.do(v.URL.Path+"#appeal", operation,
			check.AppealAnswer{ID: v.PathValue("id"), Reason: v.Form("reason")})
	}
}

const approvalsRead = 500 // approval requests among which that of the verdict is searched

func showVerdict(v *Visit) (any, error) {
	q := check.VerdictQuery{ID: v.PathValue("id"), Replay: true}
	found, err := Call[check.Explanation](v, "explain_verdict", q)
	out := verdict{}
	if apperr.Is(err, apperr.Conflict) { // an ambiguous prefix is also a conflict; the second call then returns that error
		q.Replay, out.NotEvaluated = false, apperr.From(err).Message
		found, err = Call[check.Explanation](v, "explain_verdict", q)
	}
	if err != nil {
		return out, err
	}
	out.Explanation = found
	action := map[string]any{}
	if len(found.Action) > 0 { // otherwise only its hash is stored
		out.ActionJSON, _ = render.IndentedJSON(found.Action) // the action was decoded from JSON
		_ = json.Unmarshal(found.Action, &action)
	}
	out.Stored = action
	out.Name = cmp.Or(render.Title(graph.Text(action, "description")), graph.Text(action, "name"),
		"Action without a stored description")
	out.Differences = differences(found)
	out.Own = caller.SameAgent(found.AgentID, v.Caller().Name) || found.Appeal != nil &&
		caller.SameAgent(found.Appeal.AgentID, v.Caller().Name)
	if found.Allowed {
		return out, nil
	}
	asked, err := callIfMay[sessions.ApprovalList](v, "list_approvals", sessions.ApprovalsQuery{Limit: approvalsRead})
	if at := slices.IndexFunc(asked.Approvals, func(a sessions.Approval) bool {
		return a.VerdictID == found.VerdictID
	}); at >= 0 {
		out.Approval = &asked.Approvals[at]
	}
	if err == nil && out.Today != nil {
		out.try(v)
	}
	return out, err
}

// try evaluates the changed facts of the form, and lists the facts that it can change. Nothing is stored.
func (e *verdict) try(v *Visit) {
	e.facts(e.Violations)
	with, asked, changed := map[string]any{}, false, false
	for i := range e.Facts {
		f := &e.Facts[i]
		if f.Value = f.Was; !v.query.Has(f.Field) {
			continue
		}
		asked = true
		if f.Value = strings.TrimSpace(v.Query(f.Field)); f.Value == "" &&
			!strings.Contains(f.Label, ".") { // every action has these fields
			f.Value = f.Was
		}
		if f.Value != f.Was {
			put(with, strings.Split(strings.TrimPrefix(f.Field, trialPrefix), "."), f.value())
			changed = true
		}
	}
	if !changed {
		if asked { // the form was submitted unchanged
			e.Trial = e.Today
		}
		return
	}
	tried, err := Call[check.Explanation](v, "explain_verdict",
		map[string]any{"id": e.VerdictID, "with": with}) // the operation reports values of a wrong type
	if err != nil {
		e.Problem = apperr.From(err)
		return
	}
	e.Trial = tried.Today
	for i, f := range e.Facts { // with the changed facts more rules can apply, and they read more facts
		e.Facts[i].Value = cmp.Or(v.Query(f.Field), f.Value)
	}
	e.facts(e.Trial.Violations)
}

const trialPrefix = "try."

// facts adds the facts that violated rules read and that the form can change.
func (e *verdict) facts(violations []check.Violation) {
	passing, parameters := map[string]any{}, url.Values{}
	for _, violation := range violations {
		for _, step := range stepsOf(violation) {
			maps.Copy(passing, step.Facts)
		}
	}
	for _, violation := range violations {
		for _, path := range slices.Sorted(maps.Keys(violation.Values)) {
			label := strings.TrimPrefix(path, "action.")
			root, _, nested := strings.Cut(label, ".")
			if (root == "context" || root == "params") != nested || !slices.Contains(triable, root) ||
				slices.ContainsFunc(e.Facts, func(f tried) bool { return f.Label == label }) {
				continue
			}
			stored := violation.Values[path]
			f := tried{Field: trialPrefix + label, Label: label, Value: shownValue(stored), Was: shownValue(stored),
				stored: stored}
			switch kind := policies.JSONType(cmp.Or(stored, passing[path])); {
			case label == "stakes":
				f.Choices = decisions.StakesValues
			case kind == "boolean":
				f.Choices = []string{"true", "false"}
			case kind == "number":
				f.Number = true
			}
			e.Facts = append(e.Facts, f)
			if text := shownValue(passing[path]); text != "" {
				parameters.Set(f.Field, text)
			}
		}
	}
	if e.Passing == "" && len(parameters) > 0 {
		e.Passing = "/verdicts/" + url.PathEscape(e.VerdictID) + "?" + parameters.Encode() + "#try"
	}
}

// triable lists the fields of an action that the form can change.
var triable = strings.Fields("stakes confidence category context name params tags description")

// value returns the value of the form with the type of the fact; nil for an empty field.
func (f tried) value() any {
	if f.Value == "" {
		return nil
	}
	if _, ok := f.stored.(string); ok || slices.Contains([]string{"category", "name", "description"}, f.Label) {
		return f.Value
	}
	var value any
	if json.Unmarshal([]byte(f.Value), &value) != nil {
		return f.Value
	}
	return value
}

// put adds a fact to a merge patch.
func put(patch map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		nested, _ := patch[name].(map[string]any)
		if nested == nil {
			nested = map[string]any{}
			patch[name] = nested
		}
		patch = nested
	}
	patch[path[len(path)-1]] = value
}

// differences returns the rules whose result differs between the verdict and today.
func differences(e check.Explanation) (out []difference) {
	if e.Today == nil {
		return nil
	}
	then, now := violationsOf(e.Verdict), violationsOf(*e.Today)
	result := func(of map[string]check.Violation, rule string) string {
		v, violated := of[rule]
		if !violated {
			return "passes"
		}
		return cmp.Or(v.Message, "violated")
	}
	rules := slices.AppendSeq(slices.Collect(maps.Keys(then)), maps.Keys(now))
	slices.Sort(rules)
	for _, rule := range slices.Compact(rules) {
		d := difference{rule, result(then, rule), result(now, rule), then[rule].Version}
		if d.Then != d.Now || then[rule].Severity != now[rule].Severity {
			out = append(out, d)
		}
	}
	return out
}

func violationsOf(v check.Verdict) map[string]check.Violation {
	all := map[string]check.Violation{}
	for _, violation := range slices.Concat(v.Violations, v.Warnings) {
		all[violation.GuardrailID] = violation
	}
	return all
}
