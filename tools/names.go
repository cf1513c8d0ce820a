package tools

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
)

// Name is something that can be named, and what a person knows it by.
type Name struct{ Name, Title string }

// Names completes the names of what operations ask for: those that begin with prefix, at most limit.
var Names = map[string]func(ctx context.Context, env *Env, prefix string, limit int) ([]Name, error){
	"policy":    namesBy(cypher.PoliciesComplete),
	"threshold": namesBy(cypher.ThresholdsComplete),
	"table":     namesBy(cypher.TablesComplete),
	"pack":      namesBy(cypher.PacksComplete),
	"decision":  namesBy(cypher.DecisionsComplete),
	"verdict":   namesBy(cypher.VerdictsComplete),
	"session":   namesBy(cypher.SessionsComplete),
	"circuit":   namesBy(cypher.CircuitsComplete),
	"atlas":     namesBy(cypher.AtlasesComplete),
}

func namesBy(statement cypher.Statement) func(context.Context, *Env, string, int) ([]Name, error) {
	return func(ctx context.Context, env *Env, prefix string, limit int) ([]Name, error) {
		return graph.All[Name](ctx, env.Graph, statement, graph.Params{"prefix": prefix, "limit": limit})
	}
}
