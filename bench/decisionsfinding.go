package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"golang.org/x/sync/errgroup"

	"nomograph/cypher"
	"nomograph/search"
)

const (
	bareText   = `CALL db.index.fulltext.queryNodes('decision_text', $text, {limit: $k}) YIELD node, score RETURN node, score`
	bareVector = `CALL db.index.vector.queryNodes('embedding_text', $k, $vector) YIELD node, score MATCH (node)-[:OF]->(d:Decision) RETURN d, score`

	asked  = 10 // requested decisions
	fusing = 20 // results of each of the two lists of a hybrid search; a low rank in one list may be a high rank in the other
)

// filters select a part of the decisions.
var filters = []struct {
	name, argument string
	value          any
	one            int // number of decisions per match
}{{"0.1%", "project", rareProject, 1000}, {"1%", "category", rareCategory, 100}, {"20%", "stakes", []string{commonStakes}, 5}}

// finding measures query_decisions against one bare vector query followed by one bare full-text query with the same
// text, whose vector exists already.
func (g *loadedGraph) finding(ctx context.Context) error {
	vectors, err := g.questions(ctx)
	if err != nil {
		return err
	}
	floor := &turn{name: fmt.Sprintf("F, a bare vector query and a bare full text query for %d each", asked), work: g.bareSearches(ctx, vectors, asked)}
	turns := []*turn{floor, {name: fmt.Sprintf("the same for %d each, which is what a hybrid search must see", fusing), work: g.bareSearches(ctx, vectors, fusing)}}
	turns = append(turns, g.alone(ctx, vectors)...)
	short := map[string]int{} // responses with fewer decisions than match, by transport and filter
	add := func(name string, arguments map[string]any, left int) {
		for _, target := range []struct {
			name string
			ask  func(arguments any) (json.RawMessage, error)
		}{
			{"in process", func(a any) (json.RawMessage, error) { return inProcess(ctx, g.app, "query_decisions", a) }},
			{"over stdio", func(a any) (json.RawMessage, error) { return g.server.callForResult("query_decisions", a) }},
		} {
			title := name + ", " + target.name
			turns = append(turns, &turn{name: title, work: func(i int) error {
				arguments["query"] = g.question(i % len(vectors))
				answer, err := target.ask(arguments)
				if err != nil {
					return err
				}
				var found struct {
					Decisions     []struct{}
					RetrievalMode string `json:"retrieval_mode"`
				}
				if err := json.Unmarshal(answer, &found); err != nil || found.RetrievalMode != search.Hybrid {
					return fmt.Errorf("%.200s, %w", answer, err)
				}
				if len(found.Decisions) < min(asked, left) {
					short[title]++
				}
				return nil
			}})
		}
	}
	add("query_decisions hybrid", map[string]any{"limit": asked}, g.size)
	for _, f := range filters {
		add("with a filter that leaves "+f.name, map[string]any{"limit": asked, "filters": map[string]any{f.argument: f.value}}, g.size/f.one)
	}
	number := max(*calls/8, 50)
	if err := inTurn(number, 20, turns); err != nil {
		return err
	}
	g.table("Finding", number, floor.taken.p50(), "F", turns)
	full := fmt.Sprintf("Every list was full: %d decisions, or all that the filter leaves", asked)
	if len(short) > 0 {
		full = fmt.Sprintf("Lists that were not full: %v", short)
	}
	fmt.Fprintf(&g.report, "\n%s.\n", full)
	return errors.Join(g.profile(ctx, "reading the vectors that 1% leaves", cypher.DecisionsOfFacets.Text(), searching(vectors[0], g.rare("", nil))),
		g.profile(ctx, "150 of the vector index", cypher.DecisionsByVector.Text(), searching(vectors[0], common())))
}

// bareSearches queries the vector index and then full text, for k results each.
func (g *loadedGraph) bareSearches(ctx context.Context, vectors [][]float64, k int) func(i int) error {
	return func(i int) error {
		i %= len(vectors)
		if err := runBare(ctx, g.driver, bareVector, map[string]any{"k": k, "vector": vectors[i]}); err != nil {
			return err
		}
		return runBare(ctx, g.driver, bareText, map[string]any{"k": k, "text": words(g.question(i))})
	}
}

// alone returns the search statements without the program, which is the lower bound for any program that sends them.
func (g *loadedGraph) alone(ctx context.Context, vectors [][]float64) []*turn {
	params := func(i int, more map[string]any) map[string]any { return searching(vectors[i%len(vectors)], more) }
	hits := func(query string, p map[string]any) (uids []string, err error) {
		rows, err := rowsOnDriver(ctx, g.driver, query, p)
		if err == nil && len(rows) == 1 {
			found, _ := rows[0].Get("hits")
			list, _ := found.([]any)
			for _, hit := range list {
				uids = append(uids, hit.([]any)[0].(string))
			}
		}
		if err == nil && len(uids) == 0 {
			err = fmt.Errorf("nothing found: %.100s", query)
		}
		return uids, err
	}
	hybrid := func(i int) error {
		var byText, byVector []string
		var together errgroup.Group
		together.Go(func() (err error) {
			byText, err = hits(cypher.DecisionsByText.Text(), params(i, map[string]any{"query": words(g.question(i % len(vectors))), "fetch": fusing, "most": 30, "lifting": fusing, "cut": 16_000, "model": search.Builtin().Model()}))
			return err
		})
		together.Go(func() (err error) {
			byVector, err = hits(cypher.DecisionsByVector.Text(), params(i, map[string]any{"fetch": 2 * fusing}))
			return err
		})
		if err := together.Wait(); err != nil {
			return err
		}
		return runBare(ctx, g.driver, cypher.DecisionsDetails.Text(), map[string]any{"uids": append(byText[:min(5, len(byText))], byVector[:min(5, len(byVector))]...), "links": true, "limit": 3, "whole": 0})
	}
	half := func(i int, from, to any) error {
		return runBare(ctx, g.driver, cypher.DecisionsOfFacets.Text(), params(i, g.rare(from, to)))
	}
	return []*turn{
		{name: "only the three statements of a hybrid query, with concurrent searches", work: hybrid},
		{name: "reading the vectors that 1% leaves, which are compared in process, the statement alone", work: func(i int) error { return half(i, "", nil) }},
		{name: "the same over two concurrent connections", work: func(i int) error {
			var together errgroup.Group
			together.Go(func() error { return half(i, "", "8") })
			together.Go(func() error { return half(i, "8", nil) })
			return together.Wait()
		}},
		{name: "150 of the vector index, of which 20% pass, the statement alone", work: func(i int) error {
			return runBare(ctx, g.driver, cypher.DecisionsByVector.Text(), params(i, common()))
		}},
	}
}

// searching returns the parameters of search statements, with additions.
func searching(vector []float64, more map[string]any) map[string]any {
	all := map[string]any{"min_confidence": nil, "max_confidence": nil, "after": nil, "before": nil, "limit": fusing, "vector": vector,
		"model": search.Builtin().Model(), "groups": [][]string{}, "index": "embedding_text", "side": "both"}
	maps.Copy(all, more)
	return all
}

func (g *loadedGraph) rare(from, to any) map[string]any {
	return map[string]any{"query": "+facets:(" + search.Facet("category", rareCategory) + ")^0", "most": max(1000, g.size/50), "from": from, "to": to}
}

func common() map[string]any {
	return map[string]any{"fetch": 150, "groups": [][]string{{" " + search.Facet("stakes", commonStakes) + " "}}}
}

// words keeps letters, digits and blanks, so that the text contains no Lucene operators.
func words(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return ' '
	}, text))
}
