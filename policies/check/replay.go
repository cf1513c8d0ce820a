package check

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// Exactness says how far the replay of a rule for one action can be trusted.
type Exactness string

// Values of Exactness.
const (
	Exact Exactness = "exact" // everything that the rule read was stored
	// the rule reads the graph, or the verdict is older than the facts that replay needs
	Approximate Exactness = "approximate"
	// a fact that the rule reads was masked or not stored, or the caller may not run its query
	NotReplayable Exactness = "not_replayable"
)

// StoredAction is an action as its verdict stored it.
type StoredAction struct {
	At         time.Time
	Agent      string
	Inputs     string         // JSON of the action
	InputsKept InputRetention // how much of the action was stored
	Facts      *Facts         // nil for a verdict stored before facts existed
}

// Replayed is the result of one rule for a past action.
type Replayed struct {
	// not_applied, passed, violated or error; empty if the rule is NotReplayable, or does not concern the action
	Result    string
	Exactness Exactness
}

// Violates reports whether the action violates the rule.
func (r Replayed) Violates() bool { return r.Result == Violated || r.Result == Failed }

// Action returns the stored action as rules see it. ok is false if nothing of it was stored.
func (p StoredAction) Action() (c ActionCheck, action *condition.Action, notes []string, ok bool, err error) {
	if p.Inputs == "" {
		return ActionCheck{}, nil, nil, false, nil
	}
	var was storedAction
	if err := json.Unmarshal([]byte(p.Inputs), &was); err != nil {
		return ActionCheck{}, nil, nil, false, err
	}
	c = was.ActionCheck
	c.By = p.Agent
	action, notes, err = c.Action()
	if err != nil {
		return ActionCheck{}, nil, nil, false, err
	}
	was.Recording.show(action)
	if p.Facts != nil {
		action.Consensus = consensusSeen(p.Facts.Consensus)
	}
	return c, action, notes, true, nil
}

// PastAct is a stored action that was read once, for replays with several rule sets.
type PastAct struct {
	evaluated *evaluator // without a rule set; nil if the action cannot be read
	hidden    hiddenPaths
}

// Read returns the act of a stored action.
func (p StoredAction) Read() PastAct {
	past := PastAct{hidden: hiddenPathsOf(p)}
	if c, action, _, ok, err := p.Action(); ok &&
		err == nil { // one record that cannot be read must not hide all others
		past.evaluated = (&RuleSet{Now: p.At}).Evaluator(c, action)
	}
	return past
}

// consensusSeen is a stored consensus as rules saw it; nil if none existed.
func consensusSeen(stored json.RawMessage) map[string]any {
	var seen graph.Parameters
	if len(stored) == 0 || json.Unmarshal(stored, &seen) != nil || len(seen) == 0 {
		return nil
	}
	for _, key := range []string{"at", "valid_until"} {
		if text, ok := seen[key].(string); ok {
			if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
				seen[key] = at.UTC()
			}
		}
	}
	return seen
}

// Replay evaluates every rule for a past action, in the order of Rules, with the action's own time as now. skip
// returns the result of a rule that is known already, such as that of an equal rule in another rule set; it may be
// nil. Nothing is stored.
//
// Rules that read the graph are evaluated only if patterns is true, with today's graph.
func (set *RuleSet) Replay(ctx context.Context, p PastAct, patterns bool,
	skip func(i int) (Replayed, bool)) ([]Replayed, error) {
	results := make([]Replayed, len(set.rules))
	if p.evaluated == nil {
		for i := range results {
			results[i].Exactness = NotReplayable
		}
		return results, nil
	}
	e := *p.evaluated
	e.set = set
	e.facts.Threshold = e.threshold
	e.facts.Prepare()
	for i := range set.rules {
		if skip != nil {
			if known, ok := skip(i); ok {
				results[i] = known
				continue
			}
		}
		results[i] = e.replay(ctx, &set.rules[i], p.hidden, patterns)
		if err := ctx.Err(); err != nil {
			return nil, graph.AsError(err)
		}
	}
	return results, nil
}

// replay evaluates one rule if everything that it reads was stored.
func (e *evaluator) replay(ctx context.Context, r *rule.Guardrail, hidden hiddenPaths, patterns bool) Replayed {
	switch {
	case r.Mode == rule.Off:
		return Replayed{Exactness: Exact}
	case r.Scope != nil && hidden.overlaps("project"), r.Actions != nil &&
		(hidden.overlaps("action.name") || e.facts.Action.Name == "" && hidden.overlaps("action.description")):
		return Replayed{Exactness: NotReplayable}
	case !r.InScope(e.projects) || !r.AppliesTo(e.facts.Action) || !r.InCircuit(e.facts):
		return Replayed{Exactness: hidden.exactness}
	case r.Applies != nil && hidden.readBy(r.Applies):
		return Replayed{Exactness: NotReplayable}
	}
	known := *r // without what reads the graph or a hidden fact
	known.Pattern = ""
	hides := r.Requires != nil && hidden.readBy(r.Requires)
	if hides {
		known.Requires = nil
	}
	result, _, _ := e.result(ctx, &known)
	switch {
	case result != Passed, r.Pattern == "" && !hides: // the original check did not query the graph either
		return Replayed{Result: result, Exactness: hidden.exactness}
	case hides, !patterns, !e.set.queriesInForce(r) && !caller.From(ctx).QueriesAll(),
		slices.Contains(r.Uses, "action") && hidden.overlaps("action"):
		return Replayed{Exactness: NotReplayable}
	}
	result, _, _ = e.result(ctx, r)
	if r.Limit != nil && result == Passed {
		if _, ok := r.Limit.Amount(e.facts.Action.Params); !ok {
			result = Violated
		}
	}
	return Replayed{Result: result, Exactness: Approximate}
}

// hiddenPaths are the facts of a past action that rules saw and that were not stored.
type hiddenPaths struct {
	paths       []string
	noConsensus bool      // unknown, because a consensus is not stored with the verdict
	exactness   Exactness // exactness of a rule that reads no hidden fact
}

func hiddenPathsOf(p StoredAction) hiddenPaths {
	h := hiddenPaths{exactness: Exact}
	if p.Facts == nil { // older verdicts store neither masked paths nor the consensus
		h.exactness, h.noConsensus = Approximate, true
		if p.InputsKept != RetainFull {
			h.paths = []string{"action"}
		}
		return h
	}
	for _, path := range p.Facts.Masked {
		path, _, _ = strings.Cut(path, "[")
		h.paths = append(h.paths, path)
	}
	h.noConsensus = len(p.Facts.Consensus) == 0
	return h
}

// derivedFields are fields of an action, each with the field from which it is derived.
var derivedFields = []struct{ field, of string }{
	{"action.paths", "action.params"}, {"action.commands", "action.params"}, {"action.force_pushed", "action.params"},
	{"action.force_pushed", "action.name"}, {"action.force_pushed", "action.description"},
	{"action.reason_count", "action.reasons"}, {"action.actors", "agent"}, {"action.actors", "action.context"},
}

// within reports whether a path is root or inside it.
func within(path, root string) bool {
	return strings.HasPrefix(path, root) && (len(path) == len(root) || path[len(root)] == '.')
}

const consensusPath = "action.consensus"

// overlaps reports whether a path, or a part of its value, is hidden.
func (h hiddenPaths) overlaps(path string) bool {
	if h.noConsensus && within(path, consensusPath) {
		return true
	}
	return slices.ContainsFunc(h.paths, func(hidden string) bool {
		return within(hidden, path) || within(path, hidden)
	})
}

// readBy reports whether a condition reads a hidden fact.
func (h hiddenPaths) readBy(p *condition.Program) bool {
	return slices.ContainsFunc(p.Paths, func(path string) bool {
		if h.overlaps(path) {
			return true
		}
		if len(h.paths) == 0 {
			return false
		}
		for _, m := range derivedFields {
			if within(path, m.field) && h.overlaps(m.of) {
				return true
			}
		}
		return false
	})
}

// RuleNodes reads the rules in force, the thresholds that they read, and the thresholds with these names. It returns
// the errors of Rules.
func (s *Store) RuleNodes(ctx context.Context, names []string) (RuleNodes, error) {
	nodes, _, err := s.readNodes(ctx, s.graph, names)
	return nodes, err
}

// RevisionIn locks the rules against recorded changes until the transaction ends, and returns RevisionOf.
func (s *Store) RevisionIn(ctx context.Context, tx *graph.Tx, c Concern) (string, error) {
	if err := tx.Run(ctx, cypher.RevisionLock, nil); err != nil {
		return "", err
	}
	_, set, err := s.readNodes(ctx, tx, nil)
	if err != nil {
		return "", err
	}
	return set.RevisionOf(c), nil
}

// Concern names what a change of the rules changes.
type Concern struct{ Policies, Thresholds, Tables []string }

// RevisionOf is a hash of the rules that a change concerns, each with the thresholds that it reads: the changed rules,
// those of a changed table, and those that read a changed threshold.
func (set *RuleSet) RevisionOf(c Concern) string {
	var parts []string
	for i := range set.rules {
		r := &set.rules[i]
		plain, scoped := r.Thresholds()
		reads := thresholdNames{plain: slices.Sorted(slices.Values(plain)), scoped: scoped}
		if slices.Contains(c.Policies, r.Name) || slices.Contains(c.Tables,
			graph.Text(r.Properties, "decision_table")) || slices.ContainsFunc(c.Thresholds, reads.reads) {
			parts = append(parts, r.Name+"\n"+r.Version+"\n"+strings.Join(set.reads(r), "\n"))
		}
	}
	slices.Sort(parts)
	return policies.Hash(strings.Join(parts, "\n\n"))
}

// readNodes reads the rules in force, the thresholds that they read, and the thresholds with these names.
func (s *Store) readNodes(ctx context.Context, q graph.Querier, names []string) (RuleNodes, *RuleSet, error) {
	ctx, cancel := context.WithTimeout(ctx, max(s.checkTimeout(), FirstTimeout))
	defer cancel()
	return readRules(ctx, q, thresholdNames{plain: append([]string{}, names...), scoped: []string{}},
		NewCompiler(s.graph).Compile)
}

// CompileChange builds a rule set from changed nodes of the rules today. Changed rules that read the graph are
// evaluated only for callers who may query the whole graph, because their results answer any question about it.
func (m *Compiler) CompileChange(nodes RuleNodes, today *RuleSet, now time.Time) *RuleSet {
	set := m.Compile(nodes, now)
	set.inForce = today
	return set
}

// queriesInForce reports whether the graph has an equal rule that checks evaluate. Its mode may differ.
func (set *RuleSet) queriesInForce(r *rule.Guardrail) bool {
	return set.inForce == nil || slices.ContainsFunc(set.inForce.rules, func(other rule.Guardrail) bool {
		return other.Name == r.Name && other.Mode != rule.Off && set.question(r) == set.inForce.question(&other)
	})
}

// question identifies what a rule asks: its properties without its mode, and the thresholds that it reads.
func (set *RuleSet) question(r *rule.Guardrail) string {
	properties := maps.Clone(r.Properties)
	delete(properties, "mode")
	return policies.Version(properties, nil) + "\n" + strings.Join(set.reads(r), "\n")
}

// reads names the thresholds that a rule reads, each with its version.
func (set *RuleSet) reads(r *rule.Guardrail) (reads []string) {
	plain, scoped := r.Thresholds()
	for _, name := range lists.Union(plain, scoped) {
		for _, node := range set.thresholds[name] {
			reads = append(reads, name+" "+policies.Version(node.Properties, nil))
		}
	}
	return reads
}

// Rule is a rule of a rule set, with its thresholds, each with its version in the rule set.
type Rule struct {
	*rule.Guardrail
	Reads []string
}

// ReadsThreshold reports whether the rule reads a threshold.
func (r Rule) ReadsThreshold(name string) bool {
	return slices.ContainsFunc(r.Reads, func(read string) bool { return strings.HasPrefix(read, name+" ") })
}

// ReadsFact reports whether the rule's conditions read a fact or the object that contains it.
func (r Rule) ReadsFact(path string) bool {
	return slices.ContainsFunc(r.Conditions(), func(c *condition.Program) bool {
		return slices.ContainsFunc(c.Paths, func(read string) bool { return within(path, read) })
	})
}

// Key is equal for rules with the same result for every action: of the same version and scope, with the same
// thresholds.
func (r Rule) Key() string { return r.Version + "\n" + strings.Join(r.Reads, "\n") }

// Rules are the rules of the set, in the order in which they are evaluated.
func (set *RuleSet) Rules() []Rule {
	rules := make([]Rule, len(set.rules))
	for i := range set.rules {
		rules[i] = Rule{&set.rules[i], set.reads(&set.rules[i])}
	}
	return rules
}

// Revision is the hash of the whole rule set.
func (set *RuleSet) Revision() string { return set.revision }

// MissingThresholds returns the thresholds that rules read and that do not exist.
func (set *RuleSet) MissingThresholds() []string {
	return lists.Filter(set.asked.plain, func(name string) bool { return len(set.thresholds[name]) == 0 })
}
