package pack

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"nomograph/internal/document"
	"nomograph/internal/schema"
)

var parsedSchema = sync.OnceValue(func() schema.Schema { return schema.MustCompile([]byte(Schema)) })

// validate reports all violations of the schema and returns their positions.
func validate(problems *Problems, root *document.Node, tree any) [][]string {
	var unfit [][]string
	for _, p := range violations(tree) {
		problems.Add(root.At(p.Path...), packHint, "%s", p.Message)
		unfit = append(unfit, p.Path)
	}
	return unfit
}

// violations returns all violations of the schema. Values that the graph cannot hold are replaced.
func violations(tree any) []schema.Problem {
	return slices.Concat(replaceUnstorable(nil, tree), parsedSchema().Check(tree), misspelled(tree))
}

// misspelled finds keys that resemble a key of the schema: they would be ignored.
func misspelled(tree any) []schema.Problem {
	fields, _ := tree.(map[string]any)
	var problems []schema.Problem
	look := func(raw any, path ...string) {
		problems = append(problems, Misspelled(parsedSchema(), raw, path...)...)
	}
	for _, sec := range Sections {
		list, _ := fields[sec.Name].([]any)
		for i, raw := range list {
			look(raw, sec.Name, strconv.Itoa(i))
			item, _ := raw.(map[string]any)
			rows, _ := item["rows"].([]any)
			for n, row := range rows {
				look(row, sec.Name, strconv.Itoa(i), "rows", strconv.Itoa(n))
			}
		}
	}
	return problems
}

// Misspelled finds keys of an object at a path that resemble a key of the schema.
func Misspelled(s schema.Schema, object any, path ...string) (problems []schema.Problem) {
	item, _ := object.(map[string]any)
	known := s.Names(path)
	for _, key := range slices.Sorted(maps.Keys(item)) {
		if suggestion := schema.Misspelt(key, known); suggestion != "" {
			at := append(slices.Clone(path), key)
			problems = append(problems, schema.Problem{Path: at,
				Message: fmt.Sprintf("unknown property %s; did you mean %s?", schema.Place(at), suggestion)})
		}
	}
	return problems
}

// replaceUnstorable finds numbers that the graph cannot hold and JSON Schema cannot describe, and replaces them by 0.
func replaceUnstorable(path []string, value any) []schema.Problem {
	var problems []schema.Problem
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			found := replaceUnstorable(append(slices.Clone(path), key), v[key])
			if problems = append(problems, found...); len(found) > 0 && tooLarge(v[key]) {
				v[key] = int64(0)
			}
		}
	case []any:
		for i, item := range v {
			found := replaceUnstorable(append(slices.Clone(path), strconv.Itoa(i)), item)
			if problems = append(problems, found...); len(found) > 0 && tooLarge(item) {
				v[i] = int64(0)
			}
		}
	default:
		if tooLarge(v) {
			problems = append(problems, schema.Problem{Path: path, Message: schema.Place(path) +
				" is not a number that the graph can hold"})
		}
	}
	return problems
}

func tooLarge(value any) bool {
	if number, ok := value.(float64); ok {
		return math.IsNaN(number) || math.IsInf(number, 0)
	}
	_, ok := value.(uint64)
	return ok
}
