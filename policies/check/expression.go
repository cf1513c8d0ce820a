package check

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/policies"
	"nomograph/policies/condition"
)

// ExpressionQuery is a CEL expression to be evaluated for an action.
type ExpressionQuery struct {
	Expression  string           `json:"expression" jsonschema:"CEL, as in applies_when and requires" rule:"minLength=1,maxLength=4000"`
	Description string           `json:"description,omitempty" jsonschema:"description of the action" rule:"maxLength=10000"`
	Category    string           `json:"category,omitempty" jsonschema:"architecture, process, integration, tooling, security, or your own" rule:"maxLength=100"`
	Stakes      string           `json:"stakes,omitempty" jsonschema:"importance of the action" rule:"enum=low|medium|high|critical,default=\"medium\""`
	Confidence  *float64         `json:"confidence,omitempty" jsonschema:"0.0 to 1.0" rule:"minimum=0,maximum=1"`
	Context     graph.Parameters `json:"context,omitempty" jsonschema:"facts, read as action.context.NAME"`
	Name        string           `json:"name,omitempty" jsonschema:"short name of the action, such as git.push" rule:"maxLength=200"`
	Params      graph.Parameters `json:"params,omitempty" jsonschema:"the action's own parameters, read as action.params.NAME"`
	Tags        []string         `json:"tags,omitempty" jsonschema:"tags" rule:"maxItems=50"`
	Project     string           `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	AgentID     string           `json:"agent_id,omitempty" jsonschema:"acting agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	By          string           `json:"-"`
}

// ExpressionResult is the value of an expression with its inputs.
type ExpressionResult struct {
	Value      any                              `json:"value"`
	Type       string                           `json:"type" jsonschema:"CEL type of the value: bool, int, double, string, list, map, ..."`
	Saw        graph.Parameters                 `json:"facts" jsonschema:"facts that the expression reads; null was absent"`
	Thresholds map[string]policies.ThresholdUse `json:"thresholds,omitempty" jsonschema:"thresholds that the expression reads, as they are now"`
	Fails      []string                         `json:"failed_conditions,omitempty" jsonschema:"parts of a conjunction that do not hold"`
	Notes      []string                         `json:"notes,omitempty"`
}

// EvaluateExpression evaluates an expression for an action with the live thresholds. Nothing is stored. It returns a
// validation_error with the position for an invalid expression, and the errors of reading thresholds.
func (s *Store) EvaluateExpression(ctx context.Context, q ExpressionQuery) (ExpressionResult, error) {
	program, err := condition.Expression(q.Expression)
	if wrong := (*condition.Error)(nil); errors.As(err, &wrong) {
		return ExpressionResult{}, apperr.Newf(apperr.Validation, "Cannot parse the expression: %d:%d: %s", wrong.Line,
			wrong.Column, wrong.Message).
			WithHint("See docs/reference/cel.md for what expressions can read")
	}
	if err != nil {
		return ExpressionResult{}, err
	}
	check := ActionCheck{Description: q.Description, Category: q.Category, Stakes: q.Stakes, Confidence: q.Confidence,
		Context: q.Context, Name: q.Name, Params: q.Params,
		Tags: q.Tags, Project: cmp.Or(q.Project, s.Settings.Project), AgentID: q.AgentID, By: q.By}
	action, notes, err := check.Action()
	if err != nil {
		return ExpressionResult{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, max(s.checkTimeout(), FirstTimeout))
	defer cancel()
	names := thresholdNames{plain: append([]string{},
		lists.Union(program.Thresholds, program.Scoped)...),
		scoped: append([]string{}, program.Scoped...)}
	_, set, err := readRules(ctx, s.graph, names, func(nodes RuleNodes, now time.Time) *RuleSet {
		set := &RuleSet{Now: now, asked: names}
		NewCompiler(nil).addThresholds(set, nodes.Thresholds)
		return set
	})
	if err != nil {
		return ExpressionResult{}, err
	}
	s.Settings.Effects.Add(&check, action, set.programs)
	e := set.Evaluator(check, action)
	facts := e.facts
	facts.Threshold = e.threshold
	out := ExpressionResult{Notes: notes, Thresholds: map[string]policies.ThresholdUse{}}
	out.Value, out.Type, err = program.Value(ctx, facts)
	if err != nil {
		return ExpressionResult{}, apperr.Newf(apperr.Validation, "Cannot evaluate the expression: %v", err).
			WithHint("A rule with this expression would deny the action. Pass the facts that it reads, such as `context`, or test them with has()")
	}
	if out.Value == false {
		for _, part := range program.Failing(ctx, facts) {
			out.Fails = append(out.Fails, part.Needs(facts))
		}
	}
	shown := RetainFull.masked(facts)
	out.Saw = graph.Parameters(program.Seen(shown))
	for _, name := range slices.Concat(program.Thresholds, program.Scoped) {
		if use, ok := e.thresholdUse(name); ok {
			out.Thresholds[name] = use
		}
	}
	masked, _ := redact.Value(map[string]any{"value": out.Value})
	out.Value = masked.(map[string]any)["value"]
	return out, nil
}
