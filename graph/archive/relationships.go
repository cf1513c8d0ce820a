package archive

import (
	"cmp"
	"maps"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
)

// link is a relationship with the element ids of its ends in the graph.
type link struct {
	from, to string
	line
}

func (l link) row(at int64) map[string]any {
	return map[string]any{"at": at, "from": l.from, "type": l.Relationship.Type, "to": l.to,
		"properties": l.Relationship.Properties}
}

// existing is a relationship of the graph between the ends of a link.
type existing struct {
	At         int64
	ID         string
	Properties map[string]any
}

func (i *importer) writeRelationships(lines []line) error {
	var result Imported
	err := i.db.Write(i.ctx, func(tx *graph.Tx) error { // may be retried
		result = Imported{}
		links, err := i.links(tx, lines)
		if err != nil {
			return err
		}
		result.Dangling = int64(len(lines) - len(links))
		rows := make([]any, len(links))
		for at, l := range links {
			rows[at] = l.row(int64(at))
		}
		there, err := graph.All[existing](i.ctx, tx, cypher.ArchiveBetween, graph.Params{"relationships": rows})
		if err != nil {
			return err
		}
		found := matchLinks(links, there, &result)
		held, err := i.occupiedLinks(tx, links, found)
		if err != nil {
			return err
		}
		for _, step := range i.planLinks(links, found, held, &result) {
			if len(step.rows) > 0 {
				if err := tx.Run(i.ctx, step.Statement, graph.Params{step.name: step.rows}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	i.result.add(result)
	return nil
}

// matchLinks returns the relationship that each link describes, by the link's index: an equal one if there is one,
// otherwise one that no other link describes. Links with an equal one lose their relationship, because nothing is left
// to do.
func matchLinks(links []link, there []existing, result *Imported) map[int64]string {
	found, used := map[int64]string{}, map[string]bool{}
	for _, equal := range []bool{true, false} {
		for _, r := range there {
			if _, done := found[r.At]; done || used[r.ID] ||
				equal != equalProperties(links[r.At].Relationship.Properties, r.Properties) {
				continue
			}
			found[r.At], used[r.ID] = r.ID, true
			if equal {
				result.Relationships.Unchanged++
				links[r.At].Relationship = nil
			}
		}
	}
	return found
}

// linkStep is a statement with the value of its parameter.
type linkStep struct {
	cypher.Statement
	name string
	rows []any
}

// planLinks returns the steps that bring the links into the graph, in their order.
func (i *importer) planLinks(links []link, found map[int64]string, held map[int64]bool, result *Imported) []linkStep {
	var create, replace, remove []any
	for n, l := range links {
		at := int64(n)
		id, ok := found[at]
		switch {
		case l.Relationship == nil:
		case (ok || held[at]) && !i.options.Overwrite:
			result.Relationships.Conflicts++
			c := Conflict{Line: l.number, What: l.Relationship.Type, Note: "its properties differ"}
			if held[at] {
				c.Note = "the node already has a different relationship of this type, and can have only one"
			}
			result.conflict(c)
		case ok:
			row := l.row(at)
			row["id"] = id
			replace = append(replace, row)
			result.Relationships.Replaced++
		case held[at]:
			remove = append(remove, l.holder(at))
			create = append(create, l.row(at))
			result.Relationships.Replaced++
		default:
			create = append(create, l.row(at))
			result.Relationships.Created++
		}
	}
	return []linkStep{{cypher.ArchiveRelationshipsRemove, "ends", remove},
		{cypher.ArchiveRelationshipsReplace, "relationships", replace},
		{cypher.ArchiveRelationshipsCreate, "relationships", create}}
}

// links returns the lines whose ends exist, sorted, so that concurrent imports do not deadlock.
func (i *importer) links(tx *graph.Tx, lines []line) ([]link, error) {
	wanted := map[string]bool{}
	for _, l := range lines {
		for _, key := range []string{l.Relationship.From, l.Relationship.To} {
			if i.known[key] == "" {
				wanted[key] = true
			}
		}
	}
	found, err := graph.All[struct{ UID, ID string }](i.ctx, tx, cypher.ArchiveNodesByUID,
		graph.Params{"uids": slices.Sorted(maps.Keys(wanted))})
	if err != nil {
		return nil, err
	}
	ids := make(map[string]string, len(found))
	for _, row := range found {
		ids[row.UID] = row.ID
	}
	links := make([]link, 0, len(lines))
	for _, l := range lines {
		from, to := cmp.Or(i.known[l.Relationship.From], ids[l.Relationship.From]),
			cmp.Or(i.known[l.Relationship.To], ids[l.Relationship.To])
		if from != "" && to != "" {
			links = append(links, link{from, to, l})
		}
	}
	slices.SortStableFunc(links, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return links, nil
}

// occupiedLinks returns the links that cannot be created because a node already has the only relationship of that
// type. found are existing relationships between the same ends.
func (i *importer) occupiedLinks(tx *graph.Tx, links []link, found map[int64]string) (map[int64]bool, error) {
	ends := []any{}
	for n, l := range links {
		at := int64(n)
		if l.Relationship == nil || found[at] != "" {
			continue
		}
		if _, ok := single[l.Relationship.Type]; ok {
			ends = append(ends, l.holder(at))
		}
	}
	if len(ends) == 0 {
		return nil, nil
	}
	rows, err := graph.All[struct {
		At int64
		ID string
	}](i.ctx, tx, cypher.ArchiveSingleRelationships, graph.Params{"ends": ends})
	held := map[int64]bool{}
	for _, row := range rows {
		held[row.At] = true
	}
	return held, err
}

// holder returns the end of the link that can have only one relationship of its type.
func (l link) holder(at int64) map[string]any {
	id := l.to
	if single[l.Relationship.Type] {
		id = l.from
	}
	return map[string]any{"at": at, "type": l.Relationship.Type, "id": id}
}

func equalProperties(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for name, value := range a {
		if other, ok := b[name]; !ok || text(value) != text(other) {
			return false
		}
	}
	return true
}

func (i *importer) writeVectors(lines []line) error {
	rows := make([]any, len(lines))
	for at, l := range lines {
		row := map[string]any{"of": l.Vectors.Of}
		properties := maps.Clone(l.Vectors.Properties)
		for _, side := range vectorProperties {
			row[side] = properties[side]
			delete(properties, side)
		}
		row["properties"] = properties
		rows[at] = row
	}
	var done struct{ Written int64 }
	err := i.db.Write(i.ctx, func(tx *graph.Tx) (err error) {
		done, err = graph.One[struct{ Written int64 }](i.ctx, tx, cypher.ArchiveVectorsCreate,
			graph.Params{"vectors": rows})
		return err
	})
	if err != nil {
		return err
	}
	i.result.Vectors.add(LineCounts{Created: done.Written, Unchanged: int64(len(lines)) - done.Written})
	return nil
}
