package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/search"
	"nomograph/tools"
)

const (
	recordsKept = `MATCH (d:Decision) RETURN d.uid AS uid, d.external_id AS id, d.decision + '\n' + coalesce(d.context, '') + '\n' + coalesce(d.terms, '') AS text`
	linksOf     = `MATCH (:Decision {uid: $uid})-[l:RELATES_TO|SUPERSEDES|DEPENDS_ON|CONTRADICTS|BLOCKS]-()
	           RETURN {from: startNode(l).uid, to: endNode(l).uid, type: type(l), properties: properties(l)} AS link`
	linksOut  = `MATCH (:Decision {uid: $uid})-[l:RELATES_TO|SUPERSEDES|DEPENDS_ON|CONTRADICTS|BLOCKS]-() DELETE l`
	linksBack = `UNWIND $links AS link
	                MATCH (a:Decision {uid: link.from}) MATCH (b:Decision {uid: link.to})
	                CREATE (a)-[l:$(link.type)]->(b) SET l = link.properties`
	emptyGraph = `MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS`

	evaluatedResults = 10  // number of evaluated results
	askedWith        = 300 // characters of the abstract after the title
)

// evaluationSet is a file of records whose links say what should be found for each.
type evaluationSet struct {
	file     string
	relevant func(linkType string) bool
}

// quality measures how well the text of a record finds the records that it links to. While a record is queried, all of
// its own links in both directions are removed from the graph, so that they cannot help.
func (b *bench) quality(ctx context.Context) error {
	sets := []evaluationSet{
		{filepath.Join(*data, "eips.jsonl"), func(link string) bool { return link == "requires" }},
		{filepath.Join(*data, "adrs.jsonl"), func(string) bool { return true }},
	}
	for file := range strings.SplitSeq(*also, ",") {
		if file != "" {
			sets = append(sets, evaluationSet{file, func(string) bool { return true }})
		}
	}
	fmt.Fprintf(&b.report, "\n## How well linked records are found\n\nAsked with each record's title and the beginning of its abstract for those that it is linked with; its own links are out of the graph\n"+
		"meanwhile. Weights were fitted to the first halves (every other record of eips and adrs); the second halves were looked at on the way, once to choose between two weights.\n\n"+
		"| records | half | questions | | recall@10 | of BM25 | MRR | nDCG@10 |\n|---|---|---|---|---|---|---|---|\n")
	return b.onOwnEngine(ctx, "quality", func(own *bench, driver neo4j.DriverWithContext, app *tools.App) error {
		for _, set := range sets {
			if _, err := os.Stat(set.file); errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(os.Stderr, "%s is absent, and not measured\n", set.file)
				continue
			}
			if err := runOnDriver(ctx, driver, emptyGraph, nil); err != nil {
				return err
			}
			if err := own.command(ctx, "import", "jsonl", set.file); err != nil {
				return err
			}
			if err := runOnDriver(ctx, driver, caughtUp, nil); err != nil {
				return err
			}
			if err := own.evaluateSet(ctx, driver, app, set, &b.report); err != nil {
				return err
			}
		}
		return nil
	})
}

// method is one way to ask a question. It returns ids, the best first.
type method struct {
	name string
	ask  func(q evaluationQuestion) ([]string, error)
}

// evaluateSet asks the questions of a loaded set, also in other ways than the search of decisions, and reports the results.
func (b *bench) evaluateSet(ctx context.Context, driver neo4j.DriverWithContext, app *tools.App, set evaluationSet, report *strings.Builder, more ...method) error {
	questions, err := readQuestions(set)
	if err != nil {
		return err
	}
	rows, err := rowsOnDriver(ctx, driver, recordsKept, nil)
	if err != nil {
		return err
	}
	ids, texts := make([]string, len(rows)), make([]string, len(rows))
	uids, idOf := map[string]string{}, map[string]string{}
	for i, row := range rows {
		ids[i], texts[i] = row.Values[1].(string), row.Values[2].(string)
		uid := row.Values[0].(string)
		uids[ids[i]], idOf[uid] = uid, ids[i]
	}
	plain := newBM25(texts)
	ways := []method{{"plain BM25", func(q evaluationQuestion) (found []string, err error) {
		for _, place := range plain.rank(q.text, evaluatedResults+1) {
			found = append(found, ids[place])
		}
		return found, nil
	}}}
	for _, mode := range []string{search.Semantic, search.Keyword, search.Hybrid} {
		ways = append(ways, method{mode, func(q evaluationQuestion) (found []string, err error) {
			answer, err := app.Search.Search(ctx, search.Question{Text: q.text, Mode: mode, Limit: evaluatedResults + 1})
			if err == nil && answer.Mode != mode {
				err = fmt.Errorf("searched by %s: %v", answer.Mode, answer.Notes)
			}
			for _, hit := range answer.Hits {
				found = append(found, idOf[hit.UID])
			}
			return found, err
		}})
	}
	ways = append(ways, more...)
	marks := make([][2]rankingScore, len(ways))
	for _, q := range questions {
		links, err := rowsOnDriver(ctx, driver, linksOf, map[string]any{"uid": uids[q.id]})
		if err != nil {
			return err
		}
		if err := runOnDriver(ctx, driver, linksOut, map[string]any{"uid": uids[q.id]}); err != nil {
			return err
		}
		for i, method := range ways {
			found, err := method.ask(q)
			if err != nil {
				return err
			}
			marks[i][q.half].add(q, found)
		}
		back := make([]any, len(links))
		for i, link := range links {
			back[i] = link.Values[0]
		}
		if err := runOnDriver(ctx, driver, linksBack, map[string]any{"links": back}); err != nil {
			return err
		}
	}
	name := strings.TrimSuffix(filepath.Base(set.file), ".jsonl")
	for half, called := range []string{"first", "second"} {
		for i, method := range ways {
			m, base := marks[i][half], marks[0][half]
			fmt.Fprintf(report, "| %s | %s | %.0f | %s | %.3f | %.2f | %.3f | %.3f |\n", name, called, m.questions, method.name,
				m.recall/m.questions, m.recall/base.recall, m.reciprocal/m.questions, m.gain/m.questions)
		}
	}
	return nil
}

// evaluationQuestion is the text of a record with the ids of the records that it should find.
type evaluationQuestion struct {
	id, text string
	half     int
	wanted   map[string]bool
}

// readQuestions makes a question of each record of a set with a relevant link.
func readQuestions(set evaluationSet) ([]evaluationQuestion, error) {
	file, err := os.Open(set.file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var all []source
	known := map[string]bool{}
	lines := bufio.NewScanner(file)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var s source
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, err
		}
		all, known[s.ID] = append(all, s), true
	}
	var questions []evaluationQuestion
	for i, s := range all {
		abstract := []rune(s.Abstract)
		q := evaluationQuestion{s.ID, s.Title + "\n" + string(abstract[:min(askedWith, len(abstract))]), i % 2, map[string]bool{}}
		for _, link := range s.Links {
			if known[link.Target] && link.Target != s.ID && set.relevant(link.Type) {
				q.wanted[link.Target] = true
			}
		}
		if len(q.wanted) > 0 {
			questions = append(questions, q)
		}
	}
	return questions, lines.Err()
}

// rankingScore sums up recall@10, the reciprocal rank of the first relevant result, and nDCG@10 with binary relevance.
type rankingScore struct{ questions, recall, reciprocal, gain float64 }

// add evaluates the first ten results without the queried record itself.
func (m *rankingScore) add(q evaluationQuestion, found []string) {
	m.questions++
	ideal := 0.0
	for i := range min(evaluatedResults, len(q.wanted)) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	place, first := 0, true
	for _, id := range found {
		if id == q.id || place == evaluatedResults {
			continue
		}
		if place++; !q.wanted[id] {
			continue
		}
		m.recall += 1 / float64(len(q.wanted))
		m.gain += 1 / math.Log2(float64(place)+1) / ideal
		if first {
			m.reciprocal, first = m.reciprocal+1/float64(place), false
		}
	}
}
