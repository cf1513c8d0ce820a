package pages

import (
	"cmp"
	"encoding/json"
	"slices"

	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/sessions"
)

// atlases is the data of the list of atlases, with the agents that received contexts.
type atlases struct {
	*listing
	Usage *listing
}

func showAtlases(v *Visit) (any, error) {
	list, err := v.list(atlasesList)
	if err != nil {
		return list, err
	}
	usage, err := v.list(receivers)
	return atlases{list, usage}, err
}

// atlas is the data of an atlas's page: what its manifest contains now, and its history.
type atlas struct {
	governed
	sessions.AtlasRow
	Manifest atlasManifest
	Given    map[string]sessions.FeedbackSummary // by context
}

// PageTitle returns the name.
func (a atlas) PageTitle() string { return cmp.Or(a.AtlasRow.Name, a.AtlasID) }

// atlasManifest holds the parts of a manifest that the page shows.
type atlasManifest struct {
	Contexts []contextBlock `json:"context_blocks"`
	Policies []struct {
		ID      string   `json:"policy_id"`
		Type    string   `json:"type"`
		Actions []string `json:"actions"`
		Reason  string   `json:"reason"`
		Mode    string   `json:"mode"`
	} `json:"policies"`
	Actions []struct {
		ID   string `json:"action_id"`
		Name string `json:"name"`
		Tier string `json:"risk_tier"`
	} `json:"actions"`
}

// contextBlock is a context that agents receive. Also lists the chain of contexts that are given with it.
type contextBlock struct {
	ID       string   `json:"context_id"`
	Name     string   `json:"name"`
	Content  string   `json:"content"`
	Kind     string   `json:"content_type"`
	Mode     string   `json:"inject_mode"`
	Keywords []string `json:"keywords"`
	Also     []string `json:"also_inject"`
	When     []string `json:"inject_when"`
}

// Markdown reports whether the content is Markdown.
func (c contextBlock) Markdown() bool { return c.Kind == "" || c.Kind == "text/markdown" }

func showAtlas(v *Visit) (any, error) {
	a := atlas{governed: governed{Kind: policies.KindAtlas, Name: v.PathValue("id")}}
	text, err := Call[sessions.AtlasText](v, "export_atlas",
		sessions.AtlasQuery{AtlasID: a.governed.Name, Format: "json"})
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text.Text), &a.Manifest); err != nil { // other programs write such nodes, too
		return nil, apperr.Newf(apperr.Conflict, "Atlas '%s' has properties of unexpected types: %v", a.governed.Name,
			err).WithHint("Load its manifest again")
	}
	list, err := Call[sessions.AtlasList](v, "cra_list_atlases", sessions.AtlasesQuery{})
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list.Atlases, func(row sessions.AtlasRow) bool {
		return row.AtlasID == a.governed.Name
	}); i >= 0 {
		a.AtlasRow = list.Atlases[i]
	}
	const contextsRead = 500
	votes, err := callIfMay[sessions.FeedbackList](v, "get_context_feedback",
		sessions.FeedbackQuery{Limit: contextsRead})
	if err != nil {
		return nil, err
	}
	a.Given = map[string]sessions.FeedbackSummary{}
	for _, vote := range votes.Contexts {
		a.Given[vote.ContextID] = vote.Summary
	}
	return a, a.remember(v)
}

// atlasFile returns the manifest with its current contexts as YAML.
func atlasFile(v *Visit) (Answer, error) {
	text, err := Call[sessions.AtlasText](v, "export_atlas",
		sessions.AtlasQuery{AtlasID: v.PathValue("id"), Format: "yaml"})
	return File(text.AtlasID+".yaml", "application/yaml", text.Text), err
}
