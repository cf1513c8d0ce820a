package pack

import "slices"

// Link leads from an item to the node of another section with the given key. A table may be meant by its short id.
type Link struct {
	Type    string
	Section string
	Key     string
}

// Text is the link as a version has it: its type and the key of what it leads to.
func (l Link) Text() string { return l.Type + " " + l.Key }

// LinkTexts are the item's links as a version has them, sorted.
func (i Item) LinkTexts() []string {
	texts := make([]string, len(i.Links))
	for n, link := range i.Links {
		texts[n] = link.Text()
	}
	slices.Sort(texts)
	return texts
}

// Targets are the keys that links of a type lead to.
func (i Item) Targets(linkType string) []string {
	var keys []string
	for _, link := range i.Links {
		if link.Type == linkType {
			keys = append(keys, link.Key)
		}
	}
	return keys
}

// linkKeys are the keys of an item that become links instead of properties.
var linkKeys = map[string]map[string]struct{ linkType, section string }{
	"policies":        {"uses_thresholds": {"USES_THRESHOLD", "thresholds"}},
	"decision_tables": {"feeds_into": {"FEEDS_INTO", "decision_tables"}, "rows": {"HAS_ROW", "decision_rows"}},
}
