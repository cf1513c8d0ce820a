package pack

import (
	"slices"

	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/table"
)

// DecisionTable returns the table in the form that is read from the graph.
func (p Pack) DecisionTable(of Item) table.Table {
	node := table.StoredTable{ID: of.Key, TableID: of.Key, Properties: of.Properties, Links: graph.List(of.LinkTexts())}
	for _, item := range p.Items {
		if item.Section.Name == "decision_rows" && item.Properties["table_id"] == of.Key {
			node.Rows = append(node.Rows, policies.Stored{ID: item.Key, Properties: item.Properties})
		}
	}
	return node.Table()
}

// References returns all links of the pack, and the thresholds in outputs of its tables.
func (p Pack) References() []Link {
	var links []Link
	for _, item := range p.Items {
		links = append(links, item.Links...)
		if item.Section.Name == "decision_tables" {
			for _, name := range p.DecisionTable(item).ThresholdNames() {
				links = append(links, Link{"USES_THRESHOLD", "thresholds", name})
			}
		}
	}
	return links
}

// Item finds an item by its section and key; nil if there is none.
func (p *Pack) Item(section, key string) *Item {
	for i := range p.Items {
		if p.Items[i].Section.Name == section && p.Items[i].Key == key {
			return &p.Items[i]
		}
	}
	return nil
}

// Table finds a table by its exact id, else by the part before the first underscore, and returns the candidates.
func (p *Pack) Table(id string) (found *Item, matches []string) {
	for i := range p.Items {
		item := &p.Items[i]
		switch {
		case id == "" || item.Section.Name != "decision_tables":
		case item.Key == id:
			return item, nil
		case policies.ShortID(item.Key) == id:
			found, matches = item, append(matches, item.Key)
		}
	}
	return found, matches
}

// NounOf returns the noun for a node of a section; the section itself if it is unknown.
func NounOf(name string) string {
	if i := slices.IndexFunc(Sections, func(s section) bool { return s.Name == name }); i >= 0 {
		return Sections[i].One
	}
	return name
}
