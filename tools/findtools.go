package tools

import (
	"cmp"
	"context"
	"math"
	"slices"

	"nomograph/internal/caller"
	"nomograph/search"
)

// ToolQuery is a search for operations.
type ToolQuery struct {
	Query string `json:"query" jsonschema:"words, such as: change a threshold" rule:"minLength=1,maxLength=500"`
	Limit int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=50,default=8"`
}

// defaultTools is the default of ToolQuery.Limit.
const defaultTools = 8

// FoundTool is an operation that was found.
type FoundTool struct {
	Name      string `json:"name"`
	Summary   string `json:"summary"`
	Callable  bool   `json:"callable" jsonschema:"true if this client can call it by name"`
	Arguments string `json:"arguments,omitempty" jsonschema:"arguments of a callable operation"`
	Command   string `json:"command,omitempty" jsonschema:"shell command of any other"`
}

// FoundTools is the result of find_tools.
type FoundTools struct {
	Tools []FoundTool `json:"tools" jsonschema:"best match first"`
}

var findingOperations = inToolset("query",
	define(Operation{
		Name:       "find_tools",
		Title:      "Find tools",
		Use:        "Search all operations by words. Includes tools that tools/list leaves out. Returns which you can call, and shell commands.",
		Permission: Read,
		Scope:      AllProjects,
		Ours:       "names and summaries of operations",
		Command:    "tools QUERY",
		REST:       "GET /v1/tools",
	}, func(ctx context.Context, app *App, in ToolQuery) (FoundTools, error) {
		return findTools(ctx, app, in), nil
	}),
)

type servedKey struct{}

// WithServed sets the operations that the transport of a call serves. Without it, find_tools shows commands only.
func WithServed(ctx context.Context, served []Operation) context.Context {
	return context.WithValue(ctx, servedKey{}, served)
}

// findTools ranks the operations that the caller may use.
func findTools(ctx context.Context, app *App, q ToolQuery) FoundTools {
	served, _ := ctx.Value(servedKey{}).([]Operation)
	who := caller.From(ctx)
	var operations []Operation
	seen := map[string]bool{}
	for _, o := range slices.Concat(served, app.Operations) {
		if !seen[o.Name] && o.Permits(who) {
			operations = append(operations, o)
		}
		seen[o.Name] = true
	}
	found := FoundTools{}
	for _, o := range rankTools(operations, q.Query) {
		if len(found.Tools) == cmp.Or(q.Limit, defaultTools) {
			break
		}
		tool := FoundTool{Name: o.Name, Summary: o.Use}
		if _, tool.Callable = Find(served, o.Name); tool.Callable {
			tool.Arguments = o.signature()
		} else {
			tool.Command = "nomograph " + o.Usage()
		}
		found.Tools = append(found.Tools, tool)
	}
	return found
}

// Weights of a word by the field that contains it.
const (
	nameWeight     = 5.0
	titleWeight    = 4.0 // title and command
	summaryWeight  = 2.0
	argumentWeight = 1.0
)

// rankTools returns the operations that contain a word of the query, best first. The score is the sum, over the words,
// of the highest field weight times log(1+N/n), where n of N operations contain the word. Ties are broken by fewer
// words.
func rankTools(operations []Operation, query string) []Operation {
	wanted := wordStems(query)
	weights := make([]map[string]float64, len(operations))
	having := map[string]int{}
	for i, o := range operations {
		weights[i] = toolWords(o)
		for word := range wanted {
			if weights[i][word] > 0 {
				having[word]++
			}
		}
	}
	scores, words := make(map[string]float64, len(operations)), make(map[string]int, len(operations))
	for i, o := range operations {
		words[o.Name] = len(weights[i])
		for word := range wanted {
			if weight := weights[i][word]; weight > 0 {
				// Integer values have the same sum in any iteration order of the map.
				scores[o.Name] += math.Round(1e6 * weight * math.Log1p(float64(len(operations))/float64(having[word])))
			}
		}
	}
	ranked := slices.DeleteFunc(slices.Clone(operations), func(o Operation) bool { return scores[o.Name] == 0 })
	slices.SortStableFunc(ranked, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(scores[b.Name], scores[a.Name]), cmp.Compare(words[a.Name], words[b.Name]))
	})
	return ranked
}

// toolWords returns the words of an operation with the weight of their highest field.
func toolWords(o Operation) map[string]float64 {
	weights := map[string]float64{}
	add := func(text string, weight float64) {
		for word := range wordStems(text) {
			weights[word] = max(weights[word], weight)
		}
	}
	add(o.Name, nameWeight)
	add(o.Title+" "+o.Command, titleWeight)
	add(o.Use, summaryWeight)
	for name, property := range o.Input().Properties {
		add(name+" "+property.Description, argumentWeight)
	}
	return weights
}

// wordStems returns the stems of the words of a text, without words that do not distinguish operations.
func wordStems(text string) map[string]bool {
	stems := map[string]bool{}
	for word := range search.Words(text) {
		if !search.IsStopWord(word) {
			stems[search.Stem(word)] = true
		}
	}
	return stems
}
