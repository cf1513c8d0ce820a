package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/normalize"
	"nomograph/internal/reviewsample"
	"nomograph/policies/autonomy"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// isAutonomy reports whether a rule derives its result from earned autonomy. A rule with an edited pattern is an
// ordinary rule, which is violated because its pattern always returns a row.
func isAutonomy(r *rule.Guardrail) bool {
	pattern := strings.TrimSpace(r.Pattern)
	return r.Properties["earned_autonomy"] == true && pattern == cypher.AutonomyReviews.Text()
}

// actsRow holds the acts of one agent at given stakes, and the bars.
type actsRow struct {
	Acts []struct {
		autonomy.Act `mapstructure:",squash"`
		UID          string
	}
	autonomy.Bars `mapstructure:",squash"`
}

// acts reads the acts of the acting agent with one statement, oldest first, and the bars.
func (e *evaluator) acts(ctx context.Context, r *rule.Guardrail) ([]autonomy.Act, autonomy.Bars, error) {
	params, err := e.parametersOf(r)
	if err != nil {
		return nil, autonomy.Bars{}, err
	}
	row, err := graph.One[actsRow](ctx, e.set.compiler.graph, cypher.AutonomyReviews, graph.Params(params))
	if err != nil {
		return nil, autonomy.Bars{}, err
	}
	if bars := row.Bars; bars.TrustedFloor >= bars.Trusted || bars.AutonomousFloor >= bars.Autonomous ||
		bars.Trusted > bars.Autonomous {
		return nil, bars, fmt.Errorf("the bars of autonomy are not in order: each floor must lie below its bar, and trusted must not lie above autonomous")
	}
	acts := make([]autonomy.Act, len(row.Acts))
	for i, v := range row.Acts {
		act := v.Act
		act.Session, act.Drawn = cmp.Or(act.Session, act.At.Format(time.DateOnly)), reviewsample.Drawn(v.UID)
		proven := strings.TrimSpace(act.By) != ""
		act.By, act.Category = caller.Identity(act.By), normalize.Name(act.Category)
		if act.Outcome != "denied" && (!proven || act.By == e.facts.Agent) { // the agent reviewed itself, perhaps under another spelling
			act.Outcome, act.By = "", ""
		}
		acts[i] = act
	}
	return acts, row.Bars, nil
}

// standing derives the level for the action from reviewed acts.
func (e *evaluator) standing(acts []autonomy.Act, bars autonomy.Bars, model string) autonomy.Standing {
	return autonomy.Evaluate(acts, bars, e.facts.Action.Stakes.String(), e.facts.Action.Category, model)
}

// evaluateAutonomy is the result of a rule about earned autonomy: passed, or violated with the standing as its finding.
func (e *evaluator) evaluateAutonomy(ctx context.Context, r *rule.Guardrail) (result string, found []map[string]any,
	err error) {
	acts, bars, err := e.acts(ctx, r)
	if err != nil {
		return Failed, nil, fmt.Errorf("earned_autonomy: %w", err)
	}
	standing := e.standing(acts, bars, e.model)
	standing.TopReviewer = "" // a verdict is visible in one project, but reviews come from all projects
	e.level = &standing
	if standing.Sufficient {
		return Passed, nil, nil
	}
	return Violated, []map[string]any{{"level": standing.Level, "stakes": standing.Stakes, "needed": standing.Needed,
		"why": standing.Why, "missing": standing.Missing}}, nil
}

// AutonomyQuery selects an agent.
type AutonomyQuery struct {
	Agent    string `json:"agent" jsonschema:"name of the agent" rule:"minLength=1,maxLength=200"`
	Model    string `json:"model,omitempty" jsonschema:"language model; if it differs from the model in the reviews, the level is one lower (default the model of the latest reviewed act)" rule:"maxLength=200"`
	Category string `json:"category,omitempty" jsonschema:"category of acts; bad reviews in it can lower the level" rule:"maxLength=100"`
}

// AgentAutonomy is the autonomy that an agent has earned.
type AgentAutonomy struct {
	Agent   string              `json:"agent"`
	Model   string              `json:"model,omitempty" jsonschema:"language model that the levels are for; absent if unknown"`
	Mode    string              `json:"mode" jsonschema:"mode of the rule; in shadow mode it blocks nothing"`
	Levels  []autonomy.Standing `json:"levels" jsonschema:"by stakes, ascending"`
	Notes   []string            `json:"notes"`
	Summary string              `json:"summary" jsonschema:"the same as Markdown"`
}

// Autonomy returns the level that an agent has earned at each stakes. It returns not_found if no rule about earned
// autonomy is in force, and the errors of reading the rules and reviews.
func (s *Store) Autonomy(ctx context.Context, q AutonomyQuery) (AgentAutonomy, error) {
	set, err := s.Rules(ctx)
	if err != nil {
		return AgentAutonomy{}, err
	}
	at := slices.IndexFunc(set.rules, func(r rule.Guardrail) bool { return isAutonomy(&r) })
	if at < 0 {
		return AgentAutonomy{}, apperr.New(apperr.NotFound, "No rule about earned autonomy is active").
			WithHint("Apply the pack with `apply_packs` and the name autonomy")
	}
	r := &set.rules[at]
	if r.Broken != nil {
		return AgentAutonomy{}, apperr.Newf(apperr.RuleFailed, "The rule '%s' cannot be evaluated: %s", r.Name,
			r.Broken).WithHint("Apply the pack autonomy again")
	}
	out := AgentAutonomy{Agent: q.Agent, Mode: r.Mode}
	var standings []func() autonomy.Standing // computed once all acts, and thus the latest model, are known
	var latest time.Time
	out.Model = strings.TrimSpace(q.Model)
	for level := condition.Low; level <= condition.Critical; level++ {
		check := ActionCheck{AgentID: q.Agent, Stakes: level.String(), Category: q.Category, Model: q.Model}
		e := set.Evaluator(check, &condition.Action{Stakes: level, Category: normalize.Name(q.Category), Phase: "check"})
		e.facts.Threshold = e.threshold
		acts, bars, err := e.acts(ctx, r)
		if err != nil {
			return AgentAutonomy{}, apperr.From(err)
		}
		standings = append(standings, func() autonomy.Standing { return e.standing(acts, bars, out.Model) })
		for _, act := range acts {
			if strings.TrimSpace(q.Model) == "" && act.Outcome != "" && act.Model != "" && act.At.After(latest) {
				out.Model, latest = act.Model, act.At
			}
		}
	}
	reviews := 0
	for _, compute := range standings {
		standing := compute()
		if caller.From(ctx).Limited() {
			standing.TopReviewer = ""
		}
		reviews += standing.Successes + standing.Failures
		out.Levels = append(out.Levels, standing)
	}
	if r.Mode != rule.Enforce {
		out.Notes = append(out.Notes, "The rule is in "+r.Mode+
			" mode: it blocks nothing and reports what it would have done")
	}
	if !latest.IsZero() {
		out.Notes = append(out.Notes, "The levels are for acts by the model "+cellEscaper.Replace(out.Model)+
			", which was reviewed last. The argument model asks about another")
	}
	if reviews == 0 {
		out.Notes = append(out.Notes, "No review of this agent counts: it takes reviews by authenticated reviewers other than the agent")
	}
	out.Summary = out.markdown()
	return out, nil
}

// cellEscaper makes recorded text safe for a cell of a Markdown table.
var cellEscaper = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "`", "'", "<", "&lt;")

// markdown is the answer for people.
func (a *AgentAutonomy) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Autonomy of %s\n\n| stakes | level | needed | at least | counted | not counted |\n|---|---|---|--:|---|---|\n", cellEscaper.Replace(a.Agent))
	for _, s := range a.Levels {
		fmt.Fprintf(&b, "| %s | %s | %s | %.2f | %d succeeded, %d failed, %d not reviewed | %d approved, %d forced, %d partial, %d left out |\n", s.Stakes, s.Level, s.Needed, s.LowerBound, s.Successes, s.Failures,
			s.Unreviewed, s.Approved, s.Forced, s.Partial, s.LeftOut)
	}
	b.WriteString("\n")
	for _, s := range a.Levels {
		fmt.Fprintf(&b, "- %s: %s. Next: %s.\n", s.Stakes, cellEscaper.Replace(s.Why),
			cellEscaper.Replace(cmp.Or(s.Missing, "nothing")))
		if s.TopReviewer != "" {
			fmt.Fprintf(&b, "- %s: %s gave more than half of the reviews.\n", s.Stakes,
				cellEscaper.Replace(s.TopReviewer))
		}
	}
	for _, note := range a.Notes {
		fmt.Fprintf(&b, "- %s\n", note) // the same text as in Notes, so that the command line does not print it twice
	}
	return b.String()
}
