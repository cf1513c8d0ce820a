package change

import (
	"cmp"
	"context"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/history"
	"nomograph/policies/pack"
)

// RevertRequest names an earlier state to restore.
type RevertRequest struct {
	policies.Subject
	To     string `json:"to" jsonschema:"a time, or the start of a version's or revision's hash" rule:"minLength=1,maxLength=100"`
	Reason string `json:"reason" jsonschema:"reason for the history" rule:"minLength=1,maxLength=2000"`
	By     string `json:"-"`
}

// RevertResult describes the change. From and To are equal if nothing changed.
type RevertResult struct {
	Kind    string                        `json:"kind"`
	Name    string                        `json:"name"`
	From    string                        `json:"from,omitempty" jsonschema:"version before; empty if the node did not exist"`
	To      string                        `json:"to"`
	Changes map[string]history.Difference `json:"changes"`
}

// Revert restores an earlier state of a policy, threshold, table, atlas or context, with its links and rows, in one
// transaction. A revert is a change and can be reverted, too. A deleted node is created again. It returns the errors of
// AsOf, and a conflict if the target of a link is gone or a value cannot be stored.
func (s *Store) Revert(ctx context.Context, r RevertRequest) (RevertResult, error) {
	target, err := s.history.AsOf(ctx, r.Subject, "", r.To)
	if err != nil {
		return RevertResult{}, err
	}
	pack, err := packOf(target, r.Subject)
	if err != nil {
		return RevertResult{}, err
	}
	result := RevertResult{Kind: r.Kind, Name: subjectOf(pack).Key, To: target.Version}
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		if err := tx.Run(ctx, cypher.PacksLock, nil); err != nil { // prevents creating a deleted node twice
			return err
		}
		nodes, err := lockNodes(ctx, tx, pack)
		if err != nil {
			return err
		}
		changes, before, err := planReturn(pack, nodes)
		if err != nil {
			return err
		}
		for _, c := range changes {
			if err := c.checkReturn(); err != nil {
				return err
			}
		}
		result.From, result.Changes = before.Version, history.Differences(before.VersionContent, target.VersionContent)
		return s.writer(tx, pack, nodes, history.Change{Kind: "reverted", By: r.By, Why: r.Reason}).write(ctx, changes)
	})
	return result, err
}

// packOf converts a state to an applicable pack: the node, and the rows of a table.
func packOf(s history.State, of policies.Subject) (pack.Pack, error) {
	sec := pack.SectionOfLabel(of.Label())
	properties, err := toStored(s.Properties)
	if err != nil {
		return pack.Pack{}, err
	}
	key, _ := properties[sec.Key].(string)
	item := pack.Item{Section: sec, Key: key, Properties: properties}
	item.Links = pastLinks(s.Links)
	var p pack.Pack
	for _, row := range s.Rows {
		properties, err := toStored(row)
		if err != nil {
			return pack.Pack{}, err
		}
		id, _ := properties["row_id"].(string)
		if id == "" {
			return pack.Pack{}, apperr.Newf(apperr.Conflict, "A row of '%s' has no row_id, so it cannot be identified",
				key).WithHint("Give each row a row_id first")
		}
		p.Items = append(p.Items, pack.Item{Section: pack.SectionOf("decision_rows"), Key: id, Properties: properties})
		item.Links = append(item.Links, pack.Link{Type: "HAS_ROW", Section: "decision_rows", Key: id})
	}
	p.Items = append(p.Items, item)
	return p, nil
}

// pastLinks converts the texts of links.
func pastLinks(texts []string) (links []pack.Link) {
	for _, text := range texts {
		kind, target, _ := strings.Cut(text, " ")
		to := cmp.Or(map[string]string{"USES_THRESHOLD": "thresholds", "HAS_CONTEXT": "contexts"}[kind],
			"decision_tables")
		links = append(links, pack.Link{Type: kind, Section: to, Key: target})
	}
	return links
}

// subjectOf returns the item of the node itself, which follows the rows of a table.
func subjectOf(p pack.Pack) pack.Item { return p.Items[len(p.Items)-1] }

// planReturn plans the restoration, and returns the current state.
func planReturn(p pack.Pack, nodes []graphNode) ([]PlannedChange, history.State, error) {
	byKey := map[string]*graphNode{}
	for i := range nodes {
		id := nodes[i].Section + " " + nodes[i].Key
		if byKey[id] != nil {
			return nil, history.State{}, apperr.Newf(apperr.Conflict, "Several nodes are called '%s'", nodes[i].Key).
				WithHint("Remove or rename all but one. Nothing was changed")
		}
		byKey[id] = &nodes[i]
	}
	var changes []PlannedChange
	for i := range p.Items {
		item := &p.Items[i]
		for _, link := range item.Links {
			if byKey[link.Section+" "+link.Key] == nil && p.Item(link.Section, link.Key) == nil {
				return nil, history.State{}, apperr.Newf(apperr.Conflict,
					"'%s' was linked to the %s '%s', which no longer exists", item.Key,
					pack.SectionOf(link.Section).One, link.Key).
					WithHint("Restore that first. Nothing was changed")
			}
		}
		node := byKey[item.Section.Name+" "+item.Key]
		if node == nil {
			change := planned("create", item, nil)
			change.properties = item.Properties
			changes = append(changes, change)
			continue
		}
		// Use the current state as the base, so that every difference is set.
		node.Applied = policies.Canonical(node.Properties, graphTexts(node.Links), nil)
		changes = append(changes, planItem(item, node, node.Owner, true)...)
	}
	subject := subjectOf(p)
	now := byKey[subject.Section.Name+" "+subject.Key]
	if now == nil {
		return changes, history.State{}, nil
	}
	before := history.Content{Properties: now.Properties}
	for _, link := range now.Links {
		if link.Type != "HAS_ROW" {
			before.Links = append(before.Links, link.text())
			continue
		}
		row := byKey["decision_rows "+link.Key]
		if row == nil { // not part of the earlier state
			row = &graphNode{Section: "decision_rows", Key: link.Key, ID: link.ID,
				Properties: map[string]any{"row_id": link.Key, "table_id": subject.Key}}
			changes = append(changes, PlannedChange{Action: "remove", Section: row.Section, Name: row.Key, node: row})
		}
		before.Rows = append(before.Rows, row.Properties)
	}
	then, err := before.Past()
	return changes, history.State{VersionContent: then, Version: before.Version()}, err
}

func graphTexts(links []graphLink) []string { return lists.Map(links, graphLink.text) }
