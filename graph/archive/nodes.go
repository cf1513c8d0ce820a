package archive

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/uid"
)

// candidate is a node of the graph that may match a line. By is "uid", "key", "name" or "content", or the property
// whose value the node has although it does not match.
type candidate struct {
	At         int64
	By, ID     string
	Labels     []any
	Properties map[string]any
}

// plan is the planned action for each line of a batch of nodes.
type plan struct {
	create, replace []any
	known           map[string]string // element ids of matched nodes, by key
	taken           []string
	result          Imported
}

func (i *importer) writeNodes(lines []line) error {
	var p plan
	err := i.db.Write(i.ctx, func(tx *graph.Tx) error { // may be retried
		if err := tx.Run(i.ctx, cypher.PacksLock, nil); err != nil { // prevents concurrent changes of policies
			return err
		}
		here, err := i.find(tx, lines)
		if err == nil && !i.begun && len(i.options.StartReasons) > 0 && !imported(lines, here) {
			if err = tx.Run(i.ctx, cypher.ArchiveStartRemove,
				graph.Params{"reasons": i.options.StartReasons, "others": otherLabels}); err == nil {
				here, err = i.find(tx, lines)
			}
		}
		if err != nil {
			return err
		}
		p = i.plan(lines, here)
		created, err := graph.All[struct {
			At int64
			ID string
		}](i.ctx, tx, cypher.ArchiveNodesCreate, graph.Params{"nodes": p.create})
		if err != nil {
			return err
		}
		for _, row := range created {
			p.remember(lines[row.At].Node, row.ID)
		}
		if len(p.replace) == 0 {
			return nil
		}
		return tx.Run(i.ctx, cypher.ArchiveNodesReplace, graph.Params{"nodes": p.replace})
	})
	if err != nil {
		return err
	}
	i.begun = true
	maps.Copy(i.known, p.known)
	for _, id := range p.taken {
		i.taken[id] = true
	}
	i.result.add(p.result)
	return nil
}

// imported reports whether the graph has a node of these lines, so that it is the graph of the archive, or an import
// of it was interrupted.
func imported(lines []line, here map[int64][]candidate) bool {
	for at, candidates := range here {
		if own := lines[at].Node.Properties["uid"]; own != nil &&
			slices.ContainsFunc(candidates, func(c candidate) bool { return c.Properties["uid"] == own }) {
			return true
		}
	}
	return false
}

// remember stores the node of a line if its uid does not identify it.
func (p *plan) remember(n *node, id string) {
	k, _ := kindOf(n.Labels)
	if k.by != byUID {
		p.known[n.Key] = id
	}
	if k.by == byName {
		p.taken = append(p.taken, id)
	}
}

// find returns the candidates for each line, by the line's index in the batch.
func (i *importer) find(tx *graph.Tx, lines []line) (map[int64][]candidate, error) {
	nodes, nameless := map[string]any{}, []int{}
	for at, l := range lines {
		k, _ := kindOf(l.Node.Labels)
		row := map[string]any{"at": at}
		for _, key := range k.keys {
			row[key] = l.Node.Properties[key]
		}
		if k.by == byName && l.Node.Properties[k.keys[0]] == nil {
			nameless = append(nameless, at)
			continue
		}
		list, _ := nodes[k.label].([]any)
		nodes[k.label] = append(list, row)
	}
	found, err := graph.All[candidate](i.ctx, tx, cypher.ArchiveFind, graph.Params{"nodes": nodes})
	if err != nil {
		return nil, err
	}
	if len(nameless) > 0 && !i.looked {
		if i.nameless, err = graph.All[candidate](i.ctx, tx, cypher.ArchiveNameless, nil); err != nil {
			return nil, err
		}
		i.looked = true
	}
	here := map[int64][]candidate{}
	for _, c := range found {
		here[c.At] = append(here[c.At], c)
	}
	for _, at := range nameless {
		for _, c := range i.nameless {
			if k, _ := kindOf(lines[at].Node.Labels); slices.Contains(c.Labels, any(k.label)) {
				c.By = "content"
				here[int64(at)] = append(here[int64(at)], c)
			}
		}
	}
	for _, list := range here { // oldest first, as the file has them
		slices.SortFunc(list, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
		})
	}
	return here, nil
}

func (i *importer) plan(lines []line, here map[int64][]candidate) plan {
	p := plan{known: map[string]string{}, create: []any{}}
	matched := i.choose(lines, here)
	for at, l := range lines {
		k, _ := kindOf(l.Node.Labels)
		found, ok := matched[at]
		if ok {
			p.remember(l.Node, found.ID)
			differs := differences(l.Node, found, k)
			if len(differs) == 0 {
				p.result.Nodes.Unchanged++
				continue
			}
			if !i.options.Overwrite {
				p.result.Nodes.Conflicts++
				p.result.conflict(Conflict{Line: l.number, What: l.Node.String(), Differs: differs})
				continue
			}
		}
		n, note := l.Node.withoutConflicts(here[int64(at)])
		if note != "" {
			p.result.Nodes.Conflicts++
			p.result.conflict(Conflict{Line: l.number, What: l.Node.String(), Note: note})
		}
		row := map[string]any{"at": at, "labels": n.Labels, "properties": n.Properties}
		switch {
		case n.Labels == nil:
		case ok:
			row["id"] = found.ID
			p.replace = append(p.replace, row)
			p.result.Nodes.Replaced++
		default:
			p.create = append(p.create, row)
			p.result.Nodes.Created++
		}
	}
	return p
}

// choose returns the matching node of each line, if any. Exact matches are made first, so that a line with only a
// similar name does not take the node of another line.
func (i *importer) choose(lines []line, here map[int64][]candidate) map[int]candidate {
	matched, taken := map[int]candidate{}, map[string]bool{}
	for _, fits := range []func(n *node, k kind, c candidate) bool{
		func(n *node, k kind, c candidate) bool {
			return c.By == "uid" || c.By == "key" || k.by == byName && c.Properties["uid"] != nil &&
				c.Properties["uid"] == n.Properties["uid"]
		},
		func(n *node, k kind, c candidate) bool { return k.by == byName && len(differences(n, c, k)) == 0 },
		func(n *node, _ kind, c candidate) bool {
			return c.By == "name" && scope(n.Properties) == scope(c.Properties)
		},
	} {
		for at, l := range lines {
			k, _ := kindOf(l.Node.Labels)
			if _, done := matched[at]; done {
				continue
			}
			for _, c := range here[int64(at)] {
				if !i.taken[c.ID] && !taken[c.ID] && fits(l.Node, k, c) {
					matched[at], taken[c.ID] = c, k.by == byName
					break
				}
			}
		}
	}
	return matched
}

// scope returns the scopes of a node, which distinguish nodes with the same name.
func scope(properties map[string]any) string {
	return text(properties["domain_scope"]) + " " + text(properties["scope"])
}

// differences returns the names of properties that differ between a line and its node. The uid and schema_version
// count only if the uid identifies the node; when and by whom a pack was applied never counts. A version or revision
// is identified by its hash, so nothing else counts.
func differences(n *node, c candidate, k kind) []string {
	if k.label == "SYS_Version" || k.label == "SYS_Revision" {
		return nil
	}
	names := maps.Clone(n.Properties)
	maps.Copy(names, c.Properties)
	differs := []string{}
	for name := range names {
		if name == countedProperty || k.label == "SYS_Pack" && strings.HasPrefix(name, "applied_") ||
			k.label == "Session" && slices.Contains(memoryProperties, name) || k.by != byUID &&
			(name == "uid" || name == "schema_version") {
			continue
		}
		if text(n.Properties[name]) != text(c.Properties[name]) {
			differs = append(differs, name)
		}
	}
	for _, label := range n.Labels {
		if !slices.Contains(c.Labels, any(label)) {
			differs = append(differs, "label "+label)
		}
	}
	slices.Sort(differs)
	return differs
}

// text encodes a value in the form of a file. Two values have the same text only if they are equal.
func text(value any) string {
	inForm, err := encodeValue(value)
	if err != nil { // absent, or of a type that no file can hold
		return fmt.Sprintf("%T", value)
	}
	out, _ := json.Marshal(inForm) // cannot fail: encodeValue returns plain JSON values
	return string(out)
}

// withoutConflicts returns the node without values that must be unique and belong to other nodes, and a note about
// each. A node that cannot be created has no labels.
func (n *node) withoutConflicts(others []candidate) (node, string) {
	made := node{n.Key, n.Labels, n.Properties}
	if slices.Contains(n.Labels, "Decision") {
		made.Labels = append(slices.Clone(n.Labels), "Unindexed", "Uncounted", "Unremembered")
	}
	switch {
	case slices.Contains(n.Labels, "Session") && n.Properties["kind"] != any("imported"):
		made.Labels = append(slices.Clone(n.Labels), "Unremembered")
	case slices.Contains(n.Labels, "Chunk"):
		made.Labels = append(slices.Clone(n.Labels), "UnindexedChunk")
	case slices.Contains(n.Labels, "PeerDecision"): // decisions of peers are counted but not indexed for search
		made.Labels = append(slices.Clone(n.Labels), "Uncounted")
	}
	var notes []string
	change := func(property string, value any) {
		if made.Properties = maps.Clone(made.Properties); value == nil {
			delete(made.Properties, property)
			notes = append(notes, fmt.Sprintf("another node has its %s, so it was created without it", property))
			return
		}
		made.Properties[property] = value
		notes = append(notes, fmt.Sprintf("another node has its %s, so it was created with %v", property, value))
	}
	for _, other := range others {
		switch other.By {
		case "id":
			if slices.Contains(n.Labels, "Session") {
				change("id", n.Key)
				break
			}
			const digits = 8
			change("id", strings.ReplaceAll(uid.Random(), "-", "")[:digits])
		case "external_id", "request_key":
			change(other.By, nil)
		case "seq":
			return node{}, "the session already has a different event at this position"
		case "position":
			return node{}, "the session already has a different chunk at this position"
		}
	}
	return made, strings.Join(notes, "; ")
}

// String returns the node's kind and name for messages.
func (n *node) String() string {
	k, _ := kindOf(n.Labels)
	for _, name := range append(slices.Clone(k.keys), "name", "id") {
		if value, ok := n.Properties[name].(string); ok && name != "uid" {
			return k.label + " " + value
		}
	}
	return k.label + " " + n.Key
}
