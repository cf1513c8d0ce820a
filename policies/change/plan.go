package change

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/pack"
)

// graphNode is a node that a pack names or owns.
type graphNode struct {
	Section, Key, ID string
	Properties       map[string]any
	Owner            string
	Applied          string
	Mode             string // chosen when the pack was applied, instead of the pack's mode; empty for none
	Links            []graphLink
}

type graphLink struct{ Type, ID, Key string }

// appliedState is the state that a pack last applied to a node: the base of the three-way comparison. It is stored on
// the OWNS link.
type appliedState struct {
	Properties map[string]policies.Value `json:"properties"`
	Links      []string                  `json:"links"`
}

// packContents maps the nodes of a pack, by "section key", to the hash of their last applied state. It is stored on the
// pack, because a deleted node loses its OWNS link.
type packContents map[string]string

// decodeContents decodes the contents of a pack; empty for a pack applied by a version that did not store them.
func decodeContents(stored []any) packContents {
	had := packContents{}
	for _, entry := range graph.Texts(stored) {
		if hash, id, ok := strings.Cut(entry, " "); ok {
			had[id] = hash
		}
	}
	return had
}

func (b packContents) entries() []string {
	entries := make([]string, 0, len(b))
	for id, hash := range b {
		entries = append(entries, hash+" "+id)
	}
	slices.Sort(entries)
	return entries
}

// PlannedChange is one change that applying a pack makes.
type PlannedChange struct {
	Action  string         `json:"action" jsonschema:"create, update, adopt, remove, left, drift"`
	Section string         `json:"section"`
	Name    string         `json:"name"`
	From    map[string]any `json:"from,omitempty" jsonschema:"live values that change, or that differ from the pack's"`
	To      map[string]any `json:"to,omitempty" jsonschema:"new values, or the values of the pack"`
	Deleted bool           `json:"deleted,omitempty" jsonschema:"true if somebody deleted the node from the graph"`

	item       *pack.Item
	node       *graphNode
	annotated  bool           // drift that consists only of properties that nothing reads
	properties map[string]any // after the change
	missing    []pack.Link    // links to make
	cut        []graphLink    // links to remove
}

// planned returns a change without values of an item.
func planned(action string, item *pack.Item, node *graphNode) PlannedChange {
	return PlannedChange{Action: action, Section: item.Section.Name, Name: item.Key, From: map[string]any{},
		To: map[string]any{}, item: item, node: node}
}

// byKey groups nodes by "section key".
func byKey(nodes []graphNode) map[string][]*graphNode {
	groups := map[string][]*graphNode{}
	for i := range nodes {
		id := nodes[i].Section + " " + nodes[i].Key
		groups[id] = append(groups[id], &nodes[i])
	}
	return groups
}

// plan compares, property by property, the last applied state (base), the graph (graphNode) and the pack (new). What
// the pack changed is set. What only the graph changed is preserved and shown as drift, unless overwrite. A missing
// node of the pack was deleted manually, which is drift, too. It returns the pack without items that another pack still
// owns, see ApplyConfigured.
func plan(p pack.Pack, nodes []graphNode, had packContents, o ApplyOptions) (pack.Pack, []PlannedChange, error) {
	byKey := byKey(nodes)
	var changes []PlannedChange
	var foreign []string
	elsewhere := map[string]bool{}
	for i := range p.Items {
		item := &p.Items[i]
		id := item.Section.Name + " " + item.Key
		found := byKey[id]
		delete(byKey, id)
		switch {
		case len(found) > 1:
			return p, nil, apperr.Newf(apperr.Conflict, "%d %s nodes are called '%s'", len(found), item.Section.Label,
				item.Key).
				WithHint("Remove or rename all but one. Nothing was applied")
		case len(found) == 0 && had[id] == hashOf(item) && !o.Overwrite && !o.configured:
			change := planned("drift", item, nil)
			change.Deleted = true
			changes = append(changes, change)
		case len(found) == 0:
			change := planned("create", item, nil)
			change.To, change.properties, change.Deleted = item.Properties, item.Properties, had[id] != ""
			changes = append(changes, change)
		case found[0].Owner != p.Name && o.configured:
			switch stays, taken := resolveUnowned(item, found[0], p.Name); {
			case stays:
				elsewhere[id] = true
			case taken:
				changes = append(changes, planItem(item, found[0], p.Name, true)...)
			default:
				foreign = append(foreign, item.Section.Label+" '"+item.Key+"'"+owned(found[0].Owner))
			}
		case found[0].Owner != p.Name && !o.Adopt:
			foreign = append(foreign, item.Section.Label+" '"+item.Key+"'"+owned(found[0].Owner))
		default:
			changes = append(changes, planItem(item, found[0], p.Name, o.Overwrite)...)
		}
	}
	if len(foreign) > 0 && o.configured {
		return p, nil, apperr.Newf(apperr.Conflict, "The graph has %s, which differs from '%s'",
			strings.Join(foreign, ", "), p.File).
			WithHint("Rename it in the file or in the graph, or reset a changed shipped pack with `apply_packs` and `overwrite`. Nothing was applied").
			With("nodes", foreign)
	}
	if len(foreign) > 0 {
		return p, nil, apperr.Newf(apperr.Conflict, "The pack '%s' does not own %s", p.Name,
			strings.Join(foreign, ", ")).
			WithHint("Nothing was applied. Pass `adopt` to take them over with their live values; add `overwrite` to set the pack's values").
			With("nodes", foreign)
	}
	if len(elsewhere) > 0 {
		p = p.Without(func(item pack.Item) bool { return elsewhere[item.Section.Name+" "+item.Key] })
	}
	return p, append(changes, unnamedNodes(byKey, p.Name, o)...), nil
}

// readBase returns the last applied state of the node, with the pack's mode even if a different mode was chosen. An
// unreadable state is empty: every difference is then drift, and no edit is lost.
func (n graphNode) readBase() (base appliedState, ok bool) {
	if n.Applied != "" && json.Unmarshal([]byte(n.Applied), &base) != nil {
		return appliedState{}, false
	}
	return base, true
}

// hashOf returns the hash of an item.
func hashOf(item *pack.Item) string { return policies.Version(item.Properties, item.LinkTexts()) }

// ownedByAuthor reports whether a property that no pack named belongs to the author of the node: Nomograph did not
// create the node, and packs give the property no meaning.
func (n graphNode) ownedByAuthor(key string) bool {
	return n.Properties["uid"] == nil && !pack.SectionOf(n.Section).Means(key)
}

// keys returns the properties by which the node is compared with the pack's current and previous content.
func (n graphNode) keys(content map[string]any, base map[string]policies.Value) []string {
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(n.Properties)),
		func(key string) bool { return slices.Contains(policies.Identity, key) || n.ownedByAuthor(key) })
	keys = slices.AppendSeq(slices.AppendSeq(keys, maps.Keys(content)), maps.Keys(base))
	return lists.Union(keys)
}

// unnamedLinks returns the links of the node that no pack named. On a foreign node they belong to its author, except
// for rows.
func (n graphNode) unnamedLinks(named ...[]string) (links []graphLink) {
	for _, link := range n.Links {
		known := slices.ContainsFunc(named, func(texts []string) bool { return slices.Contains(texts, link.text()) })
		if !known && (n.Properties["uid"] != nil || link.Type == "HAS_ROW") {
			links = append(links, link)
		}
	}
	return links
}

// hasDrift reports whether the node differs from the last applied state, apart from properties for which ignore returns
// true.
func (n graphNode) hasDrift(ignore func(key string) bool) bool {
	base, ok := n.readBase()
	if !ok || len(n.unnamedLinks(base.Links)) > 0 {
		return true
	}
	base.Properties = withMode(base.Properties, n.Mode, policies.ValueOf(n.Mode))
	for _, key := range n.keys(nil, base.Properties) {
		value, ok := n.Properties[key]
		if old, had := base.Properties[key]; (had || ignore == nil || !ignore(key)) &&
			(ok != had || !policies.Same(value, old.Any())) {
			return true
		}
	}
	have := graphTexts(n.Links)
	return slices.ContainsFunc(base.Links, func(text string) bool { return !slices.Contains(have, text) })
}

// withMode returns the properties with a chosen mode, if there is one.
func withMode[V any](properties map[string]V, mode string, value V) map[string]V {
	if mode == "" {
		return properties
	}
	chosen := maps.Clone(properties)
	if chosen == nil {
		chosen = map[string]V{}
	}
	chosen["mode"] = value
	return chosen
}

func owned(by string) string {
	if by == "" {
		return ""
	}
	return " (of the pack '" + by + "')"
}

// planItem plans the changes of a node.
func planItem(item *pack.Item, node *graphNode, pack string, overwrite bool) []PlannedChange {
	var base appliedState
	adopted := node.Owner != pack
	if !adopted {
		base, _ = node.readBase()
	}
	says := item.Properties
	if !adopted && !overwrite { // a chosen mode has precedence over the pack's
		says = withMode(says, node.Mode, any(node.Mode))
		base.Properties = withMode(base.Properties, node.Mode, policies.ValueOf(node.Mode))
	}
	next := maps.Clone(node.Properties)
	update, drift := planned("update", item, node), planned("drift", item, node)
	drift.annotated = true
	if adopted {
		update.Action = "adopt"
	}
	for _, key := range node.keys(says, base.Properties) {
		wanted, inPack := says[key]
		old, inBase := base.Properties[key]
		have, inGraph := node.Properties[key]
		if inPack == inGraph && (!inPack || policies.Same(wanted, have)) {
			continue
		}
		changedByPack := inPack != inBase || inPack && !policies.Same(wanted, old.Any())
		// An adopted node keeps its properties and gets only missing ones.
		if adopted {
			changedByPack = !inGraph
		}
		target := &update
		annotation := !inPack && !inBase && !item.Reads(key)
		if !changedByPack && !overwrite || annotation {
			target = &drift
			drift.annotated = drift.annotated && annotation
		} else if inPack {
			next[key] = wanted
		} else {
			delete(next, key)
		}
		target.From[key], target.To[key] = graph.JSON(have), wanted
	}
	update.properties, drift.properties = next, next
	missing, cut, removed := linkDifference(*item, node, base, adopted || overwrite)
	added := node.unnamedLinks(item.LinkTexts(), base.Links)
	if overwrite {
		cut, added = append(cut, added...), nil
	}
	update.missing, update.cut = missing, cut
	if len(removed)+len(added) > 0 {
		drift.annotated = false
		drift.From["links"], drift.To["links"] = policies.NullIfNone(graphTexts(added)), policies.NullIfNone(removed)
	}
	var changes []PlannedChange
	if len(update.To) > 0 || adopted || len(missing)+len(cut) > 0 {
		changes = append(changes, update)
	}
	if len(drift.To) > 0 {
		changes = append(changes, drift)
	}
	return changes
}

// linkDifference compares links like properties: new links of the pack are missing, its former ones are cut, and
// manually removed ones stay removed unless restore is set.
func linkDifference(i pack.Item, node *graphNode, base appliedState, restore bool) (missing []pack.Link,
	cut []graphLink, removed []string) {
	have := make(map[string]graphLink, len(node.Links))
	for _, link := range node.Links {
		have[link.text()] = link
	}
	wanted, had := make(map[string]bool, len(i.Links)),
		make(map[string]bool, len(base.Links)) // with a size, because an atlas may have thousands of links
	for _, text := range base.Links {
		had[text] = true
	}
	for _, link := range i.Links {
		wanted[link.Text()] = true
		if _, ok := have[link.Text()]; ok {
			continue
		}
		if had[link.Text()] && !restore {
			removed = append(removed, link.Text())
			continue
		}
		missing = append(missing, link)
	}
	for _, text := range base.Links {
		if link, ok := have[text]; ok && !wanted[text] {
			cut = append(cut, link)
		}
	}
	return missing, cut, removed
}

func (l graphLink) text() string { return l.Type + " " + l.Key }

// unnamedNodes are nodes that the pack no longer names. They stay, owned by the pack, until prune. A node that was
// changed in the graph also needs overwrite, so that no rule stays in force without a pack.
func unnamedNodes(byKey map[string][]*graphNode, pack string, o ApplyOptions) []PlannedChange {
	var changes []PlannedChange
	for _, id := range slices.Sorted(maps.Keys(byKey)) {
		for _, node := range byKey[id] {
			if node.Owner != pack {
				continue
			}
			action := "left"
			if o.Prune && (o.Overwrite || !node.hasDrift(nil)) {
				action = "remove"
			}
			changes = append(changes, PlannedChange{Action: action, Section: node.Section, Name: node.Key, node: node})
		}
	}
	return changes
}

// checkBounds refuses changes that leave a threshold outside of its bounds. Values that were set manually stay; lint
// reports them.
func (c PlannedChange) checkBounds() error {
	if c.Section != "thresholds" || c.properties == nil || c.Action == "drift" {
		return nil
	}
	for _, key := range []string{"value", "min", "max", "unit"} {
		if _, touched := c.To[key]; touched {
			return policies.CheckBounds(c.Name, c.properties)
		}
	}
	return nil
}

// checkReturn refuses to restore a value outside of the threshold's current bounds.
func (c PlannedChange) checkReturn() error {
	if c.Section != "thresholds" || c.properties == nil {
		return nil
	}
	now := c.properties // the properties to set, for a node that is created again
	if c.node != nil {
		now = c.node.Properties
	}
	return policies.CheckBounds(c.Name, map[string]any{"value": c.properties["value"], "min": now["min"],
		"max": now["max"], "unit": now["unit"]})
}
