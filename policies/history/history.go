package history

import (
	"context"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies"
)

// Query selects a page of a history, newest first.
type Query struct {
	policies.Subject
	policies.Page
}

// Entry is one change. A manual edit has the kind observed: it happened after Since, if known, and before At, when it
// was detected.
type Entry struct {
	At      time.Time             `json:"at"`
	Since   *time.Time            `json:"since,omitempty" jsonschema:"for an observed change: it was made between since and at"`
	Kind    string                `json:"kind" jsonschema:"applied, observed, reverted or removed"`
	By      string                `json:"by"`
	Why     string                `json:"reason"`
	From    string                `json:"from,omitempty" jsonschema:"version before"`
	To      string                `json:"to,omitempty" jsonschema:"version after"`
	Scope   string                `json:"scope,omitempty"`
	Changes map[string]Difference `json:"changes" jsonschema:"changed properties"`
}

// Difference is an old and a new value; null means absent.
type Difference struct {
	From any `json:"from"`
	To   any `json:"to"`
}

// History is a page of changes.
type History struct {
	Entries    []Entry `json:"entries"`
	NextCursor string  `json:"next_cursor,omitempty"`
}

// Entries returns the history of a policy, threshold or table, also of a deleted one. It returns not_found if nothing
// was ever recorded under the name.
func (s *Store) Entries(ctx context.Context, q Query) (History, error) {
	if shown, err := s.maySee(ctx, q.Subject); err != nil {
		return History{}, err
	} else if !shown {
		return History{}, s.notFound(ctx, q.Subject)
	}
	type change struct {
		Change   map[string]any
		Versions []any
	}
	rows, cursor, err := policies.ReadNewest(ctx, s.graph, cypher.ChangesOf,
		graph.Params{"label": q.Label(), "name": q.Name}, "", q.Page,
		func(c change) (time.Time, string) { return graph.Time(c.Change, "at"), graph.Text(c.Change, "uid") })
	if err != nil {
		return History{}, err
	}
	if len(rows) == 0 && q.Cursor == "" {
		return History{}, s.notFound(ctx, q.Subject)
	}
	history := History{Entries: make([]Entry, len(rows)), NextCursor: cursor}
	for i, row := range rows {
		if history.Entries[i], err = EntryOf(row.Change, row.Versions); err != nil {
			return History{}, err
		}
	}
	return history, nil
}

// maySee reports whether the caller may see the subject. For an atlas or a context, the caller must see every project
// that the atlas has or had.
func (s *Store) maySee(ctx context.Context, of policies.Subject) (bool, error) {
	who := caller.From(ctx)
	if !who.Limited() || !ofProject(of.Label()) {
		return true, nil
	}
	rows, err := graph.All[struct{ Said, Project string }](ctx, s.graph, cypher.ProjectsOfVersions,
		graph.Params{"label": of.Label(), "name": of.Name})
	if err != nil {
		return false, err
	}
	for _, row := range rows {
		project, known := row.Project, row.Said == ""
		if !known {
			then, err := contentOf(row.Said)
			if err != nil {
				return false, err
			}
			project, known = then.project()
		}
		if known && !who.Sees(project) {
			return false, nil
		}
	}
	return true, nil
}

// ofProject reports whether nodes with a label can belong to a project.
func ofProject(label string) bool {
	return label == policies.LabelsOfKinds[policies.KindAtlas] || label == policies.LabelsOfKinds[policies.KindContext]
}

// project returns the project of a version; "" if it is not a string.
func (p VersionContent) project() (name string, ok bool) {
	value, ok := p.Properties["project"]
	name, _ = value.(string)
	return name, ok
}

// Projects returns the projects that an atlas or a context had in the given version nodes. Only a caller who may see
// all of them may see the change between the versions.
func Projects(label string, versions []any) ([]string, error) {
	if !ofProject(label) {
		return nil, nil
	}
	known, err := decodeVersions(versions)
	var projects []string
	for _, then := range known {
		if project, ok := then.project(); ok {
			projects = append(projects, project)
		}
	}
	return projects, err
}

// decodeVersions decodes versions, by hash.
func decodeVersions(nodes []any) (map[string]VersionContent, error) {
	versions := make(map[string]VersionContent, len(nodes))
	for _, raw := range nodes {
		node, _ := raw.(neo4j.Node) // the statement returns nodes
		hash, _ := node.Props["hash"].(string)
		text, _ := node.Props["properties"].(string)
		then, err := contentOf(text)
		if err != nil {
			return nil, err
		}
		versions[hash] = then
	}
	return versions, nil
}

// notFound returns the not_found error of a name without a history.
func (s *Store) notFound(ctx context.Context, of policies.Subject) error {
	names := map[string]cypher.Statement{"policy": cypher.PolicyNames, "threshold": cypher.ThresholdNames}[of.Kind]
	if names.Name != "" {
		if there, err := policies.NamesFrom(ctx, s.graph, of.Name, names, 1); err != nil || len(there) == 0 ||
			there[0] != of.Name {
			return policies.NotFound(ctx, s.graph, of.Label(), of.Name, names)
		}
	}
	return apperr.Newf(apperr.NotFound, "%s node '%s' has no recorded history", of.Label(), of.Name).
		WithHint("Its history starts with the first change through Nomograph or with `sync_policies`")
}

// EntryOf decodes a change from its node and the nodes of its versions. What a manual edit made unreadable stays empty.
func EntryOf(change map[string]any, versions []any) (Entry, error) {
	known, err := decodeVersions(versions)
	if err != nil {
		return Entry{}, err
	}
	var e Entry
	_ = graph.Decode(change, &e)
	e.Changes = Differences(known[e.From], known[e.To])
	return e, nil
}
