package pages

import (
	"cmp"
	"maps"
	"slices"

	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/live"
	decisiontable "nomograph/policies/table"
)

// decisionTable is the data of a table's page: its cells, and its history.
type decisionTable struct {
	governed
	HitPolicy  string
	Columns    []string // names of outputs
	Rows       []tableRow
	Thresholds []live.ThresholdRow
}

// tableRow is a row with one cell for each output.
type tableRow struct {
	Name, Condition, Note string
	Cells                 []tableCell
}

// tableCell is an output: a value, or the threshold that gives it.
type tableCell struct{ Value, Threshold string }

func showTable(v *Visit) (any, error) {
	t := decisionTable{governed: governed{Kind: policies.KindTable, Name: v.PathValue("id")}}
	node, err := Call[decisiontable.Node](v, "get_table", decisiontable.ID{Table: t.Name, AsOf: v.Query("as_of")})
	if id := shownValue(node.Properties["table_id"]); err == nil && id != "" { // the history has the full id
		t.Name = id
	}
	if err := t.remember(v); err != nil {
		return nil, err
	}
	t.Node = policies.Node{Properties: node.Properties, Reading: node.Reading}
	if err := t.handleReadError(err); err != nil {
		return nil, err
	}
	t.HitPolicy = cmp.Or(shownValue(node.Properties["hit_policy"]), "FIRST")
	t.Facts = slices.DeleteFunc(t.Facts, func(f fact) bool {
		return f.Name == "table_id" || f.Name == "label" || f.Name == "hit_policy"
	})
	t.Thresholds = node.Thresholds
	t.fill(node.Rows)
	return t, nil
}

// fill makes one column for each output. Outputs that are not objects get the column "output".
func (t *decisionTable) fill(rows []map[string]any) {
	outputs := make([]map[string]any, len(rows))
	names := map[string]bool{}
	for i, row := range rows {
		switch out := decisiontable.RowOutputs(row).(type) {
		case nil:
		case map[string]any:
			outputs[i] = out
		default:
			outputs[i] = map[string]any{"output": out}
		}
		for name := range outputs[i] {
			names[name] = true
		}
	}
	t.Columns = slices.Sorted(maps.Keys(names))
	for i, row := range rows {
		shown := tableRow{Name: shownValue(cmp.Or(row["row_id"], row["name"])),
			Condition: shownValue(row["conditions"]), Note: shownValue(row["note"])}
		for _, name := range t.Columns {
			shown.Cells = append(shown.Cells, cellFor(outputs[i][name]))
		}
		t.Rows = append(t.Rows, shown)
	}
}

func cellFor(value any) tableCell {
	if object, ok := value.(map[string]any); ok && len(object) == 1 {
		if name, ok := object["threshold"].(string); ok {
			return tableCell{Threshold: name}
		}
	}
	return tableCell{Value: shownValue(value)}
}

// revertTable restores an earlier version of a table.
func revertTable(v *Visit) (string, error) {
	return v.do(v.URL.Path, "revert",
		change.RevertRequest{Subject: policies.Subject{Kind: policies.KindTable, Name: v.PathValue("id")},
			To: v.Form("to"), Reason: v.Form("reason")})
}
