package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/policies"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// InputRetention says what a verdict stores of the action. Secrets are always masked.
type InputRetention string

// Values of InputRetention: everything; only fixed fields (category, stakes, confidence, name, tags) without
// description, context and params; or, besides category, name and stakes, only a SHA-256, by which a claim about the
// action can be verified.
const (
	RetainFull     InputRetention = "full"
	RetainRedacted InputRetention = "redacted"
	RetainHash     InputRetention = "hash"
)

// withheld replaces values that are not stored.
const withheld = "[not kept]"

func (k InputRetention) withholds() bool { return k == RetainRedacted || k == RetainHash }

// masked returns the facts that can be shown and stored: without secrets and withheld values.
func (k InputRetention) masked(f condition.Facts) condition.Facts {
	action := *f.Action
	hide := func(facts map[string]any) map[string]any {
		if k == RetainRedacted || k == RetainHash {
			facts = maps.Clone(facts)
			for key := range facts {
				facts[key] = withheld
			}
		}
		masked, _ := redact.Value(facts)
		hidden, _ := masked.(map[string]any)
		return hidden
	}
	action.Params, action.Context = hide(f.Action.Params), hide(f.Action.Context)
	for _, text := range []*string{&action.Description, &action.Name, &action.Category, &action.Pattern, &f.Agent,
		&f.Project, &f.Session} {
		*text, _ = redact.Text(*text)
	}
	action.Tags, action.Actors = maskedTexts(action.Tags), maskedTexts(action.Actors)
	if k == RetainRedacted || k == RetainHash {
		action.Description = withheld
	}
	action.Reasons = lists.Map(f.Action.Reasons, hide)
	f.Action = &action
	return f
}

func maskedTexts(texts []string) []string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i], _ = redact.Text(text)
	}
	return texts
}

// StoreVerdict writes a verdict. If a limit is exceeded meanwhile, the verdict becomes a denial. It returns unavailable
// with allowed: false if writing fails.
func (s *Store) StoreVerdict(ctx context.Context, j *Evaluation) error {
	return s.StoreApproved(ctx, j, nil)
}

// StoreApproved is StoreVerdict for a verdict with an approval. grant uses up the approval in the same transaction. It
// returns limits.ErrGrant if another caller has used the approval.
func (s *Store) StoreApproved(ctx context.Context, j *Evaluation,
	grant func(context.Context, *graph.Tx) (bool, error)) error {
	losses := s.graph.ConnectionLosses()
	err := s.storeVerdict(ctx, j, grant)
	if over := (*limits.Error)(nil); errors.As(err, &over) {
		j.Exceed(over)
		err = s.storeVerdict(ctx, j, nil)
	}
	switch {
	case err == nil:
		s.stored.Store(losses + 1)
		return nil
	case errors.Is(err, limits.ErrGrant):
		return err
	}
	return apperr.From(err).Deny()
}

func (s *Store) storeVerdict(ctx context.Context, j *Evaluation,
	grant func(context.Context, *graph.Tx) (bool, error)) error {
	row, err := j.Row()
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	v := &pendingVerdict{row: row, act: limits.Act{Uses: j.Uses(), Grant: grant}}
	if v.act.Free() {
		_, err = s.verdicts.Do(ctx, row)
		return err
	}
	_, err = s.limited.Do(ctx, v)
	return cmp.Or(err, v.refused)
}

// Row returns the verdict as a parameter: {properties, objections: [{version, result}]}.
func (j Evaluation) Row() (map[string]any, error) {
	c, v := j.check, j.Verdict
	inputs, err := j.inputs()
	if err != nil {
		return nil, err
	}
	results, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	properties := map[string]any{"uid": v.VerdictID, "at": graph.UTC(v.At), "revision": v.Revision,
		"allowed":  v.Allowed,
		"enforced": !v.Allowed && v.Forced == "" && !j.shadow, "evaluated": v.Evaluated, "results": string(results),
		"agent": v.AgentID, "agent_asserted": !j.authenticated,
		"stakes": cmp.Or(c.Stakes, "medium"), "inputs": inputs.text, "inputs_kept": string(inputs.kept),
		"inputs_hash": inputs.hash}
	for key, value := range map[string]string{"project": c.Project, "session": c.SessionID, "category": c.Category,
		"name":        c.Name,
		"description": inputs.description, "forced": v.Forced} {
		if value != "" {
			properties[key], _ = redact.Text(value)
		}
	}
	if actors := j.by.facts.Action.Actors; len(actors) > 1 {
		properties["actors"] = maskedTexts(actors)
	}
	if unknown := c.unknownPrograms(); len(unknown) > 0 && inputs.kept == RetainFull {
		properties[unknownPrograms] = unknown
	}
	if err := j.storeFacts(properties, inputs); err != nil {
		return nil, err
	}
	if len(v.Counted) > 0 && v.counts() { // under the name by which limits count
		properties["counted_for"], properties["counted_in"] = v.countedFor(), normalize.Project(c.Project)
		properties["counted"] = lists.Map(v.Counted, func(c Counted) string { return c.Rule })
		properties["amounts"] = lists.Map(v.Counted, func(c Counted) float64 { return c.Amount })
		if unit, err := c.unit(); err != nil {
			return nil, err
		} else if unit != "" {
			properties["unit"] = unit
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
	// All writers use one order, against deadlocks.
	slices.SortFunc(objections, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["version"].(string), b.(map[string]any)["version"].(string))
	})
	return map[string]any{"properties": properties, "objections": objections}, nil
}

func (s *Store) writeVerdicts(ctx context.Context, verdicts []map[string]any) (struct{}, error) {
	ctx, cancel := context.WithTimeout(ctx, s.within(recordTimeout, &s.stored))
	defer cancel()
	return graph.Append[struct{}](ctx, s.graph, cypher.VerdictsRecord, graph.Params{"verdicts": verdicts})
}

// storedInputs is what a verdict stores of the action.
type storedInputs struct {
	text, hash, description, key string
	masked                       []string
	kept                         InputRetention
}

func (j Evaluation) inputs() (storedInputs, error) {
	c := storedAction{j.check, j.recording}
	k, err := c.masked()
	if err != nil {
		return storedInputs{}, err
	}
	k.hash, k.kept = policies.Hash(k.text), j.retention
	switch k.kept {
	case RetainHash:
		k.text, k.masked = "", []string{"action"} // the names of parameters are not stored either
	case RetainRedacted:
		c.Description, c.Context, c.Params, c.Reasons = withheld, nil, nil, nil // reasons are free text
		if c.Recording != nil {
			recording := *c.Recording
			recording.Reasons, c.Recording = nil, &recording
		}
		var fixed storedInputs
		if fixed, err = c.masked(); err == nil {
			k.text, k.masked = fixed.text, append(fixed.masked, "action.context", "action.description", "action.params",
				"action.reasons")
		}
	default:
		k.kept = RetainFull
		masked, _ := redact.Text(c.Description) // masked before it is cut, because a part of a secret is not recognized
		line, _, _ := strings.Cut(strings.TrimSpace(masked), "\n")
		k.description = render.Cut(line, render.MaxTitleLength)
	}
	return k, err
}

// storedAction is an action in the form of its verdict.
type storedAction struct {
	ActionCheck
	Recording *Recording `json:"recording,omitempty"`
}

// masked returns the action as masked JSON, its key, and the masked paths.
func (c storedAction) masked() (storedInputs, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return storedInputs{}, err
	}
	var tree graph.Parameters // integers stay integers
	if err := json.Unmarshal(raw, &tree); err != nil {
		return storedInputs{}, err
	}
	hidden, changed := redact.Value(map[string]any(tree))
	shown, _ := hidden.(map[string]any)
	k := storedInputs{masked: []string{}}
	if changed {
		k.masked = maskedPaths(tree, shown)
	}
	if k.key, err = actionKey(shown); err != nil {
		return storedInputs{}, err
	}
	raw, err = json.Marshal(graph.Parameters(shown))
	k.text = string(raw)
	return k, err
}

// VerdictFilter selects a page of verdicts, newest first.
type VerdictFilter struct {
	Rule    string `json:"rule,omitempty" jsonschema:"filter by violated rule" rule:"maxLength=200"`
	Allowed *bool  `json:"allowed,omitempty" jsonschema:"true: only allowed actions; false: only denials"`
	AgentID string `json:"agent_id,omitempty" jsonschema:"filter by acting agent" rule:"maxLength=200"`
	Project string `json:"project,omitempty" jsonschema:"filter by project" rule:"maxLength=200"`
	timeparse.Range
	policies.Page
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
	Rules       []any     `json:"rules,omitempty" jsonschema:"violated rules"`
	Revision    string    `json:"revision"`
	// NeedsApproval is true for a denial that only an approval would lift.
	NeedsApproval bool   `json:"needs_approval,omitempty" jsonschema:"an approval alone would allow the action"`
	Approval      string `json:"approval,omitempty" jsonschema:"its approval request: waiting, approved or rejected"`
	Forced        string `json:"forced,omitempty" jsonschema:"reason given for overriding the denial"`
	Results       string `json:"-"` // of a denial, as stored
}

// Answer returns the answer in words, with what became of a denial.
func (r VerdictRow) Answer() string {
	return Answer(r.Allowed, r.NeedsApproval, r.Approval, r.Forced != "")
}

// Answer returns the answer in words.
func (v Verdict) Answer() string { return Answer(v.Allowed, v.NeedsApproval(), "", false) }

// Answer returns the answer of a verdict in words, with what became of a denial: forced, or the answer to its approval
// request.
func Answer(allowed, needsApproval bool, approval string, forced bool) string {
	switch {
	case allowed:
		return "allowed"
	case forced:
		return "forced"
	case approval == "approved" || approval == "rejected":
		return approval
	case needsApproval || approval == "waiting":
		return "needs approval"
	}
	return "denied"
}

// NeedsApproval reports whether an approval alone would allow a denied action.
func (v Verdict) NeedsApproval() bool {
	return !v.Allowed && len(v.Violations) > 0 && !slices.ContainsFunc(v.Violations,
		func(o Violation) bool { return o.Severity != rule.Approve || o.Result == Failed })
}

// NeedsApproval reports whether an approval alone would lift a denial with the stored results.
func NeedsApproval(results string) bool {
	var v Verdict
	return results != "" && json.Unmarshal([]byte(results), &v) == nil && v.NeedsApproval()
}

// VerdictList is a page of verdicts.
type VerdictList struct {
	Verdicts   []VerdictRow `json:"verdicts"`
	NextCursor string       `json:"next_cursor,omitempty"`
}

// Verdicts lists verdicts. It returns a validation_error for an invalid time or cursor.
func (s *Store) Verdicts(ctx context.Context, f VerdictFilter) (VerdictList, error) {
	after, err := policies.ParseTime("date_after", f.DateAfter)
	if err != nil {
		return VerdictList{}, err
	}
	params := graph.Params{"after": after, "agent": graph.NullIfEmpty(f.AgentID),
		"allowed": policies.Nullable(f.Allowed), "project": graph.NullIfEmpty(f.Project), "rule": f.Rule}
	statement := cypher.VerdictsAll
	switch { // the most selective first, so that a list costs the same with any number of verdicts
	case f.Rule != "":
		statement = cypher.VerdictsOfRule
	case f.AgentID != "":
		statement = cypher.VerdictsOfAgent
	case f.Allowed != nil:
		statement = cypher.VerdictsOfResult
	}
	rows, cursor, err := policies.ReadNewest(ctx, s.graph, statement, params, f.DateBefore, f.Page,
		func(r VerdictRow) (time.Time, string) { return r.At, r.VerdictID })
	for i := range rows {
		rows[i].NeedsApproval = NeedsApproval(rows[i].Results)
	}
	return VerdictList{rows, cursor}, err
}
