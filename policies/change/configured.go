package change

import (
	"context"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies/pack"
)

// Reasons of the changes that a start makes itself.
const (
	firstStart       = "first start"
	GuardrailsReason = "cstp.guardrails.config_path"
	AtlasesReason    = "serve --atlases"
)

// StartReasons returns the reasons of the changes that a start makes itself.
func StartReasons() []string { return []string{firstStart, GuardrailsReason, AtlasesReason} }

// ApplyConfigured applies packs of a server's configuration, all or none. It differs from Apply in four ways. An
// unchanged node of a shipped pack is taken over and updated. A node of another pack with the same content stays in
// that pack. A manually deleted node is created again. It writes nothing if the graph is up to date, so it succeeds on
// a read-only database. It returns the errors of Apply.
func (s *Store) ApplyConfigured(ctx context.Context, r ApplyRequest) (ApplyResult, error) {
	packs, err := s.parse(ctx, r.Packs)
	if err != nil {
		return ApplyResult{}, err
	}
	r.configured = true
	if standing, all, err := s.alreadyApplied(ctx, packs, r); err != nil || all {
		return standing, err
	}
	return s.ApplyParsed(ctx, packs, r)
}

// alreadyApplied reports whether the packs are already applied, with the result that applying would return.
func (s *Store) alreadyApplied(ctx context.Context, packs []pack.Pack, r ApplyRequest) (result ApplyResult, all bool,
	err error) {
	for _, p := range packs {
		states, err := graph.All[packState](ctx, s.graph, cypher.PackState, graph.Params{"pack": p.Name})
		if err != nil || len(states) == 0 || states[0].Checksum != p.Checksum {
			return result, false, err
		}
		nodes, err := nodesOf(ctx, s.graph, p)
		if err != nil {
			return result, false, err
		}
		_, applied, err := planPack(p, nodes, decodeContents(states[0].Brought), r.ApplyOptions)
		if err != nil || slices.ContainsFunc(applied.Changes,
			func(c PlannedChange) bool { return c.Action != "drift" && c.Action != "left" }) {
			return result, false, err
		}
		result.Packs = append(result.Packs, applied)
	}
	result.Summary = result.summary()
	return result, true, nil
}

// FirstStart fills an empty graph with the packs of the configuration, and with the items of the pack core whose names
// those packs do not use.
func (s *Store) FirstStart(ctx context.Context, configured []pack.Source, by string) error {
	packs, err := pack.ParseAll(ctx, append(slices.Clone(configured), pack.Source{Name: "core"}))
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for i, p := range packs {
		packs[i] = p.Without(func(item pack.Item) bool { return taken[item.Section.Name+" "+item.Key] })
		for _, item := range p.Items {
			taken[item.Section.Name+" "+item.Key] = true
		}
	}
	_, err = s.ApplyParsed(ctx, packs, ApplyRequest{By: by, Reason: firstStart})
	return err
}

// resolveUnowned decides about a node that a configured pack does not own. stays: the content is equal, and the owner
// keeps it. taken: the pack takes it over. Neither means a conflict.
func resolveUnowned(item *pack.Item, node *graphNode, name string) (stays, taken bool) {
	shipped := slices.Contains(pack.Shipped(), node.Owner)
	same := !slices.ContainsFunc(planItem(item, node, name, true), func(c PlannedChange) bool {
		return !c.annotated && len(c.To)+len(c.missing)+len(c.cut) > 0
	})
	annotates := func(key string) bool { return !item.Reads(key) }
	return same && node.Owner != "" && !shipped, same || shipped && !node.hasDrift(annotates)
}
