package change

import (
	"cmp"
	"context"
	"slices"

	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// Changes are several changes of the rules, made in one transaction: all or none.
type Changes struct {
	Packs  []pack.Source
	Adopt  bool
	Set    []ThresholdChange
	Mode   []PolicyModeChange
	Reason string
	By     string
}

// Row is one property that a change sets, before and after.
type Row struct {
	Action   string `json:"action" jsonschema:"create, update, adopt, remove or release"`
	Section  string `json:"section" jsonschema:"section of packs, such as policies or thresholds"`
	Name     string `json:"name"`
	Property string `json:"property,omitempty" jsonschema:"property, or the type of a link in capitals, such as USES_THRESHOLD"`
	From     any    `json:"from,omitempty"`
	To       any    `json:"to,omitempty"`
	Unusual  string `json:"unusual,omitempty" jsonschema:"reason for a person to check the value"`
}

// Preview returns what ApplyChanges would change, from a transaction that is rolled back.
func (s *Store) Preview(ctx context.Context, t Changes) ([]Row, error) {
	return writeResult(ctx, s, true, func(tx *graph.Tx) ([]Row, error) { return s.ApplyChanges(ctx, tx, t) })
}

// ApplyChanges makes the changes within a transaction: packs first, overwriting manual edits, then thresholds and
// modes. It returns what changed, in a stable order, and the errors of Apply, SetThreshold and SetPolicyMode.
func (s *Store) ApplyChanges(ctx context.Context, tx *graph.Tx, t Changes) ([]Row, error) {
	rows := []Row{}
	if len(t.Packs) > 0 {
		packs, err := s.parse(ctx, t.Packs)
		if err != nil {
			return nil, err
		}
		applied, err := s.applyParsedIn(ctx, tx, packs,
			ApplyRequest{Reason: t.Reason, By: t.By, ApplyOptions: ApplyOptions{Adopt: t.Adopt, Overwrite: true}})
		if err != nil {
			return nil, err
		}
		for _, p := range applied.Packs {
			for _, c := range p.Changes {
				rows = append(rows, c.rows()...)
			}
		}
	}
	for _, c := range t.Set {
		// the person who approves sees both values and why the change is unusual
		c.Reason, c.By, c.Confirm = t.Reason, t.By, true
		changed, err := s.setThreshold(ctx, tx, c)
		if err != nil {
			return nil, err
		}
		if changed.Changed {
			from, to := changed.From.Any(), changed.To.Any()
			rows = append(rows, Row{Action: "update", Section: "thresholds", Name: c.Name, Property: "value",
				From: from, To: to, Unusual: policies.Unusual(from, to)})
		}
	}
	for _, c := range t.Mode {
		var before string
		changed, err := s.amendPolicyIn(ctx, tx, PolicySwitch{c.Name, t.Reason, c.Scope, t.By},
			func(properties map[string]any) (map[string]any, error) {
				before, _ = properties["mode"].(string)
				return c.edit(properties)
			})
		if err != nil {
			return nil, err
		}
		if changed.Changed {
			rows = append(rows, Row{Action: "update", Section: "policies", Name: c.Name, Property: "mode",
				From: cmp.Or(before, rule.Enforce), To: c.Mode})
		}
	}
	// links have several rows that differ only in From and To
	text := func(value any) string { s, _ := value.(string); return s }
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Section, b.Section), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Property, b.Property), cmp.Compare(text(a.From), text(b.From)),
			cmp.Compare(text(a.To), text(b.To)))
	})
	return rows, nil
}

// rows returns a row for each property that the change sets and each link that it makes or cuts. A change without
// properties and links has one row, for the node.
func (c PlannedChange) rows() []Row {
	if c.Action == "drift" || c.Action == "left" {
		return nil
	}
	row := Row{Action: c.Action, Section: c.Section, Name: c.Name}
	rows := c.linkRows(row)
	if len(c.To)+len(rows) == 0 {
		return []Row{row}
	}
	for property := range c.To {
		row.Property, row.From, row.To = property, graph.JSON(c.From[property]), graph.JSON(c.To[property])
		row.Unusual = ""
		if c.Section == "thresholds" && property == "value" && row.From != nil {
			row.Unusual = policies.Unusual(c.From[property], c.To[property])
		}
		rows = append(rows, row)
	}
	return rows
}

// linkRows returns a row like the given one for each link that the change makes or cuts; a link has its target as
// value.
func (c PlannedChange) linkRows(row Row) (rows []Row) {
	made := c.missing
	if c.Action == "create" {
		made = c.item.Links
	}
	for _, link := range made {
		row.Property, row.To = link.Type, link.Key
		rows = append(rows, row)
	}
	for _, link := range c.cut {
		row.Property, row.From, row.To = link.Type, link.Key, nil
		rows = append(rows, row)
	}
	return rows
}
