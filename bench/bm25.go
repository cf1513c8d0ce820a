package main

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// bm25 ranks texts like Lucene with its default k1 and b, but by whole lower-case words: without stemming, stop words
// and field weights.
type bm25 struct {
	counts  []map[string]float64
	lengths []float64
	holding map[string]float64 // number of texts that contain a word
	mean    float64            // mean length
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

// rank returns the indexes of the best texts, at most limit.
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
