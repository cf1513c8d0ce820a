package precedents_test

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/decisions/imports"
	"nomograph/decisions/precedents"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/internal/timeparse"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

//go:embed testdata/listed_before.cypher
var listedBefore string

// TestList_RealRecords_MatchTheFormerQuery compares complete lists of two sets of real records with an older query
// that reads every decision instead of indexes. It also compares searches and graphs of these records with simple
// queries.
func TestList_RealRecords_MatchTheFormerQuery(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	env := toolstest.App(t, g.DB)
	for _, name := range []string{"eips.jsonl", "adrs.jsonl"} {
		text, err := os.ReadFile(filepath.Join(toolstest.Root(t), "../shared/data", name))
		if err != nil {
			t.Skipf("NOT TESTED: %s is absent: %v", name, err)
		}
		toolstest.Import(t, env, toolstest.JSONL(string(text)),
			imports.Options{Outcomes: []string{"Implemented=success"}})
	}
	graphtest.OK(t, env.Search.Drain(t.Context()))
	g.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil)
	wantSearchesLikeFullScan(t, g, env)
	wantGraphsLikeSingleSteps(t, g, env)
	// Add properties that the records lack: confidence, stakes, and some retractions.
	g.Exec(t, `MATCH (d:Decision)
		SET d.confidence = size(d.decision) % 20 / 20.0, d.stakes = ['low', 'medium', 'high', 'critical'][size(d.id + d.decision) % 4], d.category = ['process', 'tooling'][size(d.decision) % 3],
		  d.external_id = CASE WHEN size(d.decision) % 7 = 3 THEN null ELSE d.external_id END
		FOREACH (_ IN CASE WHEN size(d.decision) % 50 = 1 THEN [1] ELSE [] END | SET d:Retracted, d.retracted_at = datetime())`, nil)

	var queries []precedents.ListQuery
	for _, row := range golden.Rows(t, "testdata/queries.txt") {
		var q precedents.ListQuery
		graphtest.OK(t, json.Unmarshal([]byte(row[0]), &q))
		queries = append(queries, q)
	}
	for _, of := range []struct {
		property string
		query    func(string) precedents.ListQuery
	}{
		{"project", func(name string) precedents.ListQuery { return precedents.ListQuery{Project: name} }},
		{"project", func(name string) precedents.ListQuery {
			return precedents.ListQuery{Project: name, Confidences: precedents.Confidences{MinConfidence: new(0.4)}}
		}},
		{"project", func(name string) precedents.ListQuery {
			return precedents.ListQuery{Project: name, Category: "process",
				Range: timeparse.Range{DateAfter: "2020-06-01"}}
		}},
		{"agent", func(name string) precedents.ListQuery { return precedents.ListQuery{AgentID: name} }},
		{"agent", func(name string) precedents.ListQuery {
			return precedents.ListQuery{AgentID: name, Range: timeparse.Range{DateBefore: "2023-01-01"}}
		}},
	} {
		for _, row := range g.Rows(t, "MATCH (d:Decision) WHERE d."+of.property+" IS NOT NULL RETURN d."+of.property+
			" AS name, count(d) AS n ORDER BY n DESC, name LIMIT 3", nil) {
			queries = append(queries, of.query(row["name"].(string)))
		}
	}
	compared := 0
	limits := []int{precedents.MaxSorted, 100} // lists sorted in memory, and lists read from an index
	for i, q := range queries {
		for n, sort := range []string{"created_at", []string{"confidence", "stakes", "status",
			"category"}[i%4]} { // each order with each kind of filter
			limitSorted(t, limits[(i/4+n)%2])
			q.Sort, q.Order, q.Limit = sort, []string{"asc", "desc"}[(i+n)%2], 100
			want := before(t, g, q)
			if got, total := listed(t, env, q); !slices.Equal(got, want) || total >= 0 && total != len(want) {
				t.Errorf("%+v: %d are listed (total %d), and %d were before", q, len(got), total, len(want))
			}
			compared += len(want)
		}
	}
	// Lists from one statement, page by page: with few and with many matches, with and without matches among the
	// newest.
	for i, q := range []precedents.ListQuery{{Tags: []string{"ERC"}}, {Tags: []string{"core"}},
		{Tags: []string{"jetstream", "client"}}, {Tags: []string{"nobody has it"}},
		{Tags: []string{"ERC", "nobody has it"}},
		{Confidences: precedents.Confidences{MinConfidence: new(0.95)}},
		{Confidences: precedents.Confidences{MaxConfidence: new(0.5)}},
		{Confidences: precedents.Confidences{MinConfidence: new(0.2), MaxConfidence: new(0.4)}},
		{Confidences: precedents.Confidences{MinConfidence: new(0.0)}}} {
		for _, limit := range limits {
			for _, looked := range []int{precedents.MaxScanned, 300} {
				limitSorted(t, limit)
				limitScanned(t, looked)
				q.Sort, q.Order, q.Limit = "created_at", "desc", []int{20, 100}[i%2]
				want := before(t, g, q)
				if got, total := listed(t, env, q); !slices.Equal(got, want) || total >= 0 && total != len(want) {
					t.Errorf("%+v, %d in order, %d looked at: %d are listed (total %d), and %d were before", q, limit,
						looked, len(got), total, len(want))
				}
				compared += len(want)
			}
		}
	}
	if compared < 5000 {
		t.Errorf("only %d places were compared", compared)
	}
}

// listed returns the ids of all pages; the total is -1 if the list does not report it.
func listed(t *testing.T, env *tools.App, q precedents.ListQuery) (ids []string, total int) {
	t.Helper()
	for total = -1; ; {
		list, err := env.Precedents.List(t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: got %v, want no error", q, err)
		}
		if list.Total != nil {
			total = *list.Total
		}
		for _, d := range list.Decisions {
			ids = append(ids, d.ID)
		}
		if q.Cursor = list.NextCursor; q.Cursor == "" {
			return ids, total
		}
	}
}

// before returns the ids by the older query in the order of the list.
func before(t *testing.T, g *graphtest.Graph, q precedents.ListQuery) []string {
	t.Helper()
	filter := map[string]any{}
	for name, text := range map[string]string{"category": q.Category, "project": q.Project, "agent": q.AgentID,
		"outcome": q.Outcome, "visibility": q.Visibility} {
		if text != "" {
			filter[name] = text
		}
	}
	for name, list := range map[string][]string{"stakes": q.Stakes, "status": q.Status, "tags": q.Tags} {
		if list != nil {
			filter[name] = list
		}
	}
	if q.Tags != nil {
		filter["tags"] = strings.Split(strings.ToLower(strings.Join(q.Tags, " ")), " ")
	}
	if q.HasOutcome != nil {
		filter["has_outcome"] = *q.HasOutcome
	}
	if q.Imported != nil {
		filter["imported"] = *q.Imported
	}
	for name, bound := range map[string]*float64{"min_confidence": q.MinConfidence, "max_confidence": q.MaxConfidence} {
		if bound != nil {
			filter[name] = *bound
		}
	}
	for name, day := range map[string]string{"after": q.DateAfter, "before": q.DateBefore} {
		if day == "" {
			continue
		}
		at := graphtest.Must(timeparse.Parse("date_"+name, day))(t)
		filter[name] = at.In(time.FixedZone("Offset", 0))
	}
	rows := g.Rows(t, listedBefore, map[string]any{"filter": filter, "by": q.Sort})
	ranks := map[any]int{"low": 1, "medium": 2, "high": 3, "critical": 4}
	sign := map[bool]int{true: 1, false: -1}[q.Order == "asc"]
	rows = slices.DeleteFunc(rows, func(row map[string]any) bool { return row["by"] == nil })
	slices.SortFunc(rows, func(a, b map[string]any) int {
		text := func(row map[string]any, name string) string { return fmt.Sprint(row[name]) }
		newest := cmp.Or(b["at"].(time.Time).Compare(a["at"].(time.Time)),
			strings.Compare(text(b, "uid"), text(a, "uid")))
		switch q.Sort {
		case "created_at":
			return sign * -newest
		case "confidence":
			return sign * cmp.Or(cmp.Compare(a["by"].(float64), b["by"].(float64)),
				strings.Compare(text(a, "uid"), text(b, "uid")))
		case "stakes":
			return cmp.Or(sign*cmp.Compare(ranks[a["by"]], ranks[b["by"]]), newest)
		}
		return cmp.Or(sign*strings.Compare(text(a, "by"), text(b, "by")), newest)
	})
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = fmt.Sprint(row["id"])
	}
	return ids
}
