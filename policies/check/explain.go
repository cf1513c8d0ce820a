package check

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/policies/rule"
)

// VerdictQuery selects a verdict.
type VerdictQuery struct {
	ID     string `json:"id" jsonschema:"verdict_id of a check, or its beginning" rule:"minLength=1,maxLength=100"`
	Replay bool   `json:"replay,omitempty" jsonschema:"also evaluate the same action with today's rules"`
	// With changes facts of the stored action before its evaluation.
	With *Changes `json:"with,omitempty" jsonschema:"changes of the action, evaluated with today's rules; nothing is stored"`
}

// Changes are changed facts of a stored action: what an agent states about its action, but not its identity. In
// Context and Params, null removes a fact.
type Changes struct {
	Description *string          `json:"description,omitempty" jsonschema:"what you intend to do" rule:"maxLength=10000"`
	Category    *string          `json:"category,omitempty" jsonschema:"category" rule:"maxLength=100"`
	Stakes      string           `json:"stakes,omitempty" jsonschema:"importance of the action" rule:"enum=low|medium|high|critical"`
	Confidence  *float64         `json:"confidence,omitempty" jsonschema:"0.0 to 1.0" rule:"minimum=0,maximum=1"`
	Context     graph.Parameters `json:"context,omitempty" jsonschema:"changed facts for rules; null removes one"`
	Name        *string          `json:"name,omitempty" jsonschema:"name of the action" rule:"maxLength=200"`
	Params      graph.Parameters `json:"params,omitempty" jsonschema:"changed parameters; null removes one"`
	Tags        []string         `json:"tags,omitempty" jsonschema:"tags" rule:"maxItems=50"`
}

// Explanation is a stored verdict with later facts about it, such as an appeal.
type Explanation struct {
	Verdict      `mapstructure:",squash"`
	Actors       []string        `json:"actors,omitempty" jsonschema:"who acted, if not only the agent: subagent, agent, caller, program, user"`
	Action       json.RawMessage `json:"action,omitempty" jsonschema:"evaluated action, as far as stored"`
	InputsKept   InputRetention  `json:"inputs_stored" jsonschema:"full, redacted or hash"`
	InputsHash   string          `json:"inputs_hash"`
	Facts        *Facts          `json:"facts,omitempty" jsonschema:"absent for verdicts that are older than facts"`
	Decisions    []string        `json:"decisions" jsonschema:"decisions that the verdict is about"`
	Appeal       *Appeal         `json:"appeal,omitempty" jsonschema:"appeal of the denial, with its answer"`
	ChangedSince []string        `json:"changed_since" jsonschema:"violated rules that have changed since"`
	Today        *Verdict        `json:"current,omitempty" jsonschema:"result with today's rules, and with changed fields; not stored"`
	Rules        []EvaluatedRule `json:"rules,omitempty" jsonschema:"result of each rule today"`
}

// Denied is false: explaining a denial denies nothing.
func (Explanation) Denied() bool { return false }

// Explain returns a verdict, also after its rules have changed. The id can be a unique prefix. It returns not_found,
// and a conflict for an ambiguous prefix, or for a replay if the action was not stored.
func (s *Store) Explain(ctx context.Context, q VerdictQuery) (Explanation, error) {
	found, err := s.verdict(ctx, q.ID)
	if err != nil {
		return Explanation{}, err
	}
	e, err := explanationOf(found)
	if err != nil {
		return Explanation{}, err
	}
	if q.Replay || q.With != nil {
		return e, s.replay(ctx, &e, q.With)
	}
	return e, nil
}

// explanationOf decodes a stored verdict: its results, and then the properties of its node.
func explanationOf(found storedVerdict) (Explanation, error) {
	e := Explanation{Facts: FactsOf(found.Verdict), Appeal: found.Appeal,
		Decisions: found.Decisions, ChangedSince: found.ChangedSince}
	err := errors.Join(json.Unmarshal([]byte(graph.Text(found.Verdict, "results")), &e.Verdict),
		graph.Decode(found.Verdict, &e))
	if err != nil {
		return Explanation{}, apperr.From(err)
	}
	if inputs := graph.Text(found.Verdict, "inputs"); inputs != "" {
		e.Action = json.RawMessage(inputs)
	}
	return e, nil
}

// storedVerdict is a verdict node.
type storedVerdict struct {
	UID                     string
	Verdict                 map[string]any
	Appeal                  *Appeal
	Decisions, ChangedSince []string
}

// minPrefixLength is the minimum length of a prefix.
const minPrefixLength = 4

// verdict finds the verdict with an id prefix. It returns not_found, and a conflict with the candidates.
func (s *Store) verdict(ctx context.Context, id string) (storedVerdict, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	if len(id) < minPrefixLength {
		return storedVerdict{}, apperr.Newf(apperr.NotFound, "Verdict '%s' not found", id).
			WithHint("Use at least %d characters of the id", minPrefixLength)
	}
	found, err := graph.All[storedVerdict](ctx, s.graph, cypher.VerdictByUID, graph.Params{"uid": id})
	switch {
	case err != nil:
		return storedVerdict{}, err
	case len(found) == 0:
		return storedVerdict{}, apperr.Newf(apperr.NotFound, "Verdict '%s' not found", id).
			WithHint("List stored verdicts with `list_verdicts`. Old ones are deleted after verdicts.keep_allowed or verdicts.keep_denied")
	case len(found) == 1, found[0].UID == id: // the shortest id is first
		return found[0], nil
	}
	ids := lists.Map(found, func(v storedVerdict) string { return v.UID })
	return storedVerdict{}, apperr.Newf(apperr.Conflict, "Several verdicts match '%s'", id).
		WithHint("Use more of the id: %s", strings.Join(ids, ", ")).With("verdicts", ids)
}

// replay evaluates the action of a verdict by today's rules, at the time of the verdict. Rules that read the graph see
// today's graph. with changes facts of the action.
func (s *Store) replay(ctx context.Context, e *Explanation, with *Changes) error {
	if e.InputsKept != RetainFull {
		return apperr.Newf(apperr.Conflict, "The action of verdict '%s' was not stored", e.VerdictID).
			WithHint("Set verdicts.inputs to full or redacted to store actions of later verdicts")
	}
	inputs, err := changed(e.Action, with)
	if err != nil {
		return err
	}
	was := StoredAction{At: e.At, Agent: e.AgentID, Inputs: inputs, InputsKept: RetainFull, Facts: e.Facts}
	c, action, notes, _, err := was.Action()
	if err != nil {
		return err
	}
	inTime, cancel := context.WithTimeout(ctx, s.checkTimeout())
	defer cancel()
	set, err := s.Rules(inTime)
	if err != nil {
		return err
	}
	evaluator := set.Evaluator(c, action)
	evaluator.facts.Now = e.At
	today := evaluator.Verdict(inTime)
	today.Revision, today.At, today.AgentID, today.Notes = set.revision, e.At, e.AgentID, notes
	reading := lists.Filter(set.rules, func(r rule.Guardrail) bool { return r.Pattern != "" })
	if len(reading) > 0 {
		names := lists.Map(reading, func(r rule.Guardrail) string { return "'" + r.Name + "'" })
		today.Notes = append(today.Notes, "rules that read the graph, which has changed since: "+
			strings.Join(names, ", "))
	}
	e.Today, e.Rules = &today, evaluator.evaluatedRules()
	return nil
}

// changed returns a stored action with changed facts.
func changed(action json.RawMessage, with *Changes) (string, error) {
	if with == nil {
		return string(action), nil
	}
	changes, err := json.Marshal(with)
	if err != nil {
		return "", err
	}
	var facts, patch graph.Parameters // integers stay integers
	if err := errors.Join(json.Unmarshal(action, &facts), json.Unmarshal(changes, &patch)); err != nil {
		return "", err
	}
	merged, err := json.Marshal(graph.Parameters(mergePatch(facts, patch)))
	return string(merged), err
}

// mergePatch applies a merge patch: null removes a fact, and objects are merged.
func mergePatch(facts, with map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, facts)
	for name, value := range with {
		switch change := value.(type) {
		case nil:
			delete(out, name)
		case map[string]any:
			before, _ := out[name].(map[string]any)
			out[name] = mergePatch(before, change)
		default:
			out[name] = value
		}
	}
	return out
}
