package main

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// bm25 ranks texts as Lucene does, with its usual k1 and b, but by whole words in lower case: no stemming, no stop words, and
// all of a text counts alike.
type bm25 struct {
	counts  []map[string]float64
	lengths []float64
	holding map[string]float64 // in how many texts a word stands
	mean    float64            // length
}

var wholeWord = regexp.MustCompile(`\w+`)

func newBM25(texts []string) *bm25 {
	x := &bm25{holding: map[string]float64{}}
	for _, text := range texts {
		words := wholeWord.FindAllString(strings.ToLower(text), -1)
		counts := map[string]float64{}
		for _, word := range words {
			if counts[word]++; counts[word] == 1 {
				x.holding[word]++
			}
		}
		x.counts, x.lengths = append(x.counts, counts), append(x.lengths, float64(len(words)))
		x.mean += float64(len(words)) / float64(len(texts))
	}
	return x
}

// rank gives the places of the best texts, at most limit.
func (x *bm25) rank(query string, limit int) []int {
	const k1, b = 1.2, 0.75
	words := wholeWord.FindAllString(strings.ToLower(query), -1)
	slices.Sort(words)
	words = slices.Compact(words)
	scores, places := make([]float64, len(x.counts)), make([]int, len(x.counts))
	for i, counts := range x.counts {
		places[i] = i
		for _, word := range words {
			if times := counts[word]; times > 0 {
				n := x.holding[word]
				scores[i] += math.Log(1+(float64(len(x.counts))-n+0.5)/(n+0.5)) * times / (times + k1*(1-b+b*x.lengths[i]/x.mean))
			}
		}
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return places[:min(limit, len(places))]
}
