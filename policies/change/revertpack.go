package change

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/pack"
)

// PackRevert names an earlier state of a pack.
type PackRevert struct {
	Name   string `json:"name" jsonschema:"name of an applied pack" rule:"minLength=1,maxLength=200"`
	To     string `json:"to" jsonschema:"a time, or the start of a revision's hash" rule:"minLength=1,maxLength=100"`
	Reason string `json:"reason" jsonschema:"reason for the history" rule:"minLength=1,maxLength=2000"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`
	By     string `json:"-"`
}

// RevertPack restores the nodes of a pack as they were, in one transaction: what was changed since is reset, what was
// removed is created again, and what the pack has added is removed. Nodes without a history stay. It returns not_found
// for an unknown pack or revision and before the pack was applied, and the errors of Apply.
func (s *Store) RevertPack(ctx context.Context, r PackRevert) (ApplyResult, error) {
	applied, err := graph.All[struct {
		Version, Description string
		Nodes                []graphNode
	}](ctx, s.graph, cypher.PacksApplied, graph.Params{"name": r.Name})
	if err != nil {
		return ApplyResult{}, err
	}
	if len(applied) == 0 {
		return ApplyResult{}, s.pack.NotFoundError(ctx, r.Name)
	}
	p := pack.Pack{Name: r.Name, Version: applied[0].Version, Description: applied[0].Description}
	if p.Items, err = s.itemsAt(ctx, r); err != nil {
		return ApplyResult{}, err
	}
	for _, node := range applied[0].Nodes {
		switch node.Section {
		case "policies", "thresholds", "decision_tables", "decision_rows", "atlases", "contexts":
		default:
			p.Items = append(p.Items, pack.Item{Section: pack.SectionOf(node.Section), Key: node.Key,
				Properties: node.Properties, Links: pastLinks(graphTexts(node.Links))})
		}
	}
	return s.ApplyParsed(ctx, []pack.Pack{p}, ApplyRequest{Reason: "reverted to " + r.To + ": " + r.Reason, By: r.By,
		ApplyOptions: ApplyOptions{Overwrite: true, Prune: true, DryRun: r.DryRun}})
}

// itemsAt returns the items of a pack at an earlier time.
func (s *Store) itemsAt(ctx context.Context, r PackRevert) (items []pack.Item, err error) {
	_, notTime := policies.ParseTime("to", r.To)
	revision := r.To
	if notTime == nil {
		revision = noKey
	}
	subjects, err := graph.All[struct {
		policies.Subject `mapstructure:",squash"`
		Recorded         *time.Time
	}](ctx, s.graph, cypher.PackPast, graph.Params{"pack": r.Name, "revision": revision})
	if err != nil {
		return nil, err
	}
	for _, subject := range subjects {
		to := r.To
		if notTime != nil && subject.Recorded == nil {
			return nil, apperr.Newf(apperr.NotFound, "'%s' is neither a time nor the start of one revision's hash", r.To).
				WithHint("Verdicts name their revision, and `get_history` lists times of changes")
		}
		if notTime != nil {
			to = subject.Recorded.UTC().Format(time.RFC3339Nano)
		}
		then, err := s.history.AsOf(ctx, subject.Subject, "", to)
		if apperr.Is(err, apperr.NotFound) { // it did not exist
			continue
		}
		if err != nil {
			return nil, err
		}
		one, err := packOf(then, subject.Subject)
		if err != nil {
			return nil, err
		}
		items = append(items, one.Items...)
	}
	if len(items) == 0 {
		return nil, apperr.Newf(apperr.NotFound, "The pack '%s' had no nodes at %s", r.Name, r.To).
			WithHint("Use a later time, or remove the pack with `remove_pack`")
	}
	return items, nil
}
