package tools

import (
	"cmp"
	"context"

	"nomograph/access"
	"nomograph/cypher"
	"nomograph/graph"
)

// Name is something that can be named, and what a person knows it by.
type Name struct {
	Name  string `json:"name"`
	Title string `json:"title" jsonschema:"what a person knows it by; may be empty"`
}

// NameQuery asks for names that begin with some letters.
type NameQuery struct {
	Kind   string `json:"kind" rule:"enum=policy|threshold|table|pack|decision|verdict|session|circuit|atlas"`
	Prefix string `json:"prefix,omitempty" jsonschema:"how they begin; nothing for all" rule:"maxLength=200"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many at most" rule:"minimum=1,maximum=1000,default=100"`
}

// NameList is what there is to be named.
type NameList struct {
	Names []Name `json:"names" jsonschema:"in order; of verdicts the newest first"`
}

// mostNames is the default of NameQuery.Limit.
const mostNames = 100

var nameOperations = []Operation{
	define(Operation{
		Name:       "list_names",
		Title:      "Names",
		Toolset:    "explore",
		Use:        "Names that begin with some letters, with titles: what the tab key completes. Of policies, thresholds, tables, packs, decisions, verdicts, sessions, circuits or atlases.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "names", Args: []string{"kind", "prefix"}},
		REST:       "GET /v1/names/{kind}",
	}, func(ctx context.Context, env *Env, in NameQuery) (NameList, error) {
		names, err := Names[in.Kind](ctx, env, in.Prefix, cmp.Or(in.Limit, mostNames))
		return NameList{append([]Name{}, names...)}, err
	}),
}

// Names completes the names of what operations ask for: those that begin with prefix, at most limit, of what the caller may see.
var Names = map[string]func(ctx context.Context, env *Env, prefix string, limit int) ([]Name, error){
	"policy":    namesBy(cypher.PoliciesComplete, ofAll),
	"threshold": namesBy(cypher.ThresholdsComplete, ofAll),
	"table":     namesBy(cypher.TablesComplete, ofAll),
	"pack":      namesBy(cypher.PacksComplete, ofAll),
	"decision":  namesBy(cypher.DecisionsComplete, ofProjects),
	"verdict":   namesBy(cypher.VerdictsComplete, unlimited),
	"session":   namesBy(cypher.SessionsComplete, unlimited),
	"circuit":   namesBy(cypher.CircuitsComplete, unlimited),
	"atlas":     namesBy(cypher.AtlasesComplete, unlimited),
}

// Who may be told of names.
const (
	ofAll      = iota // everybody: they belong to no project
	ofProjects        // the statement leaves out what the caller may not see
	unlimited         // only who may see all projects
)

func namesBy(statement cypher.Statement, told int) func(context.Context, *Env, string, int) ([]Name, error) {
	return func(ctx context.Context, env *Env, prefix string, limit int) ([]Name, error) {
		if told == unlimited && access.From(ctx).Limited() {
			return nil, nil
		}
		return graph.All[Name](ctx, env.Graph, statement, graph.Params{"prefix": prefix, "limit": limit})
	}
}
