package proposals

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/internal/uid"
	"nomograph/policies"
	"nomograph/policies/cases"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/policies/pack"
	"nomograph/trace"
)

// Creation proposes a change.
type Creation struct {
	lab.Change
	Finding   int      `json:"from_finding,omitempty" jsonschema:"number of a finding of suggest_policies, as a rule in shadow mode" rule:"minimum=1,maximum=100"`
	Reason    string   `json:"reason,omitempty" jsonschema:"reason for the change; required unless from_finding gives it" rule:"maxLength=2000"`
	Because   []string `json:"because,omitempty" jsonschema:"ids of decisions, verdicts or reviews behind the proposal" rule:"maxItems=50"`
	Project   string   `json:"project,omitempty" jsonschema:"project whose members see the proposal (owner/repo)" rule:"maxLength=200"`
	Adopt     bool     `json:"adopt,omitempty" jsonschema:"take over nodes that the pack does not own"`
	Draft     bool     `json:"draft,omitempty" jsonschema:"store a draft without asking for approval; open_proposal opens it"`
	DateAfter string   `json:"date_after,omitempty" jsonschema:"start of the replayed window: a time, or an age such as 4w (default all)" rule:"maxLength=100"`
	By        string   `json:"-"`
}

// Propose replays a change and stores it as a proposal. Nothing else changes. It returns a validation_error for a
// change that changes nothing, holds a secret or fails its test cases, not_found for an unknown id, and the errors of
// applying.
func (s *Store) Propose(ctx context.Context, c Creation) (Proposal, error) {
	if c.Finding > 0 {
		if err := s.resolveFinding(ctx, &c); err != nil {
			return Proposal{}, err
		}
	}
	switch {
	case strings.TrimSpace(c.Reason) == "":
		return Proposal{}, apperr.New(apperr.Validation, "A proposal needs a reason").
			WithHint("Pass `reason`: why should the rules change?")
	case len(c.Packs) == 0 && len(c.Set) == 0 && len(c.Mode) == 0:
		return Proposal{}, apperr.New(apperr.Validation, "The proposal has no change").
			WithHint("Pass a pack, `set` (threshold=value) or `mode` (rule=shadow). To learn a rule from failures, pass `from_finding`")
	}
	because, err := s.becauseOf(ctx, c.Because)
	if err != nil {
		return Proposal{}, err
	}
	overturned, err := s.findOverturned(ctx, c.Packs)
	if err != nil {
		return Proposal{}, err
	}
	because = append(because, overturned...)
	state := StateOpen
	if c.Draft {
		state = StateDraft
	}
	by := trace.Actor("", c.By)
	return s.write(ctx, uid.New(), input{c.Change, c.Adopt}, by, because, c.DateAfter,
		map[string]any{"state": state, "reason": redact.Mask(c.Reason),
			"project": graph.NullIfEmpty(normalize.Project(c.Project)), "proposed_by": by,
			"proposer":         caller.Identity(by),
			"proposer_queries": caller.From(ctx).QueriesAll()})
}

// resolveFinding replaces the number of a finding by its rule, reason and failures.
func (s *Store) resolveFinding(ctx context.Context, c *Creation) error {
	if len(c.Packs) > 0 || len(c.Set) > 0 || len(c.Mode) > 0 {
		return apperr.New(apperr.Validation, "A finding is a change of its own").
			WithHint("Leave out packs, `set` and `mode`, or leave out `from_finding`")
	}
	learned, err := s.lab.Learn(ctx, lab.LearnRequest{Filter: lab.Filter{Range: timeparse.Range{DateAfter: c.DateAfter}}})
	if err != nil {
		return err
	}
	if c.Finding > len(learned.Findings) {
		return apperr.Newf(apperr.NotFound, "Finding %d not found; the result has %s", c.Finding,
			render.Plural(len(learned.Findings), "finding")).
			WithHint("`suggest_policies` with the same `date_after` lists them")
	}
	found := learned.Findings[c.Finding-1]
	c.Packs = []pack.Source{{Name: fmt.Sprintf("learned-%d.yaml", c.Finding), Text: found.Rule}}
	for _, e := range found.Examples {
		if e.DecisionID != "" {
			c.Because = append(c.Because, e.DecisionID)
		}
	}
	if c.Reason == "" {
		c.Reason = fmt.Sprintf("Acts where %s failed %d of %d times. In shadow mode the rule shows whether that holds",
			found.Words, found.Failures, found.Acts)
	}
	return nil
}

// becauseOf finds the nodes of ids.
func (s *Store) becauseOf(ctx context.Context, ids []string) ([]string, error) {
	nodes := []string{}
	if len(ids) == 0 {
		return nodes, nil
	}
	rows, err := graph.All[struct{ ID, Node string }](ctx, s.graph, cypher.ProposalSources, graph.Params{"ids": ids})
	if err != nil {
		return nil, err
	}
	for _, id := range lists.Union(ids) {
		before := len(nodes)
		for _, row := range rows {
			if row.ID == id {
				nodes = append(nodes, row.Node)
			}
		}
		switch found := len(nodes) - before; {
		case found == 0:
			return nil, apperr.Newf(apperr.NotFound, "No decision, verdict or review has the id '%s'", id).
				WithHint("List them with `list_decisions` or `list_verdicts`")
		case found > 1:
			return nil, apperr.Newf(apperr.Conflict, "Several decisions match '%s'", id).
				WithHint("Use all 8 characters of the id")
		}
	}
	return nodes, nil
}

// findOverturned finds the verdicts whose overturned denials are test cases of packs. Those that the caller does not
// see are left out.
func (s *Store) findOverturned(ctx context.Context, packs []pack.Source) ([]string, error) {
	parsed, err := pack.ParseAll(ctx, packs)
	if err != nil {
		return nil, err
	}
	var ids, nodes []string
	for _, p := range parsed {
		ids = append(ids, cases.Overturned(p)...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := graph.All[struct{ ID, Node string }](ctx, s.graph, cypher.ProposalSources,
		graph.Params{"ids": ids[:min(len(ids), maxBecause)]})
	for _, row := range rows {
		nodes = append(nodes, row.Node)
	}
	return nodes, err
}

// maxBecause is the maximum number of test cases that are linked as a proposal's reasons.
const maxBecause = 50

// changes returns the change for package change.
func (in input) changes(reason, by string) change.Changes {
	t := change.Changes{Packs: in.Packs, Adopt: in.Adopt, Reason: reason, By: by}
	for _, name := range slices.Sorted(maps.Keys(in.Set)) {
		t.Set = append(t.Set, change.ThresholdChange{Name: name, Value: policies.ValueOf(in.Set[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(in.Mode)) {
		mode, _ := in.Mode[name].(string)
		t.Mode = append(t.Mode, change.PolicyModeChange{Name: name, Mode: mode})
	}
	return t
}

// holdsSecret reports whether the change holds a secret, as written or as the JSON in which it is stored. Secrets are
// recognized by line breaks and quotes, which JSON escapes.
func (in input) holdsSecret(stored string) bool {
	found := redact.Mask(stored) != stored
	for _, p := range in.Packs {
		found = found || redact.Mask(p.Text) != p.Text || redact.Mask(p.Name) != p.Name
	}
	for _, values := range []graph.Parameters{in.Set, in.Mode} {
		for name, value := range values {
			if text, ok := value.(string); ok { // a number under such a name is a limit, such as max_tokens
				_, masked := redact.Value(map[string]any{name: text})
				found = found || masked
			}
		}
	}
	return found
}

// write replays a change and stores the proposal as opened by the caller by. Rules that change meanwhile are a
// conflict.
func (s *Store) write(ctx context.Context, id string, in input, by string, because []string, since string,
	properties map[string]any) (Proposal, error) {
	text, err := encode(in)
	if err != nil {
		return Proposal{}, err
	}
	if in.holdsSecret(text) {
		return Proposal{}, apperr.New(apperr.Validation, "The change holds a secret, which a proposal would store").
			WithHint("Remove it from the pack or value")
	}
	passed, err := s.test(ctx, in.Packs)
	if err != nil {
		return Proposal{}, err
	}
	rows, err := s.change.Preview(ctx, in.changes("preview", by))
	if err != nil {
		return Proposal{}, err
	}
	if len(rows) == 0 {
		return Proposal{}, apperr.New(apperr.Validation, "The proposal would change nothing").
			WithHint("The rules have these values already; see `get_threshold` and `get_policy`")
	}
	concern := concernOf(rows)
	inForce, err := s.checks.Rules(ctx)
	if err != nil {
		return Proposal{}, err
	}
	base := inForce.RevisionOf(concern)
	replay, err := s.replay(ctx, in, since, properties["proposer_queries"] == true)
	if err != nil {
		return Proposal{}, err
	}
	plan, err := planOf(rows)
	if err != nil {
		return Proposal{}, err
	}
	maps.Copy(properties, map[string]any{"change": text, "words": redact.MaskAll(replay.Change),
		"diff": redact.Mask(in.diff()), "rows": plan, "plan": policies.Hash(plan), "base_revision": base,
		"cases_passed": passed,
		"decided_by":   nil, "decided_at": nil, "decision_reason": nil})
	if properties["state"] == StateOpen {
		properties["opened_by"] = by
	}
	_, isNew := properties["proposer"]
	replayed := map[string]any{"uid": uid.New(), "hash": replay.ChangedTo, "acts": replay.Acts,
		"blocked": replay.Blocked.Acts, "unblocked": replay.Freed.Acts, "undetermined": replay.Undetermined,
		"limited": caller.From(ctx).Limited(), "to_time": replay.To, "summary": redact.Mask(replay.Summary), "by": by,
		"blocked_decisions":   append([]string{}, replay.BlockedDecisions...),
		"unblocked_decisions": append([]string{}, replay.FreedDecisions...), "rows": plan, "plan": policies.Hash(plan),
		"base_revision": base}
	if !replay.From.IsZero() {
		replayed["from_time"] = replay.From
	}
	params := links(concern)
	maps.Copy(params, graph.Params{"uid": id, "properties": properties, "by": by, "key": caller.Key(by),
		"because": because, "step": uid.New(), "replay": replayed})
	if err := s.store(ctx, params, concern, base, isNew); err != nil {
		return Proposal{}, err
	}
	return s.Get(ctx, Query{ProposalID: id})
}

// replay replays a change. The proposer sees the result, and must not read the graph with another's rights.
func (s *Store) replay(ctx context.Context, in input, since string, queries bool) (lab.Replay, error) {
	if !queries {
		who := caller.From(ctx)
		who.Trusted, who.Permissions = false, nil
		ctx = caller.With(ctx, who)
	}
	return s.lab.Replay(ctx, lab.Request{Change: in.Change,
		Filter: lab.Filter{Range: timeparse.Range{DateAfter: since}}})
}

// store writes a replayed proposal, unless the rules that it concerns or, for an earlier proposal, its state have
// changed during the replay.
func (s *Store) store(ctx context.Context, params graph.Params, concern check.Concern, base string, isNew bool) error {
	return s.graph.Write(ctx, func(tx *graph.Tx) error {
		revision, err := s.checks.RevisionIn(ctx, tx, concern)
		if err != nil {
			return err
		}
		if revision != base {
			return apperr.New(apperr.Conflict, "The rules changed during the replay").WithHint("Try again")
		}
		if id := params["uid"].(string); !isNew {
			p, err := lock(ctx, tx, id)
			if err != nil {
				return err
			}
			if state := p.text("state"); !slices.Contains(reopenableStates, state) {
				return wrongState(id, state, "open")
			}
		}
		return tx.Run(ctx, cypher.ProposalWrite, params)
	})
}

// test runs the test cases of packs, and returns how many passed.
func (s *Store) test(ctx context.Context, packs []pack.Source) (int, error) {
	parsed, err := pack.ParseAll(ctx, packs)
	if err != nil || !slices.ContainsFunc(parsed, func(p pack.Pack) bool { return len(p.Cases) > 0 }) {
		return 0, err
	}
	report, err := cases.Run(ctx, cases.Request{Packs: packs, WithoutGraph: s.Scratch == nil || !caller.From(ctx).
		May(caller.Govern),
		Effects: s.checks.Settings.Effects}, s.Scratch)
	if err != nil {
		return 0, err
	}
	if report.Failures > 0 {
		return 0, apperr.Newf(apperr.Validation, "%d test cases of the pack fail", report.Failures).
			WithHint("`test_packs` shows them").With("summary", report.Summary)
	}
	return report.Passed, nil
}

// planOf encodes rows, so that the change that is applied can be compared with the one that was approved.
func planOf(rows []change.Row) (string, error) {
	text, err := encode(rows)
	return redact.Mask(text), err
}

func encode(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", apperr.New(apperr.Internal, "The change could not be stored").WithHint("Report it, with the change").
			Because(err)
	}
	return string(text), nil
}

// describeDifference says how rows that were shown differ from rows now; empty if they do not.
func describeDifference(before, now string) string {
	var was, is []change.Row
	if json.Unmarshal([]byte(before), &was) != nil || json.Unmarshal([]byte(now), &is) != nil {
		return "its values are unreadable"
	}
	words := func(r change.Row) string {
		name := strings.TrimSpace(r.Name + " " + r.Property)
		return fmt.Sprintf("%s from %s to %s", name, policies.ShowValueOrNone(r.From), policies.ShowValueOrNone(r.To))
	}
	shown := map[string]bool{}
	for _, r := range was {
		shown[words(r)] = true
	}
	var texts []string
	for _, r := range is {
		if text := words(r); !shown[text] {
			texts = append(texts, "now it changes "+text)
		}
		delete(shown, words(r))
	}
	for _, r := range was {
		if text := words(r); shown[text] {
			texts = append(texts, "it no longer changes "+text)
		}
	}
	if len(texts) > 3 {
		texts = append(texts[:3], fmt.Sprintf("and %d more", len(texts)-3))
	}
	return strings.Join(texts, ", ")
}

// concernOf names the nodes that rows change.
func concernOf(rows []change.Row) check.Concern {
	c := check.Concern{Policies: []string{}, Thresholds: []string{}, Tables: []string{}}
	of := map[string]*[]string{"policies": &c.Policies, "thresholds": &c.Thresholds, "decision_tables": &c.Tables}
	for _, r := range rows {
		if names := of[r.Section]; names != nil && !slices.Contains(*names, r.Name) {
			*names = append(*names, r.Name)
		}
	}
	return c
}

// links names the nodes that a proposal is linked to.
func links(c check.Concern) graph.Params {
	return graph.Params{"policies": c.Policies, "thresholds": c.Thresholds, "tables": c.Tables}
}

// diff returns the change as a pack fragment.
func (in input) diff() string {
	var b strings.Builder
	for _, p := range in.Packs {
		if p.Text == "" {
			fmt.Fprintf(&b, "# the shipped pack %s\n", p.Name)
			continue
		}
		b.WriteString(strings.TrimRight(p.Text, "\n") + "\n")
	}
	list := func(section, key string, values graph.Parameters) {
		if len(values) == 0 {
			return
		}
		items := []yaml.MapSlice{}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			items = append(items, yaml.MapSlice{{Key: "name", Value: name}, {Key: key, Value: values[name]}})
		}
		text, err := yaml.Marshal(yaml.MapSlice{{Key: section, Value: items}})
		if err == nil { // decoded JSON always encodes
			b.Write(text)
		}
	}
	list("thresholds", "value", in.Set)
	list("policies", "mode", in.Mode)
	return b.String()
}
