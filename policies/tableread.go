package policies

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
)

// tableReading is a table with what its rows may need, all read at one moment.
type tableReading struct {
	table      decisionTable
	thresholds []stored
	now        time.Time // the database's clock
}

// storedTable is a row of the statement that reads tables.
type storedTable struct {
	ID, TableID string
	Properties  map[string]any
	Rows        []stored
	Names       []string // of the thresholds that were looked for
	Thresholds  []stored
	Links       []any
	Now         time.Time
}

// readTable reads the one table that the id means, in one round trip unless a row names a threshold in a way that the
// statement does not see.
func (s *Store) readTable(ctx context.Context, id string) (tableReading, error) {
	names := []string{}
	for {
		found, err := graph.All[storedTable](ctx, s.graph, cypher.TableRows, graph.Params{"table": id, "names": names})
		if err != nil {
			return tableReading{}, err
		}
		node, err := s.meant(ctx, id, found)
		if err != nil {
			return tableReading{}, err
		}
		table := node.table()
		if wanted := table.thresholdNames(); !covers(node.Names, wanted) {
			names = wanted
			continue
		}
		s.tableRead.Store(true)
		return tableReading{table, node.Thresholds, node.Now.UTC()}, nil
	}
}

// meant picks the table by its exact id, else by the part before the first underscore.
func (s *Store) meant(ctx context.Context, id string, found []storedTable) (storedTable, error) {
	if exact := filter(found, func(t storedTable) bool { return t.TableID == id }); len(exact) > 0 {
		found = exact
	}
	switch len(found) {
	case 0:
		return storedTable{}, s.missingTable(ctx, id)
	case 1:
		return found[0], nil
	}
	ids := make([]string, len(found))
	for i, t := range found {
		ids[i] = t.TableID
	}
	err := fault.Newf(fault.Conflict, "'%s' means %d decision tables: %s", id, len(found), strings.Join(ids, ", ")).With("tables", ids)
	if ids[0] == ids[1] {
		return storedTable{}, err.WithHint("Remove or rename all nodes but one")
	}
	return storedTable{}, err.WithHint("Give the full id")
}

func (s *Store) missingTable(ctx context.Context, id string) error {
	err := fault.From(missing(ctx, s.graph, "SYS_DecisionTable", id, cypher.TableNames))
	if err.Details["nearest"] == nil {
		err.Hint = "`list_tables` shows what there is; `apply_packs` brings in a pack"
	}
	return err
}

// table compiles what was read. A row that is linked twice is one row.
func (t storedTable) table() decisionTable {
	properties := make([]any, len(t.Rows))
	var rows []tableRow
	seen := map[string]bool{}
	for i, row := range t.Rows {
		properties[i] = row.Properties
		if !seen[row.ID] {
			seen[row.ID] = true
			rows = append(rows, rowOf(row.ID, row.Properties))
		}
	}
	return newDecisionTable(t.TableID, t.Properties, Version(t.Properties, texts(t.Links), properties...), rows)
}

// thresholdNames are the names that the table's rows read.
func (t decisionTable) thresholdNames() []string {
	names := []string{}
	for _, row := range t.rows {
		names = append(names, row.thresholds()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TableID asks for one table.
type TableID struct {
	Table string `json:"table" jsonschema:"table id, full or up to its first underscore: D10" rule:"minLength=1,maxLength=200"`
	AsOf  string `json:"as_of,omitempty" jsonschema:"as it was at a time, or in a version or revision (start of its hash)" rule:"maxLength=100"`
}

// TableNode is a table's own properties as stored, with its rows as stored, in the order in which they are evaluated, and
// the live thresholds that it is linked to or that its rows read. In JSON the properties stand at the top level.
type TableNode struct {
	Properties map[string]any   `json:"-"`
	Rows       []map[string]any `json:"rows"`
	Thresholds []ThresholdRow   `json:"thresholds"`
	Reading    Reading          `json:"reading"`
}

// MarshalJSON puts the properties at the top level.
func (t TableNode) MarshalJSON() ([]byte, error) {
	flat := make(map[string]any, len(t.Properties)+3)
	maps.Copy(flat, graph.JSON(t.Properties).(map[string]any))
	rows := make([]any, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = graph.JSON(row)
	}
	flat["rows"], flat["thresholds"], flat["reading"] = rows, t.Thresholds, t.Reading
	return json.Marshal(flat)
}

// Table reads a decision table with its rows, with the errors of EvaluateTable that concern reading.
func (s *Store) Table(ctx context.Context, q TableID) (TableNode, error) {
	if q.AsOf != "" {
		return s.tableAsOf(ctx, q)
	}
	read, err := s.readTable(ctx, q.Table)
	if err != nil {
		return TableNode{}, err
	}
	node := TableNode{Properties: read.table.properties, Rows: []map[string]any{}, Thresholds: []ThresholdRow{},
		Reading: Reading{Source: "node", Version: read.table.version}}
	for _, row := range read.table.rows {
		node.Rows = append(node.Rows, row.properties)
	}
	for _, h := range read.thresholds {
		node.Thresholds = append(node.Thresholds, thresholdRow(h))
	}
	slices.SortFunc(node.Thresholds, func(a, b ThresholdRow) int { return strings.Compare(shown(a.Name), shown(b.Name)) })
	return node, nil
}

// tableAsOf gives a table as it was, with the names of the thresholds that it used. Their values have histories of their own.
func (s *Store) tableAsOf(ctx context.Context, q TableID) (TableNode, error) {
	ids, err := tableIDs(ctx, s.graph, q.Table)
	if err != nil {
		return TableNode{}, err
	}
	then, err := s.asOf(ctx, Subject{"table", ids.([]string)[0]}, "", q.AsOf)
	if err != nil {
		return TableNode{}, err
	}
	n := then.node("")
	node := TableNode{Properties: n.Properties, Reading: n.Reading, Rows: []map[string]any{}, Thresholds: []ThresholdRow{}}
	rows := make([]tableRow, len(then.Rows))
	for i, row := range then.Rows {
		rows[i] = rowOf("", plainly(map[string]any(row)).(map[string]any))
	}
	for _, row := range newDecisionTable(q.Table, n.Properties, then.version, rows).rows {
		node.Rows = append(node.Rows, row.properties)
	}
	for _, link := range then.Links {
		if name, uses := strings.CutPrefix(link, "USES_THRESHOLD "); uses {
			node.Thresholds = append(node.Thresholds, ThresholdRow{Name: name})
		}
	}
	return node, nil
}

func thresholdRow(s stored) ThresholdRow {
	p := s.Properties
	row := ThresholdRow{Name: graph.JSON(p["name"]), Value: graph.JSON(p["value"]), Unit: graph.JSON(p["unit"]), DecisionTable: graph.JSON(p["decision_table"])}
	if scopes := s.scopes(); len(scopes) > 0 {
		row.Scope = strings.Join(scopes, ", ")
	}
	return row
}

// TableFilter asks for a page of decision tables, ordered by id.
type TableFilter struct{ Page }

// TableListing is a decision table in a list.
type TableListing struct {
	TableID    any `json:"table_id"`
	Label      any `json:"label"`
	HitPolicy  any `json:"hit_policy"`
	Rows       int `json:"rows"`
	Thresholds int `json:"thresholds"`
}

// TableList is a page of decision tables.
type TableList struct {
	Tables     []TableListing `json:"tables"`
	Total      int            `json:"total"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

// Tables lists decision tables, with the errors of Policies.
func (s *Store) Tables(ctx context.Context, f TableFilter) (TableList, error) {
	rows, total, cursor, err := readPage[TableListing](ctx, s.graph, cypher.TablesPage, cypher.TablesCount, graph.Params{}, f.Page)
	return TableList{Tables: rows, Total: total, NextCursor: cursor}, err
}
