package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/redact"
	"nomograph/policies"
	"nomograph/policies/autonomy"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// evaluator evaluates one action. Rules read facts; shown holds the facts that may be shown and stored.
type evaluator struct {
	set   *RuleSet
	facts condition.Facts
	shown *condition.Facts            // created for the first violation
	read  map[string]*policies.Stored // thresholds as they were read last, by the name in the rule

	projects []string       // spellings of the project, for selecting rules
	written  map[string]any // names in the caller's spelling
	applied  bool           // whether the last evaluated rule applied

	model string             // model of the acting agent, as it stated
	level *autonomy.Standing // result of the last rule about earned autonomy

	once func() (string, error) // see ActionCheck.unit

	// breakers whose states are read together; nil: those that concern the action
	breakers []*rule.Guardrail
	circuits map[*rule.Guardrail]graph.QueryResult // states of shipped breakers, once they are read

	Outcomes []Outcome // of the rules that Verdict has evaluated
}

// Verdict evaluates every rule for the action: a violation does not skip later rules.
func (e *evaluator) Verdict(ctx context.Context) Verdict {
	v := Verdict{Allowed: true, Violations: []Violation{}, Warnings: []Violation{}, Shadow: []Violation{},
		NormalizedNames: e.normalizedNames()}
	e.facts.Threshold = e.threshold
	e.facts.Prepare()
	for i := range e.set.rules {
		r := &e.set.rules[i]
		if !e.concerns(r) {
			continue
		}
		v.Evaluated++
		violation := e.evaluateRule(ctx, r)
		if e.level != nil {
			v.Autonomy, e.level = e.level, nil
		}
		if r.Limit != nil && e.applied && r.Severity != rule.Allow {
			var counted Counted
			counted, violation = e.count(r, violation)
			v.Counted = append(v.Counted, counted)
		}
		outcome := e.outcome(r, violation)
		e.Outcomes = append(e.Outcomes, outcome)
		if outcome.Result != NotApplied {
			v.Applied = append(v.Applied, AppliedRule{r.Name, outcome.Result})
		}
		switch {
		case r.Severity == rule.Allow:
			if outcome.Result == Passed && r.Mode == rule.Enforce {
				v.Permits = append(v.Permits, r.Name)
			}
		case violation == nil:
		case r.Mode == rule.Shadow:
			v.Shadow = append(v.Shadow, *violation)
		case r.Severity == rule.Warn:
			v.Warnings = append(v.Warnings, *violation)
		default:
			v.Allowed = false
			v.Violations = append(v.Violations, *violation)
		}
	}
	return v
}

// count returns what the action uses of a limit, and the rule's violation: also one of an action that does not say how
// much it uses, because a pattern of another author may not look.
func (e *evaluator) count(r *rule.Guardrail, violation *Violation) (Counted, *Violation) {
	use, stated, err := e.use(r)
	switch {
	case violation != nil || r.Pattern == "":
	case err != nil:
		violation = e.failure(r, err)
	case !stated:
		violation = e.newViolation(r, Violated)
	}
	counted := Counted{Rule: r.Name, Amount: use.Amount, use: use}
	if violation == nil && r.Mode == rule.Enforce && r.Severity != rule.Warn {
		counted.holds = r
	}
	return counted, violation
}

// concerns reports whether a rule is not off and its scope contains the action's project, name and circuit.
func (e *evaluator) concerns(r *rule.Guardrail) bool {
	return r.Mode != rule.Off && r.InScope(e.projects) && r.AppliesTo(e.facts.Action) && r.InCircuit(e.facts)
}

// evaluateRule returns the violation of a rule, nil if there is none.
func (e *evaluator) evaluateRule(ctx context.Context, r *rule.Guardrail) *Violation {
	result, found, err := e.result(ctx, r)
	switch {
	case err != nil:
		return e.failure(r, err)
	case result != Violated:
		return nil
	case len(found) > 0:
		return e.patternViolation(r, found)
	}
	violation := e.newViolation(r, Violated)
	for _, clause := range r.Requires.Failing(ctx, e.facts) {
		if needs := clause.Needs(e.facts); needs != "false" {
			violation.WouldPass = append(violation.WouldPass, needs)
		}
	}
	return violation
}

// result evaluates a rule: whether it applied, and passed, violated or failed. It returns what a violated pattern
// found, and why a rule failed.
func (e *evaluator) result(ctx context.Context, r *rule.Guardrail) (result string, found []map[string]any, err error) {
	e.applied = false
	if r.Broken != nil {
		return Failed, nil, r.Broken
	}
	if r.Applies != nil {
		applies, err := r.Applies.Eval(ctx, e.facts)
		if err != nil {
			return Failed, nil, fmt.Errorf("applies_when: %w", err)
		}
		if !applies {
			return NotApplied, nil, nil
		}
	}
	e.applied = true
	if r.Requires != nil {
		holds, err := r.Requires.Eval(ctx, e.facts)
		if err != nil {
			return Failed, nil, fmt.Errorf("requires: %w", err)
		}
		if !holds {
			return Violated, nil, nil
		}
	}
	switch {
	case r.Pattern == "":
		return Passed, nil, nil
	case isAutonomy(r):
		return e.evaluateAutonomy(ctx, r)
	case r.Limit != nil && isLimitState(r.Pattern):
		return e.evaluateLimit(ctx, r)
	}
	found, err = e.pattern(ctx, r)
	if err != nil {
		return Failed, nil, fmt.Errorf("forbids_pattern: %w", err)
	}
	if len(found) == 0 {
		return Passed, nil, nil
	}
	return Violated, found, nil
}

// patternViolation returns the violation of a rule whose pattern found rows.
func (e *evaluator) patternViolation(r *rule.Guardrail, found []map[string]any) *Violation {
	violation := e.newViolation(r, Violated)
	violation.Found, violation.Message = found, rule.FillFound(violation.Message, found[0])
	violation.WouldPass = []string{wouldPass(r, found)}
	return violation
}

// maxRowsShown is the number of rows of a pattern that are shown.
const maxRowsShown = 3

// maxQuerySeconds is the maximum timeout of a query, in seconds; the rest of the check's time is the real limit.
const maxQuerySeconds = 60

// pattern returns what the rule's pattern found, masked.
func (e *evaluator) pattern(ctx context.Context, r *rule.Guardrail) ([]map[string]any, error) {
	answer, err := e.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	if len(answer.Rows) == 0 && answer.Truncated { // a row was found but is too large to show
		return []map[string]any{{"omitted": answer.Note}}, nil
	}
	found := make([]map[string]any, len(answer.Rows))
	for i, row := range answer.Rows {
		found[i] = map[string]any{}
		for n, column := range answer.Columns {
			found[i][column] = row[n]
		}
		found[i] = e.showable(r, found[i])
	}
	return found, nil
}

// showable returns a masked row of a pattern.
func (e *evaluator) showable(r *rule.Guardrail, row map[string]any) map[string]any {
	if e.set.retention.withholds() { // a row may contain inputs of the action
		for column := range row {
			if r.Circuit == nil || !slices.Contains(rule.CircuitColumns, column) {
				row[column] = withheld
			}
		}
	}
	masked, _ := redact.Value(row)
	return masked.(map[string]any)
}

// ask runs the pattern with the same limits as a caller's query.
func (e *evaluator) ask(ctx context.Context, r *rule.Guardrail) (graph.QueryResult, error) {
	params, err := e.parametersOf(r)
	if err != nil {
		return graph.QueryResult{}, err
	}
	ask := e.set.run
	if isShippedCircuit(r) {
		ask = e.circuit
	}
	answer, err := ask(ctx, r, params)
	e.set.compiler.planned.Store(r.Pattern, true)
	if err == nil && len(answer.Columns) == 0 { // EXPLAIN, or no RETURN: it could never be violated
		err = errors.New("it returns nothing, so nothing could ever violate it")
	}
	return answer, err
}

// run sends the rule's own pattern. For callers who may not query the whole graph, only if it is in force.
func (set *RuleSet) run(ctx context.Context, r *rule.Guardrail, params graph.Parameters) (graph.QueryResult, error) {
	return set.compiler.graph.RunReadOnly(ctx, graph.ReadQuery{Query: r.Pattern, Params: params, Limit: maxRowsShown,
		Timeout: maxQuerySeconds, Repeated: r.Circuit != nil, InForce: set.queriesInForce(r)})
}

// parametersOf returns the values of the parameters that the rule's pattern uses.
func (e *evaluator) parametersOf(r *rule.Guardrail) (graph.Parameters, error) {
	all := e.parameters()
	thresholds, err := e.numbers(r)
	if err != nil {
		return nil, err
	}
	all["rule"], all["threshold"] = r.Properties, thresholds
	params := graph.Parameters{}
	for _, name := range r.Uses {
		value, ok := all[name]
		if !ok {
			return nil, fmt.Errorf("unknown parameter $%s; a rule sees $action, $agent, $project, $session, $written, $now, $rule and $threshold", name)
		}
		params[name] = value
	}
	return params, nil
}

// parameters returns the facts for a Cypher rule: the same as for a condition. Absent facts are null.
func (e *evaluator) parameters() map[string]any {
	a := e.facts.Action
	action := a.Facts()
	action["stakes"], action["stakes_level"] = a.Stakes.String(), int64(a.Stakes)
	action["description"], action["phase"] = a.Description, a.Phase // never null
	return map[string]any{"action": action, "agent": e.facts.Agent, "project": graph.NullIfEmpty(e.facts.Project),
		"session": graph.NullIfEmpty(e.facts.Session), "now": graph.UTC(e.facts.Now), "written": e.written}
}

func (e *evaluator) failure(r *rule.Guardrail, err error) *Violation {
	violation := e.newViolation(r, Failed)
	violation.Error, _ = redact.Text(err.Error())
	if at := strings.IndexAny(violation.Error, "\"'\n"); at >= 0 && r.Broken == nil && e.set.retention.withholds() {
		violation.Error = violation.Error[:at] + withheld // errors quote facts
	}
	violation.Message = fmt.Sprintf("The rule '%s' could not be evaluated, so it does not let the action pass", r.Name)
	if r.Severity == rule.Warn || r.Mode == rule.Shadow {
		violation.Message = fmt.Sprintf("The rule '%s' could not be evaluated", r.Name)
	}
	return violation
}

func (e *evaluator) newViolation(r *rule.Guardrail, result string) *Violation {
	if e.shown == nil {
		shown := e.set.retention.masked(e.facts)
		e.shown = &shown
	}
	facts := *e.shown
	o := &Violation{GuardrailID: r.Name, Severity: r.Severity, Mode: r.Mode, Result: result, Version: r.Version,
		Alternatives: r.Suggestion(facts), Message: r.Message(facts), Values: map[string]any{},
		Thresholds: map[string]policies.ThresholdUse{}}
	names := r.Numbers()
	for _, program := range r.Conditions() {
		maps.Copy(o.Values, program.Seen(facts))
		names = slices.Concat(names, program.Thresholds, program.Scoped)
	}
	if r.Limit != nil {
		names = slices.Concat(names, []string{r.Limit.Threshold})
	}
	for _, name := range names {
		if use, ok := e.thresholdUse(name); ok {
			o.Thresholds[name] = use
		}
	}
	return o
}

// threshold returns the live value of a threshold and records from which node it came.
func (e *evaluator) threshold(name, scope string) (any, error) {
	node, err := policies.SelectThreshold(name, scope, e.set.thresholds[name])
	if err == nil {
		err = node.Readable(name)
	}
	if err != nil {
		return nil, err
	}
	if e.read == nil {
		e.read = map[string]*policies.Stored{}
	}
	e.read[name] = node
	return node.Properties["value"], nil
}

// numbers returns the live values of the thresholds that the rule's pattern reads, by name.
func (e *evaluator) numbers(r *rule.Guardrail) (map[string]any, error) {
	values := map[string]any{}
	for _, name := range r.Numbers() {
		value, err := e.threshold(name, "")
		if err != nil {
			return nil, err
		}
		if _, ok := policies.ToFloat(value); !ok {
			return nil, fmt.Errorf("SYS_Threshold node '%s' holds a %s, and $threshold takes numbers", name,
				policies.JSONType(value))
		}
		values[name] = value
	}
	if r.Circuit != nil {
		return values, r.Circuit.Accept(values)
	}
	return values, nil
}

// thresholdUse returns a threshold as it was last read.
func (e *evaluator) thresholdUse(name string) (policies.ThresholdUse, bool) {
	node, ok := e.read[name]
	if !ok {
		return policies.ThresholdUse{}, false
	}
	return policies.ThresholdUse{Value: graph.JSON(node.Properties["value"]),
		Version: policies.Version(node.Properties, nil)}, true
}

// normalizedNames returns the names whose normalized spelling differs from the caller's, masked.
func (e *evaluator) normalizedNames() map[string]any {
	a := e.facts.Action
	seen := map[string]any{"category": graph.NullIfEmpty(a.Category), "name": graph.NullIfEmpty(a.Name),
		"project": graph.NullIfEmpty(e.facts.Project), "agent": graph.NullIfEmpty(e.facts.Agent),
		"tags": policies.NullIfNone(a.Tags)}
	maps.DeleteFunc(seen, func(name string, value any) bool { return reflect.DeepEqual(value, e.written[name]) })
	if len(seen) == 0 {
		return nil
	}
	masked, _ := redact.Value(seen)
	return masked.(map[string]any)
}
