package tools

import (
	"cmp"
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/caller"
)

// Name is a name with a title.
type Name struct {
	Name  string `json:"name"`
	Title string `json:"title" jsonschema:"title; may be empty"`
}

// NameQuery is a search for names with a prefix.
type NameQuery struct {
	Kind   string `json:"kind" rule:"enum=policy|threshold|table|pack|decision|verdict|session|circuit|atlas"`
	Prefix string `json:"prefix,omitempty" jsonschema:"prefix; empty for all" rule:"maxLength=200"`
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=1000,default=100"`
}

// NameList is the result of list_names.
type NameList struct {
	Names []Name `json:"names" jsonschema:"sorted; verdicts newest first"`
}

// maxNames is the default of NameQuery.Limit.
const maxNames = 100

var nameOperations = inToolset("explore",
	define(Operation{
		Name:       "list_names",
		Title:      "Names",
		Use:        "List names that begin with a prefix, for completion. Kinds: policies, thresholds, tables, packs, decisions, verdicts, sessions, circuits, atlases.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "names KIND PREFIX",
		REST:       "GET /v1/names/{kind}",
	}, func(ctx context.Context, app *App, in NameQuery) (NameList, error) {
		names, err := Names[in.Kind].list(ctx, app, in.Prefix, cmp.Or(in.Limit, maxNames))
		return NameList{names}, err
	}),
)

// Names are the kinds of names for completion. Each needs the permission of the operation that lists the same nodes.
var Names = map[string]completion{
	"policy":    {cypher.PoliciesComplete, Read, AllProjects},
	"threshold": {cypher.ThresholdsComplete, Read, AllProjects},
	"table":     {cypher.TablesComplete, Read, AllProjects},
	"pack":      {cypher.PacksComplete, Read, Filtered},
	"decision":  {cypher.DecisionsComplete, Read, Filtered},
	"verdict":   {cypher.VerdictsComplete, Read, Filtered},
	"session":   {cypher.SessionsComplete, Query, ""},
	"circuit":   {cypher.CircuitsComplete, Read, ""},
	"atlas":     {cypher.AtlasesComplete, Read, Filtered},
}

// completion is the source of names of one kind. The statement omits names that the caller may not see.
type completion struct {
	statement  cypher.Statement
	permission Permission
	scope      Scope
}

// list returns names if the caller has the permission. For sessions, callers without it get their own.
func (c completion) list(ctx context.Context, app *App, prefix string, limit int) ([]Name, error) {
	params := graph.Params{"prefix": prefix, "limit": limit}
	who := caller.From(ctx)
	all := Operation{Permission: c.permission, Scope: c.scope}.Permits(who)
	switch {
	case c.statement.Name == cypher.SessionsComplete.Name && all:
		params["agent"] = nil
	case c.statement.Name == cypher.SessionsComplete.Name:
		params["agent"] = caller.Key(who.Name)
	case !all:
		return nil, nil
	}
	return graph.All[Name](ctx, app.Graph, c.statement, params)
}
