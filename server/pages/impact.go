package pages

import (
	"cmp"
	"strings"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies"
	"nomograph/policies/lab"
)

// impactPage is the data of the page that shows what depends on a decision, a policy or a threshold.
type impactPage struct {
	lab.Impact
	Kind  string // decision, policy or threshold
	Name  string // as in the URL: a decision's id, otherwise a name
	Title string // of the decision, otherwise the name
	Whole string // URL of its own page
	Open  int    // dependents without an outcome
}

// PageTitle names the subject.
func (i impactPage) PageTitle() string { return "Impact of " + i.Title }

const decisionKind = "decision"

// showImpact shows the impact of the decision, of the policy in a different mode, or of the threshold with a different
// value.
func showImpact(v *Visit) (_ any, err error) {
	out := impactPage{}
	if out.Kind = strings.TrimSuffix(v.page.Name, "-impact"); out.Kind == v.page.Name {
		out.Kind = decisionKind
	}
	out.Name = cmp.Or(v.PathValue("id"), strings.TrimSpace(v.Query("name")))
	if out.Title, out.Whole = out.Name, wholePage(out.Kind+":"+out.Name); out.Name == "" {
		return out, apperr.Newf(apperr.Validation, "No %s selected", out.Kind).WithHint("Choose one from the list")
	}
	switch out.Kind {
	case decisionKind:
		var details decisions.Details
		if details, err = Call[decisions.Details](v, "get_decision",
			decisions.GetQuery{ID: out.Name, History: new(false)}); err != nil {
			return out, err
		}
		out.Name = graph.Text(details.Decision, "id")
		out.Title, out.Whole = plain(render.Title(graph.Text(details.Decision, "decision"))), wholePage(out.Name)
		out.Impact, err = Call[lab.Impact](v, "get_decision_impact", lab.DecisionImpactRequest{ID: out.Name})
	case policyKind:
		out.Impact, err = Call[lab.Impact](v, "get_policy_impact",
			lab.PolicyImpactRequest{Name: out.Name, Mode: v.Query("mode")})
	case thresholdKind:
		out.Impact, err = v.thresholdImpact(out.Name, strings.TrimSpace(v.Query("to")))
	}
	for _, d := range out.Dependents {
		if d.Outcome == "" {
			out.Open++
		}
	}
	return out, err
}

func (v *Visit) thresholdImpact(name, text string) (lab.Impact, error) {
	if text == "" {
		return lab.Impact{}, apperr.Newf(apperr.Validation, "No value to compare with the threshold %q", name).
			WithHint("Preview a change on the page of the threshold")
	}
	value, err := v.valueOf(name, text)
	if err != nil {
		return lab.Impact{}, err
	}
	return Call[lab.Impact](v, "get_threshold_impact",
		lab.ThresholdImpactRequest{Name: name, To: policies.ValueOf(value)})
}
