package policies

import "slices"

// decisionTable is the table as it would be read back from the graph.
func (p Pack) decisionTable(of Item) decisionTable {
	node := storedTable{ID: of.Key, TableID: of.Key, Properties: of.Properties, Links: anyList(of.linkTexts())}
	for _, item := range p.Items {
		if item.section.Name == "decision_rows" && item.Properties["table_id"] == of.Key {
			node.Rows = append(node.Rows, stored{ID: item.Key, Properties: item.Properties})
		}
	}
	return node.table()
}

// references are all links that the pack wants, and the thresholds that outputs of its tables name.
func (p Pack) references() []Link {
	var links []Link
	for _, item := range p.Items {
		links = append(links, item.Links...)
		if item.section.Name == "decision_tables" {
			for _, name := range p.decisionTable(item).thresholdNames() {
				links = append(links, Link{"USES_THRESHOLD", "thresholds", name})
			}
		}
	}
	return links
}

// item finds an item by its section and key; nil where there is none.
func (p *Pack) item(section, key string) *Item {
	for i := range p.Items {
		if p.Items[i].section.Name == section && p.Items[i].Key == key {
			return &p.Items[i]
		}
	}
	return nil
}

// table finds the pack's table by its exact id, else by the part before the first underscore, and says which ones that
// may mean.
func (p *Pack) table(id string) (found *Item, meant []string) {
	for i := range p.Items {
		item := &p.Items[i]
		switch {
		case id == "" || item.section.Name != "decision_tables":
		case item.Key == id:
			return item, nil
		case short(item.Key) == id:
			found, meant = item, append(meant, item.Key)
		}
	}
	return found, meant
}

// nounOf names a node of a section; the section itself where it is none of ours.
func nounOf(name string) string {
	if i := slices.IndexFunc(sections, func(s section) bool { return s.Name == name }); i >= 0 {
		return sections[i].One
	}
	return name
}
