package policies

import (
	"context"
	"encoding/json"
	"time"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
)

// VerdictQuery asks for a verdict that was given.
type VerdictQuery struct {
	ID     string `json:"id" jsonschema:"verdict_id of a check" rule:"minLength=1,maxLength=100"`
	Replay bool   `json:"replay,omitempty" jsonschema:"also judge the same action by the rules of today"`
}

// Explanation is a verdict as it was given, and what is known of it since.
type Explanation struct {
	Verdict
	Action       json.RawMessage `json:"action,omitempty" jsonschema:"what was judged, as far as it was kept"`
	InputsKept   string          `json:"inputs_kept" jsonschema:"full, redacted or hash"`
	InputsHash   string          `json:"inputs_hash"`
	Decisions    []string        `json:"decisions" jsonschema:"decisions that it judged"`
	ChangedSince []string        `json:"changed_since" jsonschema:"of the rules that objected, those that say something else now"`
	Today        *Verdict        `json:"today,omitempty" jsonschema:"how the rules of today judge it; it is not recorded"`
}

// Denied is false: explaining a denial denies nothing.
func (Explanation) Denied() bool { return false }

// Explain gives a verdict again, also after its rules have changed. It returns not_found, and a conflict where a replay is
// asked for and the action was not kept.
func (s *Store) Explain(ctx context.Context, q VerdictQuery) (Explanation, error) {
	found, err := graph.All[struct {
		Verdict                 map[string]any
		Decisions, ChangedSince []any
	}](ctx, s.graph, cypher.VerdictByUID, graph.Params{"uid": q.ID})
	if err != nil {
		return Explanation{}, err
	}
	if len(found) == 0 {
		return Explanation{}, fault.Newf(fault.NotFound, "Verdict '%s' not found", q.ID).
			WithHint("`list_verdicts` shows those that are kept; old ones are deleted as verdicts.keep_allowed says")
	}
	stored := found[0].Verdict
	var e Explanation
	results, _ := stored["results"].(string)
	if err := json.Unmarshal([]byte(results), &e.Verdict); err != nil {
		return Explanation{}, fault.From(err)
	}
	e.Allowed, _ = stored["allowed"].(bool)
	e.Revision, _ = stored["revision"].(string)
	e.AgentID, _ = stored["agent"].(string)
	e.Forced, _ = stored["forced"].(string)
	e.VerdictID = q.ID
	if at, isTime := stored["at"].(time.Time); isTime {
		e.At = at.UTC()
	}
	if evaluated, isWhole := stored["evaluated"].(int64); isWhole {
		e.Evaluated = int(evaluated)
	}
	e.InputsKept, _ = stored["inputs_kept"].(string)
	e.InputsHash, _ = stored["inputs_hash"].(string)
	e.Decisions, e.ChangedSince = texts(found[0].Decisions), texts(found[0].ChangedSince)
	if inputs, _ := stored["inputs"].(string); inputs != "" {
		e.Action = json.RawMessage(inputs)
	}
	if q.Replay {
		return e, s.replay(ctx, &e)
	}
	return e, nil
}

// replay judges the action of a verdict by the rules of today, with the verdict's own time as now. Where a rule looks at
// the graph, it sees the graph of today.
func (s *Store) replay(ctx context.Context, e *Explanation) error {
	if e.InputsKept != string(KeepFull) {
		return fault.Newf(fault.Conflict, "The action that verdict '%s' judged was not kept", e.VerdictID).
			WithHint("verdicts.inputs says what is kept of actions: full, redacted or hash")
	}
	var was judgedAction
	if err := json.Unmarshal(e.Action, &was); err != nil {
		return err
	}
	c := was.ActionCheck
	c.By = e.AgentID
	action, notes, err := c.action()
	if err != nil {
		return err
	}
	was.Recording.show(action)
	inTime, cancel := context.WithTimeout(ctx, s.checkTimeout())
	defer cancel()
	force, err := s.rulesInForce(inTime)
	if err != nil {
		return err
	}
	j := c.judgeBy(s, force, action)
	j.facts.Now = e.At
	today := j.judge(inTime)
	today.Revision, today.At, today.AgentID, today.Notes = force.revision, e.At, e.AgentID, notes
	for _, rule := range force.rules {
		if rule.Pattern != "" {
			today.Notes = append(today.Notes, "the rule '"+rule.Name+"' looks at the graph, which has moved on since")
		}
	}
	e.Today = &today
	return nil
}
