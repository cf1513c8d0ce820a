package table

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/history"
	"nomograph/policies/live"
)

// StoredTable is a row of the statement that reads tables.
type StoredTable struct {
	ID, TableID string
	Properties  map[string]any
	Rows        []policies.Stored
	Names       []string // names of the thresholds that were searched
	Thresholds  []policies.Stored
	Links       []any
	Now         time.Time
}

// read reads the table with this id, in one round trip unless a row computes the name of a threshold.
func (s *Store) read(ctx context.Context, id string) (Table, StoredTable, error) {
	names, losses := []string{}, s.graph.ConnectionLosses()
	for {
		found, err := graph.All[StoredTable](ctx, s.graph, cypher.TableRows, graph.Params{"table": id, "names": names})
		if err != nil {
			return Table{}, StoredTable{}, err
		}
		node, err := s.pickTable(ctx, id, found)
		if err != nil {
			return Table{}, StoredTable{}, err
		}
		table := node.Table()
		if wanted := table.ThresholdNames(); !policies.ContainsAll(node.Names, wanted) {
			names = wanted
			continue
		}
		s.planned.Store(losses + 1)
		return table, node, nil
	}
}

// pickTable selects the table with exactly this id, else by the part of the id before the first underscore.
func (s *Store) pickTable(ctx context.Context, id string, found []StoredTable) (StoredTable, error) {
	if exact := lists.Filter(found, func(t StoredTable) bool { return t.TableID == id }); len(exact) > 0 {
		found = exact
	}
	switch len(found) {
	case 0:
		return StoredTable{}, s.notFound(ctx, id)
	case 1:
		return found[0], nil
	}
	ids := lists.Map(found, func(t StoredTable) string { return t.TableID })
	err := apperr.Newf(apperr.Conflict, "'%s' matches %d decision tables: %s", id, len(found), strings.Join(ids, ", ")).
		With("tables", ids)
	if ids[0] == ids[1] {
		return StoredTable{}, err.WithHint("Remove or rename all nodes but one")
	}
	return StoredTable{}, err.WithHint("Use the full id")
}

func (s *Store) notFound(ctx context.Context, id string) error {
	err := apperr.From(policies.NotFound(ctx, s.graph, "SYS_DecisionTable", id, cypher.TableNames))
	if err.Details["nearest"] == nil {
		err.Hint = "List tables with `list_tables`. `apply_packs` adds a pack"
	}
	return err
}

// Table compiles the table. A row that is linked twice counts once.
func (t StoredTable) Table() Table {
	properties := make([]any, len(t.Rows))
	var rows []Row
	seen := map[string]bool{}
	for i, row := range t.Rows {
		properties[i] = row.Properties
		if !seen[row.ID] {
			seen[row.ID] = true
			rows = append(rows, RowOf(row.ID, row.Properties))
		}
	}
	return New(t.TableID, t.Properties, policies.Version(t.Properties, graph.Texts(t.Links), properties...), rows)
}

// ThresholdNames returns the names of the thresholds that the table's rows read.
func (t Table) ThresholdNames() []string {
	return append([]string{}, lists.Union(lists.Map(t.Rows, Row.Thresholds)...)...)
}

// ID asks for one table.
type ID struct {
	Table string `json:"table" jsonschema:"table, such as D10" rule:"minLength=1,maxLength=200"`
	AsOf  string `json:"as_of,omitempty" jsonschema:"earlier time, version or revision" rule:"maxLength=100"`
}

// Node is a table's own properties as stored, with its rows in the order of evaluation, and the live thresholds that
// it is linked to or that its rows read. In JSON the properties are at the top level.
type Node struct {
	Properties map[string]any      `json:"-"`
	Rows       []map[string]any    `json:"rows"`
	Thresholds []live.ThresholdRow `json:"thresholds"`
	Reading    policies.Reading    `json:"reading"`
}

// ourFields are the fields of a table's answer that are not properties.
var ourFields = []string{"rows", "thresholds", "reading"}

// MarshalJSON puts the properties at the top level.
func (t Node) MarshalJSON() ([]byte, error) {
	flat, reading := policies.Flat(t.Properties, t.Reading, ourFields...)
	rows := lists.Map(t.Rows, func(row map[string]any) any { return graph.JSON(row) })
	flat["rows"], flat["thresholds"], flat["reading"] = rows, t.Thresholds, reading
	return json.Marshal(flat)
}

// UnmarshalJSON decodes the format of MarshalJSON.
func (t *Node) UnmarshalJSON(raw []byte) error {
	type parts Node
	var node policies.Node
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // an integer stays one
	if err := errors.Join(decoder.Decode((*parts)(t)), json.Unmarshal(raw, &node)); err != nil {
		return err
	}
	t.Properties = node.Properties
	for _, field := range ourFields {
		delete(t.Properties, field)
	}
	maps.Copy(t.Properties, t.Reading.Own)
	t.Reading.Own = nil
	return nil
}

// Get reads a decision table with its rows. It returns those errors of Evaluate that concern reading.
func (s *Store) Get(ctx context.Context, q ID) (Node, error) {
	if q.AsOf != "" {
		return s.asOf(ctx, q)
	}
	table, stored, err := s.read(ctx, q.Table)
	if err != nil {
		return Node{}, err
	}
	node := table.node(policies.Reading{Source: "node", Version: table.version})
	node.Thresholds = lists.Map(stored.Thresholds, thresholdRow)
	slices.SortFunc(node.Thresholds, func(a, b live.ThresholdRow) int {
		return strings.Compare(policies.ShowValue(a.Name), policies.ShowValue(b.Name))
	})
	return node, nil
}

// node returns the table as an answer, without thresholds.
func (t Table) node(reading policies.Reading) Node {
	rows := lists.Map(t.Rows, func(row Row) map[string]any { return row.Properties })
	return Node{Properties: t.properties, Rows: rows, Thresholds: []live.ThresholdRow{}, Reading: reading}
}

// asOf returns a table at an earlier time, with the names of the thresholds that it used. Their values have histories
// of their own.
func (s *Store) asOf(ctx context.Context, q ID) (Node, error) {
	ids, err := policies.TableIDs(ctx, s.graph, q.Table)
	if err != nil {
		return Node{}, err
	}
	then, err := s.history.AsOf(ctx, policies.Subject{Kind: "table", Name: ids.([]string)[0]}, "", q.AsOf)
	if err != nil {
		return Node{}, err
	}
	n := then.Node("")
	rows := lists.Map(then.Rows, func(row graph.Parameters) Row {
		return RowOf("", history.PlainValue(map[string]any(row)).(map[string]any))
	})
	node := New(q.Table, n.Properties, then.Version, rows).node(n.Reading)
	for _, link := range then.Links {
		if name, uses := strings.CutPrefix(link, "USES_THRESHOLD "); uses {
			node.Thresholds = append(node.Thresholds, live.ThresholdRow{Name: name})
		}
	}
	return node, nil
}

func thresholdRow(s policies.Stored) live.ThresholdRow {
	p := s.Properties
	row := live.ThresholdRow{Name: graph.JSON(p["name"]), Value: graph.JSON(p["value"]), Unit: graph.JSON(p["unit"]),
		DecisionTable: graph.JSON(p["decision_table"])}
	if scopes := s.Scopes(); len(scopes) > 0 {
		row.Scope = strings.Join(scopes, ", ")
	}
	return row
}

// Filter asks for a page of decision tables, ordered by id.
type Filter struct{ policies.Page }

// Listing is a decision table in a list.
type Listing struct {
	TableID    any `json:"table_id"`
	Label      any `json:"label"`
	HitPolicy  any `json:"hit_policy"`
	Rows       int `json:"rows"`
	Thresholds int `json:"thresholds"`
}

// List is a page of decision tables.
type List struct {
	Tables     []Listing `json:"tables"`
	Total      int       `json:"total"`
	NextCursor string    `json:"next_cursor,omitempty"`
}

// List lists decision tables, with the errors of Policies.
func (s *Store) List(ctx context.Context, f Filter) (List, error) {
	rows, total, cursor, err := policies.ReadPage[Listing](ctx, s.graph, cypher.TablesPage, cypher.TablesCount,
		graph.Params{}, f.Page)
	return List{Tables: rows, Total: total, NextCursor: cursor}, err
}
