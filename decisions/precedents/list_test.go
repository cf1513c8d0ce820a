package precedents_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/decisions/precedents"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/timeparse"
	"nomograph/tools/toolstest"
)

// made is a decision of the test's graph.
type made struct {
	uid, category, stakes, status, outcome, project, agent, feature, pattern, visibility string
	tags                                                                                 []string
	confidence                                                                           *float64
	pr                                                                                   int64
	created                                                                              time.Time
	review                                                                               *time.Time
}

// many creates n decisions, more than are sorted in memory, so that both kinds of lists occur. Many have equal times,
// some have no confidence or category.
func many(t *testing.T, g *graphtest.Graph, n int) []made {
	t.Helper()
	draw := rand.New(rand.NewPCG(1, 2))
	pick := func(values ...string) string { return values[draw.IntN(len(values))] }
	all, rows := make([]made, n), make([]any, n)
	for i := range all {
		m := made{uid: fmt.Sprintf("u%05d", draw.IntN(90000)*10000+i),
			category: pick("architecture", "process", "integration", "tooling", "security", ""),
			stakes:   pick("low", "medium", "high", "critical"),
			status:   "pending", project: pick("a/b", "a/b", "a/b", "c/d"), agent: pick("ada", "bo"),
			visibility: pick("private", "private", "shared"),
			created:    time.Date(2026, 1, 1, 0, draw.IntN(n/2), 0, 0, time.UTC)}
		if draw.IntN(3) == 0 {
			m.status, m.outcome = "reviewed", pick("success", "partial", "failure", "abandoned")
		}
		if draw.IntN(10) > 0 {
			m.confidence = new(float64(draw.IntN(21)) / 20)
		}
		if draw.IntN(4) == 0 {
			m.review = new(m.created.AddDate(0, 0, draw.IntN(5)))
		}
		if draw.IntN(20) == 0 {
			m.feature, m.pr = pick("login", "billing"), int64(1+draw.IntN(3))
		}
		for _, tag := range []string{"db", "Cache", "ui"} {
			if draw.IntN(4) == 0 {
				m.tags = append(m.tags, tag)
			}
		}
		if draw.IntN(5) == 0 {
			m.pattern = pick("Divide", "Unite")
		}
		all[i] = m
		p := map[string]any{"uid": m.uid, "id": fmt.Sprintf("%08x", i), "decision": fmt.Sprint("Decision ", i),
			"stakes": m.stakes, "status": m.status, "project": m.project,
			"agent": m.agent, "visibility": m.visibility, "created_at": m.created.In(time.FixedZone("Offset", 0))}
		for name, text := range map[string]string{"category": m.category, "outcome": m.outcome, "feature": m.feature,
			"pattern": m.pattern} {
			if text != "" {
				p[name] = text
			}
		}
		if m.confidence != nil {
			p["confidence"] = *m.confidence
		}
		if m.review != nil {
			p["review_by"] = m.review.In(time.FixedZone("Offset", 0))
		}
		if m.pr > 0 {
			p["pr"] = m.pr
		}
		if m.tags != nil {
			p["tags"] = m.tags
		}
		rows[i] = p
	}
	g.Exec(t, `UNWIND $rows AS row CREATE (d:Decision) SET d = row
		FOREACH (tag IN row.tags | MERGE (t:Tag {key: toLower(tag)}) CREATE (d)-[:TAGGED]->(t))
		FOREACH (p IN CASE WHEN row.pattern IS NULL THEN [] ELSE [row.pattern] END | MERGE (t:Pattern {key: toLower(p)}) CREATE (d)-[:FOLLOWS]->(t))`, map[string]any{"rows": rows})
	g.Exec(t, "CALL db.awaitIndexes()", nil)
	return all
}

// matching returns the ids that match a query, in order, with the simplest possible code.
func matching(q precedents.ListQuery, all []made) []string {
	day := func(text string) time.Time { at, _ := time.Parse(time.DateOnly, text); return at }
	var left []made
	for _, m := range all {
		c := m.confidence
		if q.Category != "" && q.Category != m.category || q.Project != "" && q.Project != m.project ||
			q.AgentID != "" && q.AgentID != m.agent ||
			q.Feature != "" && q.Feature != m.feature || q.PR > 0 && q.PR != m.pr || q.Pattern != "" &&
			!strings.EqualFold(q.Pattern, m.pattern) ||
			q.Visibility != "" && q.Visibility != m.visibility || q.Outcome != "" && q.Outcome != m.outcome ||
			q.HasOutcome != nil && *q.HasOutcome != (m.outcome != "") || len(q.Stakes) > 0 &&
			!slices.Contains(q.Stakes, m.stakes) ||
			len(q.Status) > 0 && !slices.Contains(q.Status, m.status) || q.MinConfidence != nil &&
			(c == nil || *c < *q.MinConfidence) ||
			q.MaxConfidence != nil && (c == nil || *c > *q.MaxConfidence) || q.DateAfter != "" &&
			m.created.Before(day(q.DateAfter)) ||
			q.DateBefore != "" && m.created.After(day(q.DateBefore)) ||
			slices.ContainsFunc(q.Tags, func(tag string) bool {
				return !slices.ContainsFunc(m.tags, func(has string) bool { return strings.EqualFold(tag, has) })
			}) {
			continue
		}
		if q.Sort == "confidence" && c == nil || q.Sort == "review_by" && m.review == nil || q.Sort == "category" &&
			m.category == "" {
			continue
		}
		left = append(left, m)
	}
	sign := map[bool]int{true: 1, false: -1}[q.Order == "asc"]
	newest := func(a, b made) int { return cmp.Or(b.created.Compare(a.created), strings.Compare(b.uid, a.uid)) }
	ranks := []string{"low", "medium", "high", "critical"}
	slices.SortFunc(left, func(a, b made) int {
		switch q.Sort {
		case "confidence":
			return sign * cmp.Or(cmp.Compare(*a.confidence, *b.confidence), strings.Compare(a.uid, b.uid))
		case "review_by":
			return sign * cmp.Or(a.review.Compare(*b.review), strings.Compare(a.uid, b.uid))
		case "category":
			return cmp.Or(sign*strings.Compare(a.category, b.category), newest(a, b))
		case "status":
			return cmp.Or(sign*strings.Compare(a.status, b.status), newest(a, b))
		case "stakes":
			return cmp.Or(sign*cmp.Compare(slices.Index(ranks, a.stakes), slices.Index(ranks, b.stakes)), newest(a, b))
		}
		return sign * -newest(a, b)
	})
	ids := make([]string, len(left))
	for i, m := range left {
		ids[i] = m.uid
	}
	return ids
}

func TestList_Pages_AreCompleteAndOrdered(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	const n = 1400
	limitSorted(t, n/2)
	all := many(t, g, n)
	uids := map[string]string{}
	for i, m := range all {
		uids[fmt.Sprintf("%08x", i)] = m.uid
	}
	// pages reads all pages and checks the total.
	pages := func(t *testing.T, q precedents.ListQuery) []string {
		t.Helper()
		got := []string{}
		want := matching(q, all)
		for first := true; first || q.Cursor != ""; first = false {
			list, err := env.Precedents.List(t.Context(), q)
			if err != nil {
				t.Fatalf("%+v: got %v, want no error", q, err)
			}
			if list.Total != nil && *list.Total != len(want) || list.TotalAtLeast > len(want) && q.Sort == "" {
				t.Errorf("%+v: got total %v or at least %d, want %d", q, list.Total, list.TotalAtLeast, len(want))
			}
			if len(list.Decisions) > q.Limit {
				t.Fatalf("a page of %d holds %d", q.Limit, len(list.Decisions))
			}
			for _, d := range list.Decisions {
				got = append(got, uids[d.ID])
			}
			q.Cursor = list.NextCursor
		}
		if !slices.Equal(got, want) {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Errorf("%+v: %d came, not %d; they differ from %d on", q, len(got), len(want), i)
		}
		return got
	}
	sorts := []string{"", "created_at", "confidence", "category", "stakes", "status", "review_by"}
	for i, sort := range sorts {
		t.Run("all by "+sort, func(t *testing.T) {
			pages(t, precedents.ListQuery{Sort: sort, Order: []string{"asc", "desc"}[i%2], Limit: 100})
		})
	}
	draw := rand.New(rand.NewPCG(3, 4))
	for i := range 30 {
		if i == 15 {
			limitScanned(t, 700) // pages with rare matches become shorter, and the list stays complete
		}
		q := precedents.ListQuery{Sort: sorts[draw.IntN(len(sorts))], Order: []string{"", "asc", "desc"}[draw.IntN(3)],
			Limit: 60 + draw.IntN(41)}
		for range 1 + draw.IntN(3) {
			switch draw.IntN(15) {
			case 0:
				q.Category = "security"
			case 1:
				q.Stakes = []string{"high", "critical"}[draw.IntN(2):]
			case 2:
				q.Status = []string{"pending"}
			case 3:
				q.Project = []string{"a/b", "c/d"}[draw.IntN(2)]
			case 4:
				q.AgentID = "ada"
			case 5:
				q.Tags = []string{"DB", "cache"}[draw.IntN(2):]
			case 6:
				q.Feature = "login"
			case 7:
				q.PR = 2
			case 8:
				q.Pattern = "divide"
			case 9:
				q.Visibility = "shared"
			case 10:
				q.HasOutcome = new(draw.IntN(2) == 0)
			case 11:
				q.Outcome = "failure"
			case 12:
				q.MinConfidence = new(0.95)
			case 13:
				q.MaxConfidence = new(0.5)
			case 14:
				q.DateAfter, q.DateBefore = "2026-01-02", "2026-01-02"
			}
		}
		pages(t, q)
	}
	if list, err := env.Precedents.List(t.Context(), precedents.ListQuery{}); err != nil || list.Total == nil ||
		*list.Total != n || len(list.Decisions) != 20 {
		t.Errorf("without conditions: %v, %d, %v", list.Total, len(list.Decisions), err)
	}
	if list, err := env.Precedents.List(t.Context(), precedents.ListQuery{Project: "a/b"}); err != nil ||
		list.Total != nil || list.TotalAtLeast != precedents.MaxSorted {
		t.Errorf("of a project with many: %v, %d, %v", list.Total, list.TotalAtLeast, err)
	}
	if list, err := env.Precedents.List(t.Context(),
		precedents.ListQuery{Confidences: precedents.Confidences{MaxConfidence: new(0.0)}}); err != nil ||
		len(list.Decisions) == 0 {
		t.Errorf("at most 0: %d, %v", len(list.Decisions), err)
	}
	g.Exec(t, `MATCH (d:Decision) WITH d ORDER BY d.uid WITH collect(d) AS all
		UNWIND [['one', all[..1000]], ['other', all[-1000..]]] AS had
		MERGE (t:Tag {key: had[0]})
		FOREACH (d IN had[1] | SET d.tags = coalesce(d.tags, []) + had[0] CREATE (d)-[:TAGGED]->(t))`, nil)
	limitScanned(t, n)
	for _, sort := range []string{"", "stakes"} {
		list, err := env.Precedents.List(t.Context(), precedents.ListQuery{Tags: []string{"one", "other"}, Sort: sort})
		if has := 2*1000 - n; err != nil || len(list.Decisions) != 20 || list.Total != nil && *list.Total != has ||
			list.TotalAtLeast > has {
			t.Errorf("of two tags with many, by %q: %d, %v, %d, %v", sort, len(list.Decisions), list.Total,
				list.TotalAtLeast, err)
		}
	}

	t.Run("invalid cursors and times", func(t *testing.T) {
		list := graphtest.Must(env.Precedents.List(t.Context(), precedents.ListQuery{Sort: "stakes"}))(t)
		for _, q := range []precedents.ListQuery{{Cursor: "nonsense"}, {Cursor: list.NextCursor},
			{Sort: "stakes", Order: "asc", Cursor: list.NextCursor}, {Sort: "stakes", Cursor: "e30"},
			{Range: timeparse.Range{DateAfter: "tomorrow"}}, {Range: timeparse.Range{DateBefore: "2026-13-01"}}} {
			if _, err := env.Precedents.List(t.Context(), q); !apperr.Is(err, apperr.Validation) ||
				apperr.From(err).Hint == "" {
				t.Errorf("%+v: got %v, want %s, a Hint", q, err, apperr.Validation)
			}
		}
	})

	t.Run("through the indexes", func(t *testing.T) { wantIndexUse(t, g) })
}

// wantIndexUse profiles the statements: no scan, no sort, and little more work than rows.
func wantIndexUse(t *testing.T, g *graphtest.Graph) {
	from, to := time.Date(1, 1, 1, 0, 0, 0, 0, time.FixedZone("Offset", 0)),
		time.Date(9999, 1, 1, 0, 0, 0, 0, time.FixedZone("Offset", 0))
	leads := map[string]map[string]any{"nothing": {"created_at": map[string]any{"from": from, "to": to}},
		"confidence": {"confidence": map[string]any{"from": 0.0, "to": 1.0}},
		"due":        {"review_by": map[string]any{"from": from, "to": to}}, "pr": {"pr": 2},
		"confidence in a project": {"project_confidence": map[string]any{"project": "a/b", "from": 0.0, "to": 1.0}}}
	for name, value := range map[string]string{"project": "a/b", "category": "security", "agent": "ada",
		"status": "pending", "stakes": "high", "feature": "login", "outcome": "failure"} {
		leads[name] = map[string]any{name: value}
	}
	const rows, maximum = 20, 1000 // database hits: each row costs some, and nothing else does
	for _, statement := range []cypher.Statement{cypher.DecisionsDescending, cypher.DecisionsAscending} {
		for name, lead := range leads {
			plan := profiled(t, g, statement.Text(), map[string]any{"lead": lead, "from": from, "to": to, "at": nil,
				"uid": "", "filter": map[string]any{}, "retracted": false, "skip": 0,
				"budget": 10000, "limit": rows})
			hits := plan.hits(t, statement.Name+" by "+name)
			t.Logf("%s by %s: %d hits", statement.Name, name, hits)
			if hits > maximum {
				t.Errorf("%s by %s: %d hits for %d rows", statement.Name, name, hits, rows)
			}
		}
	}
	for name, lead := range leads {
		if hits := profiled(t, g, cypher.DecisionsCountInIndex.Text(),
			map[string]any{"lead": lead, "from": from, "to": to, "most": 300}).
			hits(t, "left by "+name); hits > maximum {
			t.Errorf("count of the decisions selected by %s: got %d hits, want at most %d", name, hits, maximum)
		}
	}
	for name, filter := range map[string]map[string]any{"pr": {"pr": 2}, "project": {"project": "c/d"},
		"confidence": {"min_confidence": 0.99}, "tags": {"tags": []string{"db"}},
		"pattern": {"pattern": "divide"}, "stakes": {"stakes": []string{"high"}}} {
		profiled(t, g, cypher.DecisionsFiltered.Text(),
			map[string]any{"filter": filter, "from": from, "to": to, "by": "stakes", "most": 2000, "retracted": false}).
			hits(t, "chosen by "+name)
	}
	profiled(t, g, cypher.DecisionDetails.Text(),
		map[string]any{"ref": "00000001", "id": "00000001", "history": true, "most": 200}).hits(t, "whole")
	for _, of := range []map[string]any{{"ref": "00000001", "id": "00000001", "prefix": "", "external": "00000001"},
		{"ref": "1", "id": "1", "prefix": "", "external": ""}} {
		if hits := profiled(t, g, cypher.DecisionResolve.Text(), of).hits(t, "an id"); hits > maximum {
			t.Errorf("the id %v is resolved in %d hits", of["ref"], hits)
		}
	}
}

type plan struct{ neo4j.ProfiledPlan }

func profiled(t *testing.T, g *graphtest.Graph, query string, params map[string]any) plan {
	t.Helper()
	session := g.Driver.NewSession(context.Background(), neo4j.SessionConfig{DatabaseName: g.Endpoint.Database})
	defer func() { _ = session.Close(context.Background()) }()
	result := graphtest.Must(session.Run(context.Background(), "PROFILE "+query, params))(t)
	summary := graphtest.Must(result.Consume(context.Background()))(t)
	return plan{summary.Profile()}
}

// hits sums up the database hits of a plan, which must neither scan nor sort.
func (p plan) hits(t *testing.T, what string) int64 {
	t.Helper()
	kind, _, _ := strings.Cut(p.Operator(), "@")
	forbidden := []string{"AllNodesScan", "NodeByLabelScan", "NodeIndexScan"}
	if strings.HasPrefix(what, "decisions/") {
		forbidden = append(forbidden, "Sort", "Top", "PartialSort", "PartialTop")
	}
	if slices.Contains(forbidden, kind) {
		t.Errorf("%s: got %s, want forbidden without %v", what, kind, kind)
	}
	sum := p.DbHits()
	for _, child := range p.Children() {
		sum += plan{child}.hits(t, what)
	}
	return sum
}

// limitScanned limits the decisions that a list reads for a page to n until the test ends.
func limitScanned(t testing.TB, n int) {
	before := precedents.MaxScanned
	precedents.MaxScanned = n
	t.Cleanup(func() { precedents.MaxScanned = before })
}

// limitSorted limits the decisions that a list sorts in memory to n until the test ends.
func limitSorted(t testing.TB, n int) {
	before := precedents.MaxSorted
	precedents.MaxSorted = n
	t.Cleanup(func() { precedents.MaxSorted = before })
}
