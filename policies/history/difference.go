package history

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/policies"
)

// VersionContent is the content of a version.
type VersionContent struct {
	Properties graph.Parameters   `json:"properties"`
	Links      []string           `json:"links"`
	Rows       []graph.Parameters `json:"rows"`
}

// contentOf decodes the canonical text of a version. An empty text gives an empty content.
func contentOf(canonical string) (VersionContent, error) {
	var p VersionContent
	if canonical == "" {
		return p, nil
	}
	return p, json.Unmarshal([]byte(canonical), &p)
}

// Past converts the content to the form of a version, for comparisons.
func (c Content) Past() (VersionContent, error) {
	return contentOf(policies.Canonical(c.Properties, graph.Texts(c.Links), c.Rows))
}

// Differences compares two contents: properties by name, links under "links", and rows of a table by id.
func Differences(from, to VersionContent) map[string]Difference {
	found := map[string]Difference{}
	compareMaps(found, "", from.Properties, to.Properties)
	without := func(links, others []string) any {
		left := slices.DeleteFunc(slices.Clone(links), func(link string) bool { return slices.Contains(others, link) })
		if len(left) == 0 {
			return nil
		}
		return left
	}
	if less, more := without(from.Links, to.Links), without(to.Links, from.Links); less != nil || more != nil {
		found["links"] = Difference{less, more}
	}
	before, after := from.rows(), to.rows()
	ids := maps.Clone(before)
	maps.Copy(ids, after)
	for id := range ids {
		switch {
		case after[id] == nil:
			found["row "+id] = Difference{From: PlainValue(map[string]any(before[id]))}
		case before[id] == nil:
			found["row "+id] = Difference{To: PlainValue(map[string]any(after[id]))}
		default:
			compareMaps(found, "row "+id+" ", before[id], after[id])
		}
	}
	return found
}

func compareMaps(found map[string]Difference, prefix string, from, to graph.Parameters) {
	for key := range from.With(to) {
		a, b := from[key], to[key]
		if !policies.Same(a, b) {
			found[prefix+key] = Difference{PlainValue(a), PlainValue(b)}
		}
	}
}

func (p VersionContent) rows() map[string]graph.Parameters {
	rows := make(map[string]graph.Parameters, len(p.Rows))
	for _, row := range p.Rows {
		id, _ := row["row_id"].(string)
		rows[id] = row
	}
	return rows
}

// PlainValue returns a value of a version without type markers: {"$Date": "2026-01-31"} becomes 2026-01-31.
func PlainValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if shownForm, _, marked := TypeMarker(v); marked {
			return shownForm
		}
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = PlainValue(item)
		}
		return out
	case []any:
		return lists.Map(v, PlainValue)
	}
	return value
}

// TypeMarker returns the marked type of a value, if any.
func TypeMarker(value map[string]any) (form any, kind string, marked bool) {
	for key, form := range value {
		if len(value) == 1 && len(key) > 1 && key[0] == '$' {
			return form, key[1:], true
		}
	}
	return nil, "", false
}

// DiffQuery selects two states of one policy, threshold or table.
type DiffQuery struct {
	policies.Subject
	From string `json:"from" jsonschema:"a time, or the start of a version's or revision's hash" rule:"minLength=1,maxLength=100"`
	To   string `json:"to,omitempty" jsonschema:"a time, or the start of a version's or revision's hash (default now)" rule:"maxLength=100"`
}

// DiffResult holds the differences and the compared versions.
type DiffResult struct {
	From    string                `json:"from"`
	To      string                `json:"to"`
	Changes map[string]Difference `json:"changes"`
}

// Compare compares two states. It returns the errors of AsOf.
func (s *Store) Compare(ctx context.Context, c DiffQuery) (DiffResult, error) {
	from, err := s.AsOf(ctx, c.Subject, "", c.From)
	if err != nil {
		return DiffResult{}, err
	}
	var to State
	if c.To == "" {
		to, err = s.asOfNow(ctx, c.Subject)
	} else {
		to, err = s.AsOf(ctx, c.Subject, "", c.To)
	}
	if err != nil {
		return DiffResult{}, err
	}
	return DiffResult{From: from.Version, To: to.Version, Changes: Differences(from.VersionContent, to.VersionContent)},
		nil
}
