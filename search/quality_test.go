package search

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
)

const proposalsFile = "../../shared/data/eips.jsonl"

type proposal struct {
	ID, Title, Abstract, Description, Type, Category string
	Links                                            []struct{ Type, Target string }
}

func (p proposal) terms() string {
	return strings.Join([]string{p.Description, p.Type, p.Category}, "\n")
}

// query is the proposal's own text: its title and the first part of its abstract.
func (p proposal) query() string {
	const part = 300
	return p.Title + "\n" + p.Abstract[:min(part, len(p.Abstract))]
}

// quality is the mean, over all queries, of recall@10, the reciprocal rank of the first relevant, and nDCG@10.
type quality struct{ recall, reciprocal, gain float64 }

// TestQuality asks with each proposal's text for those that it requires.
func TestQuality(t *testing.T) {
	file, err := os.Open(proposalsFile)
	if err != nil {
		t.Skipf("NOT TESTED: how good search is. %s is absent", proposalsFile)
	}
	defer file.Close()
	var all []proposal
	known := map[string]bool{}
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var p proposal
		if err := json.Unmarshal(scanner.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
		known[p.ID] = true
	}
	g := graphtest.New(t)
	rows := make([]any, len(all))
	for i, p := range all {
		rows[i] = map[string]any{"uid": p.ID, "id": p.ID, "decision": p.Title, "context": p.Abstract, "terms": p.terms(), "facets": Facet("category", p.Category)}
	}
	g.Exec(t, "UNWIND $rows AS row CREATE (d:Decision:Unindexed) SET d = row", map[string]any{"rows": rows})
	x := Open(g.DB, Builtin(), zerolog.Nop())
	t.Cleanup(func() { x.Close(context.Background()) })
	if err := x.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	refresh(t, g)

	plain := newPlain(all)
	measure := func(name string, rank func(p proposal) []string) quality {
		var sum quality
		queries := 0.0
		for i, p := range all {
			wanted := map[string]bool{}
			for _, link := range p.Links {
				if link.Type == "requires" && known[link.Target] && link.Target != p.ID {
					wanted[link.Target] = true
				}
			}
			if len(wanted) == 0 || i%2 > 0 { // every other one is enough, and half as long
				continue
			}
			queries++
			got := slices.DeleteFunc(rank(p), func(id string) bool { return id == p.ID })
			q := judge(got[:min(10, len(got))], wanted)
			sum = quality{sum.recall + q.recall, sum.reciprocal + q.reciprocal, sum.gain + q.gain}
		}
		mean := quality{sum.recall / queries, sum.reciprocal / queries, sum.gain / queries}
		t.Logf("%-10s recall@10 %.4f  MRR %.4f  nDCG@10 %.4f  (%g queries)", name, mean.recall, mean.reciprocal, mean.gain, queries)
		return mean
	}
	by := func(mode string) quality {
		return measure(mode, func(p proposal) []string { return uids(ask(t, x, Question{Text: p.query(), Mode: mode, Limit: 11})) })
	}
	base := measure("plain BM25", func(p proposal) []string { return plain.rank(p.query(), 11) })
	by(Semantic)
	keyword, hybrid := by(Keyword), by(Hybrid)
	if keyword.recall <= base.recall || keyword.gain <= base.gain {
		t.Error("keyword search is no better than a plain BM25 without stemming")
	}
	if hybrid.recall <= keyword.recall || hybrid.gain <= keyword.gain {
		t.Error("hybrid search is no better than keyword search")
	}
}

// judge measures the first ten; of relevance each is as good as another.
func judge(got []string, wanted map[string]bool) (q quality) {
	ideal := 0.0
	for i := range min(10, len(wanted)) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	for i, id := range got {
		if !wanted[id] {
			continue
		}
		q.recall += 1 / float64(len(wanted))
		q.gain += 1 / math.Log2(float64(i)+2) / ideal
		if q.reciprocal == 0 {
			q.reciprocal = 1 / float64(i+1)
		}
	}
	return q
}

// plain is a BM25 over the same texts, as Lucene's with its usual k1 and b, but of whole words in lower case.
type plain struct {
	ids     []string
	counts  []map[string]float64
	lengths []float64
	holding map[string]float64
	mean    float64
}

var plainWord = regexp.MustCompile(`\w+`)

func newPlain(all []proposal) *plain {
	x := &plain{holding: map[string]float64{}}
	for _, p := range all {
		words := plainWord.FindAllString(strings.ToLower(strings.Join([]string{p.Title, p.Abstract, p.terms()}, "\n")), -1)
		counts := map[string]float64{}
		for _, w := range words {
			if counts[w]++; counts[w] == 1 {
				x.holding[w]++
			}
		}
		x.ids, x.counts, x.lengths = append(x.ids, p.ID), append(x.counts, counts), append(x.lengths, float64(len(words)))
		x.mean += float64(len(words)) / float64(len(all))
	}
	return x
}

func (x *plain) rank(query string, limit int) []string {
	const k1, b = 1.2, 0.75
	words := plainWord.FindAllString(strings.ToLower(query), -1)
	slices.Sort(words)
	words = slices.Compact(words)
	scores := make(map[string]float64, len(x.ids))
	for i, id := range x.ids {
		for _, w := range words {
			n, tf := x.holding[w], x.counts[i][w]
			scores[id] += math.Log(1+(float64(len(x.ids))-n+0.5)/(n+0.5)) * tf / (tf + k1*(1-b+b*x.lengths[i]/x.mean))
		}
	}
	ids := slices.Clone(x.ids)
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return ids[:limit]
}
