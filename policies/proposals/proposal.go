package proposals

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/goccy/go-yaml"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/lab"
)

// The states of a proposal. An open or approved proposal is stale once rules that it concerns differ from those of its
// replay.
const (
	StateDraft     = "draft"
	StateOpen      = "open"
	StateApproved  = "approved"
	StateRejected  = "rejected"
	StateApplied   = "applied"
	StateWithdrawn = "withdrawn"
	StateStale     = "stale"
)

// Proposal is a proposed change of the rules.
type Proposal struct {
	ProposalID     string       `json:"proposal_id" mapstructure:"uid"`
	State          string       `json:"state" jsonschema:"draft, open, approved, rejected, applied, withdrawn or stale (rules that it concerns have changed since its replay)"`
	Change         []string     `json:"change" jsonschema:"the change in words" mapstructure:"words"`
	Reason         string       `json:"reason"`
	Project        string       `json:"project,omitempty"`
	ProposedBy     string       `json:"proposed_by"`
	CreatedAt      time.Time    `json:"created_at"`
	OpenedBy       string       `json:"opened_by,omitempty" jsonschema:"person or agent that last replayed it and requested approval"`
	OpenedAt       *time.Time   `json:"opened_at,omitempty"`
	BaseRevision   string       `json:"base_revision" jsonschema:"hash of the rules that it concerns, at its replay"`
	Plan           string       `json:"plan" jsonschema:"hash of the rules it was replayed with and of the values it changes; approve_proposal takes it"`
	Diff           string       `json:"diff" jsonschema:"the change as a pack fragment; without its test cases for callers who may see only some projects, except the proposer"`
	Rows           []change.Row `json:"rows" jsonschema:"properties before and after" mapstructure:"-"`
	CasesPassed    int64        `json:"cases_passed,omitempty" jsonschema:"test cases of its packs that passed"`
	Replay         *Replayed    `json:"replay,omitempty" jsonschema:"last replay; absent for callers who may see only some projects"`
	Because        []Source     `json:"because" jsonschema:"decisions, verdicts and reviews behind the proposal"`
	DecidedBy      string       `json:"decided_by,omitempty"`
	DecidedAt      *time.Time   `json:"decided_at,omitempty"`
	DecisionReason string       `json:"decision_reason,omitempty"`
	AppliedBy      string       `json:"applied_by,omitempty"`
	AppliedAt      *time.Time   `json:"applied_at,omitempty"`
}

// Replayed sums up the replay of a proposal.
type Replayed struct {
	At           time.Time  `json:"at"`
	By           string     `json:"by,omitempty"`
	From         *time.Time `json:"from,omitempty" jsonschema:"start of the window; absent without one" mapstructure:"from_time"`
	To           *time.Time `json:"to,omitempty" mapstructure:"to_time"`
	Acts         int64      `json:"acts"`
	Blocked      int64      `json:"blocked" jsonschema:"acts that today's rules allow and the change denies"`
	Unblocked    int64      `json:"unblocked" jsonschema:"acts that today's rules deny and the change allows"`
	Undetermined int64      `json:"undetermined" jsonschema:"acts that may flip"`
	ChangedTo    string     `json:"changed_to" jsonschema:"hash of the changed rules" mapstructure:"hash"`
	Limited      bool       `json:"limited" jsonschema:"only acts of the proposer's projects were replayed; replay_policies with the proposal replays all that the caller sees"`
	Summary      string     `json:"summary" jsonschema:"report as Markdown"`
}

// Source is a node that a proposal follows from.
type Source struct {
	Kind    string `json:"kind" jsonschema:"decision, verdict or review"`
	ID      string `json:"id"`
	Text    string `json:"text,omitempty"`
	Outcome string `json:"outcome,omitempty"`
}

// row is a proposal as the statement returns it.
type row struct {
	Proposal map[string]any
	Replays  []map[string]any
	Because  []Source
}

// stored are the properties of a Proposal node.
type stored map[string]any

// PlanShown is the number of characters of a plan's id that people see.
const PlanShown = 12

// planID identifies the rules that a proposal was replayed with and the values that it changes.
func (p stored) planID() string { return policies.Hash(p.text("base_revision") + " " + p.text("plan")) }

func (p stored) text(name string) string { return graph.Text(p, name) }

// input is the change of a proposal, in the form in which it is stored.
type input struct {
	lab.Change
	Adopt bool `json:"adopt,omitempty"`
}

func (p stored) input() (input, error) {
	var in input
	if err := json.Unmarshal([]byte(p.text("change")), &in); err != nil {
		return input{}, apperr.Newf(apperr.Conflict, "The change of proposal '%s' is unreadable", p.text("uid")).
			WithHint("Propose it again").Because(err)
	}
	return in, nil
}

// proposal decodes a row. What a manual edit made unreadable stays empty.
func (r row) proposal(ctx context.Context, stale bool) Proposal {
	p := stored(r.Proposal)
	out := Proposal{Because: r.Because}
	_ = graph.Decode(p, &out)
	_ = json.Unmarshal([]byte(p.text("rows")), &out.Rows)
	out.Plan, out.Diff = p.planID(), p.shownDiff(caller.From(ctx))
	if stale {
		out.State = StateStale
	}
	if len(r.Replays) > 0 && !caller.From(ctx).Limited() { // examples of a replay may be of other projects
		out.Replay = &Replayed{}
		_ = graph.Decode(r.Replays[0], out.Replay)
	}
	return out
}

// shownDiff returns the change as the caller may see it. Its test cases may hold decisions of other projects than the
// caller's.
func (p stored) shownDiff(who caller.Caller) string {
	if !who.Limited() || p.text("proposer") == caller.Identity(who.Name) {
		return p.text("diff")
	}
	in, err := p.input()
	if err != nil {
		return ""
	}
	for i := range in.Packs {
		if in.Packs[i].Text, err = withoutTests(in.Packs[i].Text); err != nil {
			return ""
		}
	}
	return redact.Mask(in.diff())
}

// withoutTests returns the text of a pack without its test cases and comments; "" for a shipped pack.
func withoutTests(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	var sections yaml.MapSlice
	if err := yaml.UnmarshalWithOptions([]byte(text), &sections, yaml.UseOrderedMap()); err != nil {
		return "", err
	}
	rest, err := yaml.Marshal(slices.DeleteFunc(sections,
		func(section yaml.MapItem) bool { return section.Key == "tests" }))
	return string(rest), err
}

// concern names what the proposal changes.
func (p stored) concern() check.Concern {
	var rows []change.Row
	_ = json.Unmarshal([]byte(p.text("rows")), &rows) // as in proposal
	return concernOf(rows)
}

// Stale returns the uids of the open and approved proposals that concern rules which have changed since the replay.
func (s *Store) Stale(ctx context.Context) ([]string, error) {
	open, err := graph.All[struct{ Proposal map[string]any }](ctx, s.graph, cypher.ProposalsPending, nil)
	stale := []string{}
	if err != nil || len(open) == 0 { // without a proposal, the rules are not read
		return stale, err
	}
	inForce, err := s.checks.Rules(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range open {
		if p := stored(row.Proposal); inForce.RevisionOf(p.concern()) != p.text("base_revision") {
			stale = append(stale, p.text("uid"))
		}
	}
	return stale, nil
}

// Query selects one proposal.
type Query struct {
	ProposalID string `json:"proposal_id" jsonschema:"proposal id, or its unambiguous beginning" rule:"minLength=8,maxLength=100"`
}

// Get returns one proposal. It returns not_found, and a conflict for an ambiguous beginning of an id.
func (s *Store) Get(ctx context.Context, q Query) (Proposal, error) {
	stale, err := s.Stale(ctx)
	if err != nil {
		return Proposal{}, err
	}
	found, err := s.find(ctx, q.ProposalID)
	if err != nil {
		return Proposal{}, err
	}
	return found.proposal(ctx, slices.Contains(stale, stored(found.Proposal).text("uid"))), nil
}

func (s *Store) find(ctx context.Context, id string) (row, error) {
	rows, err := graph.All[row](ctx, s.graph, cypher.ProposalsFound,
		graph.Params{"uid": id, "state": nil, "stale": []string{}, "before": nil, "before_uid": "", "limit": 2})
	switch {
	case err != nil:
		return row{}, err
	case len(rows) == 0:
		return row{}, apperr.Newf(apperr.NotFound, "Proposal '%s' not found", id).
			WithHint("List proposals with `list_proposals`")
	case len(rows) > 1:
		return row{}, apperr.Newf(apperr.Conflict, "Several proposals match '%s'", id).WithHint("Use more of the id")
	}
	return rows[0], nil
}

// Change returns the change that a proposal makes, to replay it. It returns the errors of Get.
func (s *Store) Change(ctx context.Context, id string) (lab.Change, error) {
	found, err := s.find(ctx, id)
	if err != nil {
		return lab.Change{}, err
	}
	in, err := stored(found.Proposal).input()
	return in.Change, err
}

// Filter selects proposals.
type Filter struct {
	State string `json:"state,omitempty" jsonschema:"filter by state" rule:"enum=draft|open|approved|rejected|applied|withdrawn|stale"`
	policies.Page
}

// List is a page of proposals, newest first.
type List struct {
	Proposals  []Proposal `json:"proposals"`
	NextCursor string     `json:"next_cursor,omitempty"`
}

// List returns a page of proposals. It returns a validation_error for an invalid cursor.
func (s *Store) List(ctx context.Context, f Filter) (List, error) {
	stale, err := s.Stale(ctx)
	if err != nil {
		return List{}, err
	}
	rows, cursor, err := policies.ReadNewest(ctx, s.graph, cypher.ProposalsFound,
		graph.Params{"uid": nil, "state": graph.NullIfEmpty(f.State), "stale": stale}, "", f.Page,
		func(r row) (time.Time, string) {
			return graph.Time(r.Proposal, "created_at"), stored(r.Proposal).text("uid")
		})
	list := List{NextCursor: cursor}
	for _, row := range rows {
		list.Proposals = append(list.Proposals, row.proposal(ctx,
			slices.Contains(stale, stored(row.Proposal).text("uid"))))
	}
	return list, err
}
