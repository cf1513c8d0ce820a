package pack

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/schema"
	"nomograph/policies"
	"nomograph/policies/table"
)

// fit omits what the schema of packs does not allow, such as an active that is a string.
func (e *packExport) fit() error {
	empty := packExport{name: e.name, Version: e.Version, Description: e.Description}
	if problems := parsedSchema().Check(empty.tree()); len(problems) > 0 {
		return apperr.Newf(apperr.Validation, "Invalid pack: %s", problems[0].Message).
			WithHint("Use lower-case letters, digits and dashes in the name, and three numbers as version")
	}
	for i := range e.Nodes {
		n := &e.Nodes[i]
		tree, place := map[string]any{n.Section: []any{n.form}}, []string{n.Section, "0"}
		if n.table != "" {
			tree = map[string]any{"decision_tables": []any{map[string]any{"rows": []any{n.form}}}}
			place = []string{"decision_tables", "0", "rows", "0"}
		}
		for e.leaveOut(n, place, violations(tree)) {
		}
	}
	e.Nodes = lists.Filter(e.Nodes, func(n exportedNode) bool { return n.form != nil })
	return nil
}

// leaveOut removes the property with the first problem, or the node if the property is required. It reports whether
// there may be more.
func (e *packExport) leaveOut(n *exportedNode, place []string, problems []schema.Problem) bool {
	for _, p := range problems {
		if len(p.Path) < len(place) || !slices.Equal(p.Path[:len(place)], place) { // the table of a row, or the pack
			continue
		}
		path, wrong := p.Path[len(place):], strings.TrimLeft(strings.TrimPrefix(p.Message, schema.Place(place)), ".: ")
		if len(path) > 0 && n.form[path[0]] != nil && path[0] != SectionOf(n.Section).Key {
			e.note("%s '%s': %s is left out, because in a pack %s", n.Section, n.key, path[0], wrong)
			delete(n.form, path[0])
			return true
		}
		e.note("%s '%s': left out, because in a pack %s", n.Section, n.key, wrong)
		n.form = nil
		break
	}
	return false
}

// tree returns the pack in the form for the schema.
func (e *packExport) tree() map[string]any {
	root := map[string]any{"pack": e.name, "version": e.Version}
	if text, _ := e.Description.(string); text != "" {
		root["description"] = text
	}
	inside := map[string][]any{}
	for _, n := range e.Nodes {
		if n.table != "" {
			inside[n.table] = append(inside[n.table], n.form)
		}
	}
	for _, n := range e.Nodes {
		if n.table != "" {
			continue
		}
		form := n.form
		if n.Section == "decision_tables" && len(inside[n.key]) > 0 {
			form = maps.Clone(form)
			form["rows"] = inside[n.key]
		}
		list, _ := root[n.Section].([]any)
		root[n.Section] = append(list, form)
	}
	return root
}

// isExpressible reports whether YAML can express a value without loss.
func isExpressible(value any) bool {
	switch v := value.(type) {
	case string, bool, int64, float64:
		return true
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool {
			_, list := item.([]any)
			return list || !isExpressible(item)
		})
	}
	return false
}

func typeName(value any) string {
	switch v := value.(type) {
	case []byte:
		return "bytes"
	case []any:
		return "a list with " + typeName(v[0]) // the list has items: an empty list is expressible
	default:
		return "a " + reflect.TypeOf(v).Name() // Date, Duration, Point2D, ...
	}
}

// outputsOf decodes a row's outputs, which the graph holds as JSON, unless a pack would encode them differently.
func outputsOf(value any) (any, bool) {
	outputs := Bolt(table.RowOutputs(map[string]any{"outputs": value}))
	_, ok := outputs.(map[string]any)
	return outputs, ok && policies.CanonicalText(outputs) == value && isSpellable(outputs)
}

// isSpellable reports whether YAML can express all keys of a value.
func isSpellable(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			if !plainKey.MatchString(key) || !isSpellable(item) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !isSpellable(item) })
	}
	return true
}
