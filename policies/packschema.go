package policies

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"

	"nomograph/fault"
	"nomograph/schema"
)

var packSchema = sync.OnceValue(func() schema.Schema { return schema.MustCompile([]byte(PackSchema)) })

// validatePack reports every place where the document is not a pack, each with its line and column.
func validatePack(file string, body ast.Node, tree any) error {
	found := unstorable(nil, tree)
	if len(found) == 0 {
		found = packSchema().Check(tree)
	}
	if len(found) == 0 {
		return nil
	}
	lines := make([]string, len(found))
	problems := make([]map[string]any, len(found))
	for i, p := range found {
		at := positionOf(body, p.Path)
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", file, at.Line, at.Column, p.Message)
		problems[i] = map[string]any{"file": file, "line": at.Line, "column": at.Column, "message": p.Message}
	}
	return fault.New(fault.Validation, strings.Join(lines, "\n")).
		WithHint("Mend the pack; nothing was applied. `nomograph policy schema` prints its JSON Schema").With("problems", problems)
}

// unstorable finds numbers that JSON Schema lets through, or has no words for, and that the graph cannot hold.
func unstorable(path []string, value any) []schema.Problem {
	var problems []schema.Problem
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			problems = append(problems, unstorable(append(slices.Clone(path), key), v[key])...)
		}
	case []any:
		for i, item := range v {
			problems = append(problems, unstorable(append(slices.Clone(path), strconv.Itoa(i)), item)...)
		}
	case uint64:
		problems = append(problems, schema.Problem{Path: path, Message: schema.Place(path) + " is not a number that the graph can hold"})
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			problems = append(problems, schema.Problem{Path: path, Message: schema.Place(path) + " is not a number that the graph can hold"})
		}
	}
	return problems
}
