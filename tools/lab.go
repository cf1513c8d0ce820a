package tools

import (
	"context"

	"nomograph/policies/lab"
)

var labOperations = inToolset("lab",
	define(Operation{
		Name:       "replay_policies",
		Title:      "Policy replay",
		Use:        "Replay recorded actions with changed rules. Returns which verdicts flip, and the outcomes of these actions. Use before you change a policy or threshold. For one verdict: `explain_verdict`. Nothing is stored.",
		Kind:       Job,
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Command:    "policy replay",
		CLI: CommandLine{Documents: "packs", Print: "summary",
			Flags: map[string]string{"proposal_id": "proposal"}},
		REST: "POST /v1/policies/replay",
	}, replayPolicies),
	define(Operation{
		Name:       "report_policies",
		Title:      "Rule report",
		Use:        "Report how often each rule was violated and overridden. Also counts denials and retries, and the outcomes of actions that violated the rule and went ahead. Use to find rules that are too strict or never apply.",
		Kind:       Job,
		Permission: Read,
		Scope:      Filtered,
		Command:    "policy report RULE",
		Names:      "policy",
		CLI:        CommandLine{Print: "summary"},
		REST:       "GET /v1/rule-report",
	}, method((*lab.Store).Report)),
	define(Operation{
		Name:       "list_reviews_next",
		Title:      "Review next",
		Use:        "List the decisions whose review says most about rules. Returns how many reviews would show whether a rule is too strict. A tenth of the decisions is drawn at random. For overdue reviews: `ready`.",
		Kind:       Job,
		Permission: Read,
		Scope:      Filtered,
		Command:    "decision review-next",
		CLI:        CommandLine{Print: "summary"},
		REST:       "GET /v1/decisions/review-next",
	}, method((*lab.Store).ReviewNext)),
	define(Operation{
		Name:       "suggest_policies",
		Title:      "What failures have in common",
		Use:        "Find what failed decisions have in common. With `decision_id`: what distinguished one failure from similar successes. Findings are hypotheses, each with a rule in shadow mode. Nothing is stored.",
		Kind:       Job,
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Command:    "policy learn",
		Names:      "decision",
		CLI: CommandLine{Print: "summary",
			Flags: map[string]string{"decision_id": "from"}},
		REST: "POST /v1/policies/suggestions",
	}, method((*lab.Store).Learn)),
	define(Operation{
		Name:       "tune_threshold",
		Title:      "Tune a threshold",
		Use:        "Compare values of a threshold over recorded actions. Returns the failures that each value stops, the successes that it blocks, and the values that cost as much as the current one. Nothing is stored.",
		Kind:       Job,
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Command:    "threshold tune NAME",
		Names:      "threshold",
		CLI: CommandLine{Print: "summary",
			Flags: map[string]string{"costs": "cost"}},
		REST: "POST /v1/thresholds/{name}/tuning",
	}, method((*lab.Store).Tune)),
	define(Operation{
		Name:       "get_policy_impact",
		Title:      "Impact of a policy",
		Use:        "Show what depends on a policy. Returns its thresholds, tables, packs, exceptions and pending approvals, and the actions of the last 30 days whose verdict changes in another mode. Use before you change or remove it. Nothing is stored.",
		Kind:       Job,
		Permission: Read,
		Scope:      Filtered,
		Command:    "policy impact NAME",
		Names:      "policy",
		CLI:        CommandLine{Print: "summary"},
		REST:       "GET /v1/policies/{name}/impact",
	}, method((*lab.Store).PolicyImpact)),
	define(Operation{
		Name:       "get_threshold_impact",
		Title:      "Impact of a threshold",
		Use:        "Show the impact of another value. Returns the rules and tables that read the threshold, exceptions, pending approvals, and the actions of the last 30 days whose verdict would differ. For many values: `tune_threshold`. Nothing is stored.",
		Kind:       Job,
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		Command:    "threshold impact NAME",
		Names:      "threshold",
		CLI:        CommandLine{Print: "summary"},
		REST:       "POST /v1/thresholds/{name}/impact",
	}, method((*lab.Store).ThresholdImpact)),
	define(Operation{
		Name:       "get_decision_impact",
		Title:      "Impact of a decision",
		Use:        "Show what depends on a decision. Returns its dependents with outcomes, the approvals it used, the breakers that count its outcome, and its verdict by today's rules. Use when a decision failed. Nothing is stored.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "decision impact ID",
		Names:      "decision",
		CLI:        CommandLine{Print: "summary"},
		REST:       "GET /v1/decisions/{id}/impact",
	}, func(ctx context.Context, app *App, in lab.DecisionImpactRequest) (lab.Impact, error) {
		decision, err := app.Decisions.Resolve(ctx, in.ID)
		if err != nil {
			return lab.Impact{}, err
		}
		in.UID = decision.UID
		return app.Lab.DecisionImpact(ctx, in)
	}),
)
