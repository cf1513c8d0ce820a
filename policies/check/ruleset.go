package check

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/policies"
	"nomograph/policies/condition"
	"nomograph/policies/history"
	"nomograph/policies/rule"
)

// RuleSet is a snapshot of the rules: all active guardrails and the thresholds that they read. Concurrent checks can
// share it.
type RuleSet struct {
	rules      []rule.Guardrail
	contents   []history.Content            // rules and thresholds of the revision
	thresholds map[string][]policies.Stored // by the name in the rule
	revision   string                       // SHA-256, in hex, of the sorted versions of all contents
	recorded   string                       // the last recorded revision; "" if a change was recorded since
	programs   []map[string]any             // properties of SYS_Program nodes
	declared   []map[string]any             // actions (JSON) and project of atlases
	Now        time.Time                    // the database's clock

	consensus bool // whether a rule reads a consensus

	inForce *RuleSet // for changed rules: the rules of the graph, whose queries run for every caller

	compiler  *Compiler
	asked     thresholdNames
	retention InputRetention // how much of an action may be stored and shown
	limit     time.Duration  // timeout for querying a circuit
}

// thresholdNames are the names of thresholds that the rules read last time. They only save a round trip: if a rule now
// reads other thresholds, the rules are read again.
type thresholdNames struct {
	plain, scoped []string
}

// params returns the parameters of the statement that reads the rules.
func (a thresholdNames) params() graph.Params {
	var names any // a nil slice would not be null
	if a.plain != nil {
		names = a.plain
	}
	return graph.Params{"names": names, "scoped": a.scoped, "most": firstThresholds}
}

func (a thresholdNames) reads(name string) bool {
	_, plain := slices.BinarySearch(a.plain, name)
	return plain || slices.ContainsFunc(a.scoped,
		func(scoped string) bool { return strings.HasPrefix(name, scoped+"_") })
}

// Rules returns the rules as of now or later. It returns unavailable or query_timeout if they cannot be read.
func (s *Store) Rules(ctx context.Context) (*RuleSet, error) {
	return s.reading.Do(ctx, struct{}{})
}

// firstThresholds is how many thresholds a process reads before it knows which of them the rules read. A command that
// checks one action then needs one round trip unless the graph has more.
const firstThresholds = 200

// readRules reads the rules and their thresholds, in one round trip unless a rule is new.
func (s *Store) readRules(ctx context.Context, _ []struct{}) (*RuleSet, error) {
	ctx, cancel := context.WithTimeout(ctx, s.checkTimeout())
	defer cancel()
	names := thresholdNames{scoped: []string{}}
	if known := s.asked.Load(); known != nil {
		names = *known
	}
	_, set, err := readRules(ctx, s.graph, names, s.compiler.Compile)
	if err != nil {
		return nil, err
	}
	s.asked.Store(&set.asked)
	set.retention, set.limit = s.Settings.Retention, s.checkTimeout()
	return set, nil
}

// readRules reads the rules in force with the thresholds of the given names, and again as long as the rules read
// others.
func readRules(ctx context.Context, q graph.Querier, names thresholdNames,
	compile func(RuleNodes, time.Time) *RuleSet) (RuleNodes, *RuleSet, error) {
	wanted := names.plain
	for {
		read, err := graph.One[struct {
			Rules, Links, Thresholds []any
			Programs, Declared       []map[string]any
			Recorded                 string
			Now                      time.Time
		}](ctx, q, cypher.RulesInForce, names.params())
		if err != nil {
			return RuleNodes{}, nil, err
		}
		nodes := RuleNodes{nodesOf(read.Rules, read.Links), nodesOf(read.Thresholds, nil)}
		set := compile(nodes, read.Now)
		complete := names.plain == nil && len(read.Thresholds) < firstThresholds // the graph has no more thresholds
		if complete || policies.ContainsAll(names.plain, set.asked.plain) &&
			policies.ContainsAll(names.scoped, set.asked.scoped) {
			set.programs, set.declared, set.recorded = read.Programs, read.Declared, read.Recorded
			return nodes, set, nil
		}
		names = thresholdNames{plain: slices.Concat(set.asked.plain, wanted), scoped: set.asked.scoped}
	}
}

// declaredRisk returns the highest risk that an atlas for the project declares for an action; 0 if none does.
func (set *RuleSet) declaredRisk(action, project string) (highest condition.Stakes) {
	for _, atlas := range set.declared {
		if of := graph.Text(atlas, "project"); of != "" && normalize.Project(of) != normalize.Project(project) {
			continue
		}
		var actions []struct {
			ID   string `json:"action_id"`
			Risk string `json:"risk_tier"`
		}
		_ = json.Unmarshal([]byte(graph.Text(atlas, "actions")),
			&actions) // invalid JSON written by others declares nothing
		for _, a := range actions {
			if risk, known := condition.ParseStakes(a.Risk); known &&
				normalize.Glob(strings.ToLower(a.ID), strings.ToLower(strings.TrimSpace(action))) {
				highest = max(highest, risk)
			}
		}
	}
	return highest
}

// raiseStakes sets the stakes of a named action to the declared risk if they are lower.
func (set *RuleSet) raiseStakes(c *ActionCheck, action *condition.Action) {
	if risk := set.declaredRisk(c.Name, c.Project); risk > action.Stakes {
		action.Stakes, c.Stakes = risk, risk.String()
	}
}

// sameScope reports whether two of the rules have the same scope. Rules with the same name and different scopes are
// variants.
func (set *RuleSet) sameScope(rules []int) bool {
	scopes := lists.Map(rules, func(i int) string { return set.contents[i].Scope() })
	return len(lists.Union(scopes)) < len(rules)
}

// WithoutPatterns removes the patterns of the rules, which need a graph.
func (set *RuleSet) WithoutPatterns() {
	for i := range set.rules {
		set.rules[i].Pattern = ""
	}
}

// Breakers returns the circuit breakers, by scope.
func (set *RuleSet) Breakers() []*rule.Guardrail {
	var found []*rule.Guardrail
	for i := range set.rules {
		if set.rules[i].Circuit != nil {
			found = append(found, &set.rules[i])
		}
	}
	slices.SortStableFunc(found, func(a, b *rule.Guardrail) int {
		return cmp.Compare(a.Circuit.Scope, b.Circuit.Scope)
	})
	return found
}

// Evaluator returns an evaluator of an action. Names are normalized, so that their spelling cannot evade a rule.
func (set *RuleSet) Evaluator(c ActionCheck, action *condition.Action) *evaluator {
	return &evaluator{set: set, once: c.unit, projects: normalize.Forms(c.Project), written: c.written(),
		model: strings.TrimSpace(c.Model), facts: condition.Facts{Action: action,
			Agent: normalize.Name(c.agent()), Project: normalize.Project(c.Project), Session: c.SessionID, Now: set.Now}}
}
