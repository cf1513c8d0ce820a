package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/sessions/manifest"
)

// AtlasesQuery asks for all atlases.
type AtlasesQuery struct{}

// AtlasList holds every atlas that the caller may see, by id.
type AtlasList struct {
	Atlases []AtlasRow `json:"atlases"`
	Total   int        `json:"total"`
}

// AtlasRow is an atlas in a list.
type AtlasRow struct {
	AtlasID      string            `json:"atlas_id"`
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	Project      string            `json:"project,omitempty" jsonschema:"project whose callers see it; empty for everyone"`
	Domains      []string          `json:"domains" mapstructure:"-"`
	Contexts     int64             `json:"contexts" jsonschema:"number of contexts"`
	Policies     int64             `json:"policies" jsonschema:"number of owned rules"`
	Dependencies map[string]string `json:"dependencies,omitempty" mapstructure:"-" jsonschema:"atlases it depends on, with versions"`
	LoadedAt     *time.Time        `json:"loaded_at,omitempty" jsonschema:"time of the last change of its text"`
}

// rows returns the atlases that the caller may see.
func (s *Store) rows(ctx context.Context) ([]AtlasRow, error) {
	found, err := graph.All[struct {
		AtlasRow `mapstructure:",squash"`
		Domains  []any  // other programs write such nodes, too
		Needs    string `mapstructure:"dependencies"` // JSON
	}](ctx, s.graph, cypher.AtlasesList, nil)
	rows := make([]AtlasRow, len(found))
	for i, row := range found {
		rows[i] = row.AtlasRow
		rows[i].Domains = graph.Texts(row.Domains)
		_ = json.Unmarshal([]byte(row.Needs), &rows[i].Dependencies) // invalid JSON written by others is ignored
	}
	return rows, err
}

// Atlases lists the atlases.
func (s *Store) Atlases(ctx context.Context, _ AtlasesQuery) (AtlasList, error) {
	rows, err := s.rows(ctx)
	return AtlasList{rows, len(rows)}, err
}

// AtlasQuery selects an atlas to export.
type AtlasQuery struct {
	AtlasID string `json:"atlas_id" jsonschema:"atlas id" rule:"minLength=1,maxLength=200"`
	Format  string `json:"format,omitempty" jsonschema:"format of the text" rule:"enum=yaml|json,default=\"yaml\""`
}

// AtlasText is an atlas as text, with its current contexts.
type AtlasText struct {
	AtlasID  string `json:"atlas_id"`
	Version  string `json:"version"`
	Contexts int    `json:"contexts"`
	Text     string `json:"text" jsonschema:"the manifest" recorded:"exact"`
}

// Export writes an atlas as a manifest with its current contexts and policies. It returns not_found with the existing
// ids.
func (s *Store) Export(ctx context.Context, q AtlasQuery) (AtlasText, error) {
	tree, live, err := s.tree(ctx, q.AtlasID)
	if err != nil {
		return AtlasText{}, err
	}
	out := AtlasText{AtlasID: q.AtlasID, Contexts: len(live.Contexts)}
	out.Version, _ = live.Atlas["version"].(string)
	if q.Format == "json" {
		var raw []byte
		raw, err = render.JSON(tree)
		out.Text = string(raw)
	} else {
		out.Text, err = manifest.YAML(tree)
	}
	return out, err
}

// tree returns the manifest of an atlas as a tree.
func (s *Store) tree(ctx context.Context, id string) (map[string]any, manifest.Live, error) {
	found, err := graph.All[manifest.Live](ctx, s.graph, cypher.AtlasContents, graph.Params{"atlas": id})
	if err != nil {
		return nil, manifest.Live{}, err
	}
	if len(found) == 0 {
		return nil, manifest.Live{}, s.notFound(ctx, id)
	}
	return found[0].Tree(), found[0], nil
}

const noAtlas = "No atlas has been loaded yet; load one with `load_atlases`"

// noResults returns the notes of a search without results, or why the search failed.
func (s *Store) noResults(ctx context.Context, notes []string) []string {
	if rows, err := s.rows(ctx); err == nil && len(rows) == 0 {
		return []string{noAtlas}
	}
	return notes
}

// notFound returns the not_found error for an atlas, with the existing ids.
func (s *Store) notFound(ctx context.Context, id string) error {
	const shown = 20
	err := apperr.Newf(apperr.NotFound, "Atlas '%s' not found", id).WithHint("List atlases with `list_atlases`")
	rows, lookupErr := s.rows(ctx)
	if lookupErr != nil || len(rows) == 0 {
		return err.WithHint(noAtlas)
	}
	var ids []string
	for _, row := range rows[:min(len(rows), shown)] {
		ids = append(ids, row.AtlasID)
	}
	if near := apperr.Nearest(id, ids); len(near) > 0 {
		return err.WithHint("Did you mean %s?", "'"+strings.Join(near, "', '")+"'")
	}
	return err.WithHint("Use %s", fmt.Sprint(strings.Join(ids, ", ")))
}
