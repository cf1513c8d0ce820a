// Package archive exports Nomograph's part of a graph to a file, and imports it into another graph. A file is JSON
// lines:
//
//	{"nomograph": "export", "format": 1, "at": "...", "server": "Neo4j 5.26.19"}
//	{"node": {"key": "0199...", "labels": ["Decision"], "properties": {"confidence": 0.9, "created_at": {"$datetime": "..."}}}}
//	{"vectors": {"of": "0199...", "properties": {"model": "...", "text": {"$float32": "..."}}}}
//	{"relationship": {"type": "RELATES_TO", "from": "0199...", "to": "0199...", "properties": {"weight": 1.0}}}
//	{"end": {"nodes": 2, "vectors": 1, "relationships": 1, "sha256": "..."}}
//
// Nodes come before vectors, and vectors before relationships. The last line has a checksum of all bytes before it, so
// a truncated or modified file is detected. A key is the node's uid if that is unique (decisions and what belongs to
// them, sessions and events, verdicts, changes), else "element:" and its element id, which is valid only inside the
// file.
//
// Our part is the labels and relationship types that [graph.ModelNames] lists, regardless of their author, except
// locks, applied migrations, and vectors, which can be computed again and are included only on request. Agents,
// projects, tags and patterns are ours if they have a key, and labels that only Nomograph creates if they have a uid,
// because others use such labels, too. Foreign labels, types and nodes are not in the file.
package archive

import (
	_ "embed"
	"slices"
	"strings"

	"nomograph/graph"
)

const format = 1

// kind is a label and how its nodes are identified: a line of kinds.txt.
type kind struct {
	label string
	by    string
	keys  []string
}

const byUID, byKey, byName = "uid", "key", "name"

//go:embed kinds.txt
var kindsFile string

// kinds are those of a file, in order of precedence for a node with several of these labels. excluded are labels of the
// model that are not in a file.
var kinds, excluded = func() (all []kind, excluded []string) {
	for line := range strings.Lines(kindsFile) {
		switch words := strings.Fields(line); {
		case words[0] == "#":
		case words[1] == "none":
			excluded = append(excluded, words[0])
		default:
			all = append(all, kind{words[0], words[1], words[2:]})
		}
	}
	return all, excluded
}()

// countedProperty is the property of a decision with its part of the counters; it means nothing without them.
const countedProperty = "counted_as"

// memoryProperties are the properties of a session with its state in memory. Chunks of its own events and of decisions
// are recomputed; those of an imported conversation are in the file.
var memoryProperties = []string{"remembered", "closed", "chunks", "tokens", "remembered_from", "remembered_to",
	"memory_version"}

// dropLocalProperties removes properties that mean nothing in another graph.
func dropLocalProperties(labels []string, properties map[string]any) {
	delete(properties, countedProperty)
	if slices.Contains(labels, "Session") && properties["kind"] != any("imported") {
		for _, name := range memoryProperties {
			delete(properties, name)
		}
	}
}

// labels and types that a file may contain.
var labels, types = func() (labels, types []string) {
	for _, name := range slices.Sorted(graph.ModelNames()) {
		switch {
		case strings.ToUpper(name) == name:
			types = append(types, name)
		case !slices.Contains(excluded, name):
			labels = append(labels, name)
		}
	}
	return labels, types
}()

// otherLabels are labels that a start gives no node. Agents and search indexes are of no account: tokens and background
// workers make them.
var otherLabels = func() (others []string) {
	for _, k := range kinds {
		if k.by != byName && !slices.Contains([]string{"SYS_Pack", "SYS_Change", "SYS_Version", "SYS_Revision", "Agent",
			"SYS_SearchIndex"}, k.label) {
			others = append(others, k.label)
		}
	}
	return others
}()

// kindOf returns the kind of a node with these labels; none of them may be foreign.
func kindOf(of []string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return slices.Contains(of, k.label) })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// single holds the relationship types of which a node has at most one, and whether the node is its start.
var single = map[string]bool{"CURRENT_VERSION": true, "IN_PROJECT": true, "FOLLOWS": true, "OWNS": false}
