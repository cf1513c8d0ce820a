package pack

import (
	"slices"

	"nomograph/internal/lists"
)

// Link is a link to the node of a section with the given key. A table may be named by its short id.
type Link struct {
	Type    string
	Section string
	Key     string
}

// Text returns the link in the form of versions: its type and the key of its target.
func (l Link) Text() string { return l.Type + " " + l.Key }

// LinkTexts returns the item's links in the form of versions, sorted.
func (i Item) LinkTexts() []string {
	texts := lists.Map(i.Links, Link.Text)
	slices.Sort(texts)
	return texts
}

// Targets returns the keys of the targets of links with a type.
func (i Item) Targets(linkType string) []string {
	links := lists.Filter(i.Links, func(link Link) bool { return link.Type == linkType })
	return lists.Map(links, func(link Link) string { return link.Key })
}

// linkKeys are keys of an item that become links instead of properties.
var linkKeys = map[string]map[string]struct{ linkType, section string }{
	"policies":        {"uses_thresholds": {"USES_THRESHOLD", "thresholds"}},
	"decision_tables": {"feeds_into": {"FEEDS_INTO", "decision_tables"}, "rows": {"HAS_ROW", "decision_rows"}},
}
