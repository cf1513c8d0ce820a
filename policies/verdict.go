package policies

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
	"nomograph/policies/condition"
	"nomograph/trace"
)

// KeepInputs says what a verdict keeps of the action it judged. Secrets are masked in any case.
type KeepInputs string

// What may be kept: everything; only what stands in fixed fields (category, stakes, confidence, name, tags) without
// description, context and params; or, besides category, name and stakes, nothing but a SHA-256, with which a claim about
// the action can be checked.
const (
	KeepFull     KeepInputs = "full"
	KeepRedacted KeepInputs = "redacted"
	KeepHash     KeepInputs = "hash"
)

// withheld stands for what was seen and is not kept.
const withheld = "[not kept]"

func (k KeepInputs) withholds() bool { return k == KeepRedacted || k == KeepHash }

// masked gives the facts as they may be shown and kept: without secrets, and without what is not to be kept.
func (k KeepInputs) masked(f condition.Facts) condition.Facts {
	action := *f.Action
	hide := func(facts map[string]any) map[string]any {
		if k == KeepRedacted || k == KeepHash {
			facts = maps.Clone(facts)
			for key := range facts {
				facts[key] = withheld
			}
		}
		masked, _ := trace.Redact(facts)
		hidden, _ := masked.(map[string]any)
		return hidden
	}
	action.Params, action.Context = hide(f.Action.Params), hide(f.Action.Context)
	for _, text := range []*string{&action.Description, &action.Name, &action.Category, &action.Pattern, &f.Agent, &f.Project, &f.Session} {
		*text, _ = trace.RedactText(*text)
	}
	action.Tags = slices.Clone(f.Action.Tags)
	for i := range action.Tags {
		action.Tags[i], _ = trace.RedactText(action.Tags[i])
	}
	if k == KeepRedacted || k == KeepHash {
		action.Description = withheld
	}
	f.Action = &action
	return f
}

// keep writes the verdict: what is answered now is what is explained later.
func (s *Store) keep(ctx context.Context, c ActionCheck, v Verdict) error {
	inputs, err := s.inputs(c)
	if err != nil {
		return err
	}
	results, err := json.Marshal(results{v.Violations, v.Warnings, v.Shadow, v.Notes})
	if err != nil {
		return err
	}
	properties := map[string]any{"uid": v.VerdictID, "schema_version": 1, "at": graph.UTC(v.At), "revision": v.Revision, "allowed": v.Allowed,
		"enforced": !v.Allowed, "evaluated": v.Evaluated, "results": string(results), "agent": v.AgentID, "agent_asserted": true,
		"stakes": stakesOf(c), "inputs": inputs.text, "inputs_kept": string(inputs.kept), "inputs_hash": inputs.hash}
	for key, value := range map[string]string{"project": c.Project, "session": c.SessionID, "category": c.Category, "name": c.Name, "description": inputs.description} {
		if value != "" {
			properties[key], _ = trace.RedactText(value)
		}
	}
	objections, rules := []any{}, []string{}
	for _, o := range slices.Concat(v.Violations, v.Warnings, v.Shadow) {
		objections = append(objections, map[string]any{"version": o.Version, "result": o.Result})
		rules = append(rules, o.GuardrailID)
	}
	if len(rules) > 0 {
		properties["objections"] = rules
	}
	// In one order for all, so that two verdicts do not wait for each other in a circle.
	slices.SortFunc(objections, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["version"].(string), b.(map[string]any)["version"].(string))
	})
	_, err = s.keeping.do(context.WithoutCancel(ctx), kept{properties, objections})
	return err
}

// kept is a verdict as it is written.
type kept struct {
	properties map[string]any
	objections []any
}

func (s *Store) writeVerdicts(ctx context.Context, verdicts []kept) (struct{}, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	rows := make([]any, len(verdicts))
	for i, v := range verdicts {
		rows[i] = map[string]any{"properties": v.properties, "objections": v.objections}
	}
	return graph.Append[struct{}](ctx, s.graph, cypher.VerdictsRecord, graph.Params{"verdicts": rows})
}

// results are the part of a verdict that is kept as JSON text.
type results struct {
	Violations []Objection `json:"violations"`
	Warnings   []Objection `json:"warnings"`
	Shadow     []Objection `json:"shadow"`
	Notes      []string    `json:"notes,omitempty"`
}

func stakesOf(c ActionCheck) string {
	if c.Stakes == "" {
		return "medium"
	}
	return c.Stakes
}

// actionKept is what a verdict keeps of the action.
type actionKept struct {
	text, hash, description string
	kept                    KeepInputs
}

func (s *Store) inputs(c ActionCheck) (actionKept, error) {
	whole, err := c.masked()
	if err != nil {
		return actionKept{}, err
	}
	sum := sha256.Sum256([]byte(whole))
	k := actionKept{text: whole, hash: hex.EncodeToString(sum[:]), kept: s.Settings.Keep}
	switch k.kept {
	case KeepHash:
		k.text = ""
	case KeepRedacted:
		c.Description, c.Context, c.Params = withheld, nil, nil
		k.text, err = c.masked()
	default:
		k.kept = KeepFull
		masked, _ := trace.RedactText(c.Description) // before it is cut: half a secret is not known for one
		k.description = title(masked)
	}
	return k, err
}

// masked gives the action as JSON, without secrets.
func (c ActionCheck) masked() (string, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	var tree graph.Parameters // whole numbers stay whole
	if err := json.Unmarshal(raw, &tree); err != nil {
		return "", err
	}
	hidden, _ := trace.Redact(map[string]any(tree))
	kept, _ := hidden.(map[string]any)
	raw, err = json.Marshal(graph.Parameters(kept))
	return string(raw), err
}

const longestTitle = 80 // characters

// title is the first line, cut.
func title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return firstRunes(line, longestTitle)
}

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
			WithHint("`nomograph verdict list` shows those that are kept; old ones are deleted as verdicts.keep_allowed says")
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
	var c ActionCheck
	if err := json.Unmarshal(e.Action, &c); err != nil {
		return err
	}
	c.By = e.AgentID
	action, notes, err := c.action()
	if err != nil {
		return err
	}
	inTime, cancel := context.WithTimeout(ctx, s.checkTimeout())
	defer cancel()
	force, err := s.rulesInForce(inTime)
	if err != nil {
		return err
	}
	j := &judge{store: s, force: force, facts: c.facts(action, e.At)}
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

// VerdictFilter asks for a page of verdicts, newest first.
type VerdictFilter struct {
	Rule       string `json:"rule,omitempty" jsonschema:"only those to which this rule objected" rule:"maxLength=200"`
	Allowed    *bool  `json:"allowed,omitempty" jsonschema:"only those that allowed, or only denials"`
	AgentID    string `json:"agent_id,omitempty" jsonschema:"only on actions of this agent" rule:"maxLength=200"`
	Project    string `json:"project,omitempty" jsonschema:"only in this project" rule:"maxLength=200"`
	DateAfter  string `json:"date_after,omitempty" jsonschema:"RFC 3339 time, or a day" rule:"maxLength=40"`
	DateBefore string `json:"date_before,omitempty" jsonschema:"likewise" rule:"maxLength=40"`
	Page
}

// VerdictRow is a verdict in a list.
type VerdictRow struct {
	VerdictID   string    `json:"verdict_id"`
	At          time.Time `json:"at"`
	Allowed     bool      `json:"allowed"`
	AgentID     string    `json:"agent_id"`
	Project     string    `json:"project,omitempty"`
	Stakes      string    `json:"stakes"`
	Description string    `json:"description,omitempty"`
	Rules       []any     `json:"rules,omitempty" jsonschema:"that objected"`
	Revision    string    `json:"revision"`
}

// VerdictList is a page of verdicts.
type VerdictList struct {
	Verdicts   []VerdictRow `json:"verdicts"`
	NextCursor string       `json:"next_cursor,omitempty"`
}

// Verdicts lists verdicts. It returns a validation_error for a time or cursor that is none.
func (s *Store) Verdicts(ctx context.Context, f VerdictFilter) (VerdictList, error) {
	after, err := moment("date_after", f.DateAfter)
	if err != nil {
		return VerdictList{}, err
	}
	before, err := s.before(f.DateBefore, f.Page)
	if err != nil {
		return VerdictList{}, err
	}
	limit := f.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	params := graph.Params{"after": after, "agent": nullIfEmpty(f.AgentID), "allowed": nullable(f.Allowed), "project": nullIfEmpty(f.Project),
		"rule": f.Rule, "limit": limit + 1}
	maps.Copy(params, before)
	statement := cypher.VerdictsAll
	switch { // the narrowest first, so that a list costs the same however many verdicts there are
	case f.Rule != "":
		statement = cypher.VerdictsOfRule
	case f.AgentID != "":
		statement = cypher.VerdictsOfAgent
	case f.Allowed != nil:
		statement = cypher.VerdictsOfResult
	}
	rows, err := graph.All[VerdictRow](ctx, s.graph, statement, params)
	if err != nil {
		return VerdictList{}, err
	}
	list := VerdictList{Verdicts: rows}
	if len(rows) > limit {
		last := rows[limit-1]
		list.Verdicts, list.NextCursor = rows[:limit], position{last.At.UTC().Format(time.RFC3339Nano), last.VerdictID}.String()
	}
	for i := range list.Verdicts {
		list.Verdicts[i].At = list.Verdicts[i].At.UTC()
	}
	return list, nil
}

// afterAll sorts behind every uid.
const afterAll = "~"

// before gives the parameters that begin a page: after the last row of the page before, else at the time asked for.
func (s *Store) before(dateBefore string, p Page) (graph.Params, error) {
	at, err := p.after()
	if err != nil {
		return nil, err
	}
	if at.Name == "" {
		at = position{dateBefore, afterAll}
	}
	if at.Name == "" {
		at.Name = "9999-01-01"
	}
	from, err := moment("date_before", at.Name)
	return graph.Params{"before": from, "before_uid": at.ID}, err
}

// moment reads an RFC 3339 time or a day; empty gives nil.
func moment(name, text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return graph.UTC(t), nil
		}
	}
	return nil, fault.Newf(fault.Validation, "%s is '%s', which is no time", name, text).WithHint("Write 2026-01-31 or 2026-01-31T12:00:00Z")
}
