package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/internal/lists"
	"nomograph/search"
)

const (
	recordsKept = `MATCH (d:Decision) RETURN d.uid AS uid, d.external_id AS id, d.decision + '\n' + coalesce(d.context, '') + '\n' + coalesce(d.terms, '') AS text`
	linksOf     = `MATCH (:Decision {uid: $uid})-[l:RELATES_TO|SUPERSEDES|DEPENDS_ON|CONTRADICTS|BLOCKS]-()
	           RETURN {from: startNode(l).uid, to: endNode(l).uid, type: type(l), properties: properties(l)} AS link`
	linksOut  = `MATCH (:Decision {uid: $uid})-[l:RELATES_TO|SUPERSEDES|DEPENDS_ON|CONTRADICTS|BLOCKS]-() DELETE l`
	linksBack = `UNWIND $links AS link
	                MATCH (a:Decision {uid: link.from}) MATCH (b:Decision {uid: link.to})
	                CREATE (a)-[l:$(link.type)]->(b) SET l = link.properties`

	evaluatedResults = 10  // number of evaluated results
	askedWith        = 300 // characters of the abstract after the title
)

// evaluationSet is a file of records whose links say what should be found for each.
type evaluationSet struct {
	file     string
	relevant func(linkType string) bool
}

// finding measures how well the text of a record finds the records that it links to. While a record is queried, all of
// its own links in both directions are removed from the graph, so that they cannot help.
func (b *bench) finding(ctx context.Context) (rows []row, err error) {
	sets := []evaluationSet{
		{filepath.Join(*data, "eips.jsonl"), func(link string) bool { return link == "requires" }},
		{filepath.Join(*data, "adrs.jsonl"), func(string) bool { return true }},
	}
	for _, set := range sets {
		if _, err := os.Stat(set.file); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(os.Stderr, "%s is absent and not measured\n", set.file)
			continue
		}
		if err := b.run(ctx, emptyGraph, nil); err != nil {
			return nil, err
		}
		took, err := timed(func(int) error { return b.command(ctx, "import", "jsonl", set.file) })(0)
		if err = errors.Join(err, b.run(ctx, upToDate, nil)); err != nil {
			return nil, err
		}
		rows = append(rows, once("`import jsonl` of "+filepath.Base(set.file), "", known(took)))
		found, err := b.evaluate(ctx, set)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// method is one way to ask a question. It returns ids, the best first.
type method struct {
	name string
	ask  func(q evaluationQuestion) ([]string, error)
}

// evaluate asks the questions of a loaded set by each method. The floor of a method is BM25.
func (b *bench) evaluate(ctx context.Context, set evaluationSet) ([]row, error) {
	questions, err := readQuestions(set)
	if err != nil {
		return nil, err
	}
	stored, err := b.rows(ctx, recordsKept, nil)
	if err != nil {
		return nil, err
	}
	ids, texts := make([]string, len(stored)), make([]string, len(stored))
	uids, idOf := map[string]string{}, map[string]string{}
	for i, row := range stored {
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
		ways = append(ways, method{mode, func(q evaluationQuestion) ([]string, error) {
			return b.found(ctx, q, mode, idOf)
		}})
	}
	recall, counts := make([][2]float64, len(ways)), [2]float64{} // by method and half
	for _, q := range questions {
		counts[q.half]++
		if err := b.withoutLinks(ctx, uids[q.id], func() error {
			for i, way := range ways {
				found, err := way.ask(q)
				if err != nil {
					return err
				}
				found = slices.DeleteFunc(found, func(id string) bool { return id == q.id })
				recall[i][q.half] += share(found, evaluatedResults, q.wanted)
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	var rows []row
	name := strings.TrimSuffix(filepath.Base(set.file), ".jsonl")
	for half, called := range []string{"first half", "second half"} {
		for i, way := range ways[1:] {
			rows = append(rows, row{name: fmt.Sprintf("%s, %s of %s, %.0f questions", way.name, called, name,
				counts[half]), unit: "recall@10 in %", times: 1,
				work:  known(100 * recall[i+1][half] / counts[half]),
				floor: floor{"BM25", known(100 * recall[0][half] / counts[half])}})
		}
	}
	return rows, nil
}

// found asks a question in a mode of search.
func (b *bench) found(ctx context.Context, q evaluationQuestion, mode string, idOf map[string]string) (ids []string,
	err error) {
	answer, err := b.app.Search.Search(ctx, search.Question{Text: q.text, Mode: mode, Limit: evaluatedResults + 1})
	if err == nil && answer.Mode != mode {
		err = fmt.Errorf("searched by %s: %v", answer.Mode, answer.Notes)
	}
	for _, hit := range answer.Hits {
		ids = append(ids, idOf[hit.UID])
	}
	return ids, err
}

// withoutLinks removes the links of a decision during work.
func (b *bench) withoutLinks(ctx context.Context, uid string, work func() error) error {
	links, err := b.query(ctx, neo4j.AccessModeRead, linksOf, map[string]any{"uid": uid})
	if err != nil {
		return err
	}
	back := lists.Map(links, func(link *neo4j.Record) any { return link.Values[0] })
	if err := b.run(ctx, linksOut, map[string]any{"uid": uid}); err != nil {
		return err
	}
	return errors.Join(work(), b.run(ctx, linksBack, map[string]any{"links": back}))
}

// evaluationQuestion is the text of a record with the ids of the records that it should find.
type evaluationQuestion struct {
	id, text string
	half     int
	wanted   map[string]bool
}

// readQuestions makes a question of each record of a set with a relevant link.
func readQuestions(set evaluationSet) ([]evaluationQuestion, error) {
	all, err := readLines[source](set.file)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, s := range all {
		known[s.ID] = true
	}
	var questions []evaluationQuestion
	for i, s := range all {
		abstract := []rune(s.Abstract)
		q := evaluationQuestion{s.ID, s.Title + "\n" + string(abstract[:min(askedWith, len(abstract))]), i % 2,
			map[string]bool{}}
		for _, link := range s.Links {
			if known[link.Target] && link.Target != s.ID && set.relevant(link.Type) {
				q.wanted[link.Target] = true
			}
		}
		if len(q.wanted) > 0 {
			questions = append(questions, q)
		}
	}
	return questions, nil
}
