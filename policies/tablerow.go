package policies

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/policies/condition"
)

// tableRow is a row, compiled. Without a condition it always hits; broken says why it cannot be evaluated.
type tableRow struct {
	id         string
	properties map[string]any
	text       string
	condition  *condition.Program
	broken     error
	outputs    any
}

func (r tableRow) priority() float64 {
	switch p := r.properties["priority"].(type) {
	case int64:
		return float64(p)
	case float64:
		return p
	}
	return 1e308
}

// rowOf reads a row from its properties. elementID names it where nothing else does.
func rowOf(elementID string, properties map[string]any) tableRow {
	row := tableRow{id: elementID, properties: properties}
	for _, key := range []string{"name", "row_id"} {
		if text, _ := properties[key].(string); text != "" {
			row.id = text
		}
	}
	switch written := properties["conditions"].(type) {
	case nil:
	case string:
		row.text = written
		row.condition, row.broken = condition.Row(written)
	default:
		row.broken = fmt.Errorf("conditions is a %s, not text", jsonType(written))
	}
	row.outputs = rowOutputs(properties)
	return row
}

// rowOutputs reads a row's outputs: JSON text as what it says, anything else as it is stored. A row of other hands may have
// an action instead.
func rowOutputs(properties map[string]any) any {
	raw := properties["outputs"]
	if raw == nil {
		raw = properties["action"]
	}
	text, isText := raw.(string)
	if !isText {
		return graph.JSON(raw)
	}
	var read graph.Parameters // in which 1.0 keeps its point
	if !json.Valid([]byte(text)) || json.Unmarshal([]byte(`{"outputs":`+text+`}`), &read) != nil {
		return text
	}
	return read["outputs"]
}

const rowHint = `A condition is CEL over the inputs, such as: inputs.score >= threshold("score_min")`

// evaluate gives the row's hit, nil where its condition does not hold.
func (r tableRow) evaluate(ctx context.Context, q TableQuery, now time.Time, thresholds thresholdSource) (*RowHit, error) {
	if r.broken != nil {
		return nil, r.broken
	}
	hit := &RowHit{RowID: r.id, Conditions: r.text, Values: map[string]any{}, Thresholds: map[string]ThresholdUse{}}
	var refused error // CEL would hand on only its text
	read := func(name, scope string) (any, error) {
		node, err := thresholds(name, cmp.Or(scope, q.Scope))
		if err != nil {
			refused = err
			return nil, err
		}
		called, _ := node.Properties["name"].(string)
		value := node.Properties["value"]
		hit.Thresholds[called] = ThresholdUse{graph.JSON(value), Version(node.Properties, nil)}
		return value, nil
	}
	if r.condition != nil {
		facts := condition.Facts{Inputs: q.Inputs, Now: now, Threshold: read}
		holds, err := r.condition.Eval(ctx, facts)
		switch {
		case err != nil:
			if refused != nil && strings.Contains(err.Error(), refused.Error()) {
				err = refused
			}
			return nil, err
		case !holds:
			return nil, nil
		}
		hit.Values = r.condition.Seen(facts)
	}
	outputs, err := resolve(r.outputs, 0, read)
	if err != nil {
		return nil, err
	}
	hit.Outputs = graph.JSON(outputs)
	return hit, nil
}

// resolve puts the live value in the place of {"threshold": "name"} inside outputs.
func resolve(value any, depth int, read func(name, scope string) (any, error)) (any, error) {
	if name := thresholdReference(value, depth); name != "" {
		return read(name, "")
	}
	var err error
	switch v := value.(type) {
	case map[string]any:
		resolved := make(map[string]any, len(v))
		for key, item := range v {
			if resolved[key], err = resolve(item, depth+1, read); err != nil {
				return nil, err
			}
		}
		return resolved, nil
	case []any:
		resolved := make([]any, len(v))
		for i, item := range v {
			if resolved[i], err = resolve(item, depth+1, read); err != nil {
				return nil, err
			}
		}
		return resolved, nil
	}
	return value, nil
}

// thresholdReference gives the name in {"threshold": "name"}. Outputs as a whole are never one: they have names.
func thresholdReference(value any, depth int) string {
	reference, _ := value.(map[string]any)
	if depth == 0 || len(reference) != 1 {
		return ""
	}
	name, _ := reference["threshold"].(string)
	return name
}

// thresholdsIn are the names of the thresholds that outputs refer to.
func thresholdsIn(outputs any) []string {
	var names []string
	_, _ = resolve(outputs, 0, func(name, _ string) (any, error) { // which never fails
		names = append(names, name)
		return nil, nil
	})
	return names
}

// thresholds are the names of the thresholds that the row reads.
func (r tableRow) thresholds() []string {
	names := thresholdsIn(r.outputs)
	if r.condition != nil {
		names = append(append(names, r.condition.Thresholds...), r.condition.Scoped...)
	}
	return names
}
