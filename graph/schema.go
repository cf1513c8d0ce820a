package graph

import (
	"cmp"
	"context"
	_ "embed"
	"iter"
	"maps"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// SchemaQuery selects labels of the schema.
type SchemaQuery struct {
	Labels []string `json:"labels,omitempty" jsonschema:"filter by labels; always includes their properties" rule:"maxItems=50"`
}

// Schema describes a graph for authors of queries. Counts come from the server's statistics, properties from a sample
// of nodes.
type Schema struct {
	Labels        []LabelInfo        `json:"labels"`
	Relationships []RelationshipInfo `json:"relationships"`
	Indexes       []IndexInfo        `json:"indexes"`
	Note          string             `json:"note,omitempty"`
}

// LabelInfo is a label with its number of nodes and their properties.
type LabelInfo struct {
	Label      string            `json:"label"`
	Count      int64             `json:"count"`
	About      string            `json:"about,omitempty"`
	Properties map[string]string `json:"properties,omitempty" jsonschema:"type by property name; several types if nodes differ; ? if some nodes lack it"`
}

// RelationshipInfo is a relationship type with the labels at its ends.
type RelationshipInfo struct {
	Type  string   `json:"type"`
	Count int64    `json:"count"`
	From  []string `json:"from"`
	To    []string `json:"to"`
	About string   `json:"about,omitempty"`
}

// IndexInfo is an index that queries can use.
type IndexInfo struct {
	Name       string   `json:"name"`
	Type       string   `json:"type" jsonschema:"RANGE, TEXT, POINT, FULLTEXT or VECTOR"`
	On         []string `json:"on" jsonschema:"labels or relationship types"`
	Properties []string `json:"properties"`
}

const (
	sampledNodes = 100
	sampleLabels = 25 // with more labels, properties are listed only for labels requested by name
)

// Schema reads the schema from the server's statistics and a sample of each label, so its cost does not depend on the
// size of the graph. For an unknown label it returns not_found with the existing labels.
func (db *DB) Schema(ctx context.Context, q SchemaQuery) (Schema, error) {
	counts, err := One[counts](ctx, db, cypher.Counts, nil)
	if err != nil {
		return Schema{}, err
	}
	schema := Schema{Labels: counts.labels(), Relationships: counts.types(), Indexes: []IndexInfo{}}
	if err := schema.project(q.Labels); err != nil {
		return Schema{}, err
	}
	if len(q.Labels) == 0 && len(schema.Labels) > sampleLabels {
		schema.Note = "Properties are left out, since there are many labels: name some in labels"
	} else if err := db.sample(ctx, schema.Labels); err != nil {
		return Schema{}, err
	}
	indexes, err := All[struct {
		Name, Type                string
		LabelsOrTypes, Properties []string
	}](ctx, db, cypher.Indexes, nil)
	if err != nil {
		return Schema{}, err
	}
	for _, i := range indexes {
		if len(q.Labels) == 0 || slices.ContainsFunc(i.LabelsOrTypes,
			func(l string) bool { return slices.Contains(q.Labels, l) }) {
			schema.Indexes = append(schema.Indexes, IndexInfo{i.Name, i.Type, i.LabelsOrTypes, i.Properties})
		}
	}
	return schema, nil
}

func (db *DB) sample(ctx context.Context, labels []LabelInfo) error {
	for i := range labels {
		// A label parameter cannot use an index, so the label is part of the text: quoted, and known to exist.
		statement := cypher.PropertiesOfLabel.With("`__LABEL__`", "`"+strings.ReplaceAll(labels[i].Label, "`", "``")+
			"`")
		found, err := All[struct {
			Name  string
			Types []string
			Nodes int64
		}](ctx, db, statement, Params{"sample": sampledNodes})
		if err != nil {
			return err
		}
		labels[i].Properties = map[string]string{}
		for _, p := range found {
			slices.Sort(p.Types)
			text := strings.Join(p.Types, " | ")
			if p.Nodes < min(labels[i].Count, sampledNodes) {
				text += " ?"
			}
			labels[i].Properties[p.Name] = text
		}
	}
	return nil
}

// counts are the server's statistics.
type counts struct {
	Nodes []struct {
		Label string
		Count int64
	}
	Relationships []struct {
		RelationshipType string `mapstructure:"relationshipType"`
		StartLabel       string `mapstructure:"startLabel"`
		EndLabel         string `mapstructure:"endLabel"`
		Count            int64
	}
}

func (c counts) labels() []LabelInfo {
	labels := make([]LabelInfo, len(c.Nodes))
	for i, n := range c.Nodes {
		labels[i] = LabelInfo{Label: n.Label, Count: n.Count, About: meanings[n.Label]}
	}
	slices.SortFunc(labels, func(a, b LabelInfo) int { return cmp.Compare(a.Label, b.Label) })
	return labels
}

func (c counts) types() []RelationshipInfo {
	byType := map[string]*RelationshipInfo{}
	for _, r := range c.Relationships {
		t := byType[r.RelationshipType]
		if t == nil {
			t = &RelationshipInfo{Type: r.RelationshipType, From: []string{}, To: []string{},
				About: meanings[r.RelationshipType]}
			byType[r.RelationshipType] = t
		}
		switch {
		case r.StartLabel != "":
			t.From = append(t.From, r.StartLabel)
		case r.EndLabel != "":
			t.To = append(t.To, r.EndLabel)
		default:
			t.Count = r.Count
		}
	}
	types := make([]RelationshipInfo, 0, len(byType))
	for _, t := range byType {
		slices.Sort(t.From)
		slices.Sort(t.To)
		types = append(types, *t)
	}
	slices.SortFunc(types, func(a, b RelationshipInfo) int { return cmp.Compare(a.Type, b.Type) })
	return types
}

// project selects labels and the relationships at them.
func (s *Schema) project(labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	for _, label := range labels {
		if !slices.ContainsFunc(s.Labels, func(l LabelInfo) bool { return l.Label == label }) {
			there := lists.Map(s.Labels, func(l LabelInfo) string { return l.Label })
			return apperr.Newf(apperr.NotFound, "Label '%s' not found", label).
				WithHint("Labels: %s", strings.Join(there, ", ")).With("labels", there)
		}
	}
	s.Labels = slices.DeleteFunc(s.Labels, func(l LabelInfo) bool { return !slices.Contains(labels, l.Label) })
	touches := func(label string) bool { return slices.Contains(labels, label) }
	s.Relationships = slices.DeleteFunc(s.Relationships, func(r RelationshipInfo) bool {
		return !slices.ContainsFunc(r.From, touches) && !slices.ContainsFunc(r.To, touches)
	})
	return nil
}

// ModelNames returns the labels and relationship types of our model. Relationship types have no lower-case letters.
func ModelNames() iter.Seq[string] { return maps.Keys(meanings) }

// meaningsFile describes our model; foreign labels are described by their names only. A line has a label or relationship
// type and its meaning.
//
//go:embed meanings.txt
var meaningsFile string

var meanings = func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(meaningsFile) {
		name, meaning, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = meaning
	}
	return all
}()
