package pack

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/schema"
	"nomograph/policies"
	"nomograph/policies/table"
)

// fit omits what the schema of packs does not allow, such as an active that is a string.
func (e *packExport) fit() error {
	for {
		tree := e.tree()
		problems := replaceUnstorable(nil, tree)
		if len(problems) == 0 {
			problems = append(parsedSchema().Check(tree), misspelled(tree)...)
		}
		if len(problems) == 0 {
			return nil
		}
		for _, p := range problems {
			if err := e.leaveOut(p); err != nil {
				return err
			}
		}
		e.Nodes = policies.Filter(e.Nodes, func(n exportedNode) bool { return n.form != nil })
	}
}

// leaveOut removes the property with a problem, or the node if the property is required.
func (e *packExport) leaveOut(p schema.Problem) error {
	n, path := e.findPath(p.Path)
	if n == nil {
		return apperr.Newf(apperr.Validation, "Invalid pack: %s", p.Message).
			WithHint("Use lower-case letters, digits and dashes in the name, and three numbers as version")
	}
	if n.form == nil { // already omitted because of another problem
		return nil
	}
	wrong := strings.TrimLeft(strings.TrimPrefix(p.Message, schema.Place(p.Path[:len(p.Path)-len(path)])), ".: ")
	if len(path) > 0 && n.form[path[0]] != nil && path[0] != SectionOf(n.Section).Key {
		e.note("%s '%s': %s is left out, because in a pack %s", n.Section, n.key, path[0], wrong)
		delete(n.form, path[0])
		return nil
	}
	e.note("%s '%s': left out, because in a pack %s", n.Section, n.key, wrong)
	n.form = nil
	return nil
}

// findPath returns the node at a path, and the rest of the path.
func (e *packExport) findPath(path []string) (*exportedNode, []string) {
	if len(path) < 2 {
		return nil, nil
	}
	n := e.find(path[1], func(n exportedNode) bool { return n.Section == path[0] })
	if n != nil && len(path) > 3 && path[2] == "rows" {
		return e.find(path[3], func(row exportedNode) bool { return row.table == n.key }), path[4:]
	}
	return n, path[2:]
}

func (e *packExport) find(index string, which func(exportedNode) bool) *exportedNode {
	left, err := strconv.Atoi(index)
	for i := range e.Nodes {
		if which(e.Nodes[i]) {
			if left == 0 && err == nil {
				return &e.Nodes[i]
			}
			left--
		}
	}
	return nil
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
	var again strings.Builder
	policies.WriteCanonical(&again, outputs)
	_, ok := outputs.(map[string]any)
	return outputs, ok && again.String() == value && isSpellable(outputs)
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
