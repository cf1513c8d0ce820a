package table

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/condition"
)

// Row is a compiled row. A row without a condition always matches. broken is the reason why it cannot be evaluated.
type Row struct {
	ID         string
	Properties map[string]any
	Text       string
	Condition  *condition.Program
	Broken     error
	Outputs    any
}

func (r Row) priority() float64 {
	if priority, ok := policies.ToFloat(r.Properties["priority"]); ok {
		return priority
	}
	return 1e308
}

// RowOf reads a row from its properties. elementID names the row if nothing else does.
func RowOf(elementID string, properties map[string]any) Row {
	row := Row{ID: elementID, Properties: properties}
	for _, key := range []string{"name", "row_id"} {
		if text, _ := properties[key].(string); text != "" {
			row.ID = text
		}
	}
	switch written := properties["conditions"].(type) {
	case nil:
	case string:
		row.Text = written
		row.Condition, row.Broken = condition.Row(written)
	default:
		row.Broken = fmt.Errorf("conditions is a %s, not text", policies.JSONType(written))
	}
	row.Outputs = RowOutputs(properties)
	return row
}

// RowOutputs reads a row's outputs. JSON text is decoded, and anything else is returned as stored. Rows written by
// other programs may have an action instead.
func RowOutputs(properties map[string]any) any {
	raw := properties["outputs"]
	if raw == nil {
		raw = properties["action"]
	}
	text, ok := raw.(string)
	if !ok {
		return graph.JSON(raw)
	}
	var read graph.Parameters // decodes 1.0 as a float
	if !json.Valid([]byte(text)) || json.Unmarshal([]byte(`{"outputs":`+text+`}`), &read) != nil {
		return text
	}
	return read["outputs"]
}

// RowHint shows what a valid condition looks like.
const RowHint = `A condition is CEL over the inputs, such as: inputs.score >= threshold("score_min")`

// evaluate returns the row's match, or nil if its condition does not hold.
func (r Row) evaluate(ctx context.Context, q Query, now time.Time, thresholds policies.ThresholdSource) (*RowHit,
	error) {
	if r.Broken != nil {
		return nil, r.Broken
	}
	hit := &RowHit{RowID: r.ID, Conditions: r.Text, Values: map[string]any{},
		Thresholds: map[string]policies.ThresholdUse{}}
	var refused error // the original error of a threshold, because CEL returns only its text
	read := func(name, scope string) (any, error) {
		node, err := thresholds(name, cmp.Or(scope, q.Scope))
		if err != nil {
			refused = err
			return nil, err
		}
		called, _ := node.Properties["name"].(string)
		value := node.Properties["value"]
		hit.Thresholds[called] = policies.ThresholdUse{Value: graph.JSON(value),
			Version: policies.Version(node.Properties, nil)}
		return value, nil
	}
	if r.Condition != nil {
		facts := condition.Facts{Inputs: q.Inputs, Now: now, Threshold: read}
		holds, err := r.Condition.Eval(ctx, facts)
		switch {
		case err != nil:
			if refused != nil && strings.Contains(err.Error(), refused.Error()) {
				err = refused
			}
			return nil, err
		case !holds:
			return nil, nil
		}
		hit.Values = r.Condition.Seen(facts)
	}
	outputs, err := resolve(r.Outputs, 0, read)
	if err != nil {
		return nil, err
	}
	hit.Outputs = graph.JSON(outputs)
	return hit, nil
}

// resolve replaces {"threshold": "name"} inside outputs by the live value.
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

// thresholdReference returns the name in {"threshold": "name"}. At depth 0 it returns "", because that object contains
// the named outputs.
func thresholdReference(value any, depth int) string {
	reference, _ := value.(map[string]any)
	if depth == 0 || len(reference) != 1 {
		return ""
	}
	name, _ := reference["threshold"].(string)
	return name
}

// ThresholdsIn returns the names of the thresholds that outputs refer to.
func ThresholdsIn(outputs any) []string {
	var names []string
	_, _ = resolve(outputs, 0, func(name, _ string) (any, error) { // cannot fail with this function
		names = append(names, name)
		return nil, nil
	})
	return names
}

// Thresholds returns the names of the thresholds that the row reads.
func (r Row) Thresholds() []string {
	names := ThresholdsIn(r.Outputs)
	if r.Condition != nil {
		names = append(append(names, r.Condition.Thresholds...), r.Condition.Scoped...)
	}
	return names
}
