package recall

import (
	"math"
	"slices"
)

// Default parameters of BM25 (Robertson and Zaragoza 2009): k1 and b. The full-text index uses the same values.
const (
	saturation = 1.2
	byLength   = 0.75
)

// bm25 scores texts, each given as its stems, for a question. Scores are divided by the best one, so they are from 0 to
// 1. Inverse document frequency is computed over the texts themselves. The texts were found for the question, so a word
// that all of them contain does not distinguish them.
func bm25(texts [][]string, question map[string]float64) []float64 {
	counts, having, length := make([]map[string]float64, len(texts)), map[string]float64{}, 0.0
	for i, text := range texts {
		counts[i] = map[string]float64{}
		for _, word := range text {
			if question[word] == 0 {
				continue
			}
			if counts[i][word]++; counts[i][word] == 1 {
				having[word]++
			}
		}
		length += float64(len(text))
	}
	length /= float64(max(len(texts), 1))
	scores, n := make([]float64, len(texts)), float64(len(texts))
	for i, count := range counts {
		for word, times := range count {
			rare := math.Log(1 + (n-having[word]+.5)/(having[word]+.5))
			scores[i] += question[word] * rare * times * (1 + saturation) / (times + saturation*(1-byLength+byLength*float64(len(texts[i]))/length))
		}
	}
	return relative(scores)
}

// relative divides scores by the best one, so that they are from 0 to 1.
func relative(scores []float64) []float64 {
	if best := slices.Max(append(scores, 0)); best > 0 {
		for i := range scores {
			scores[i] /= best
		}
	}
	return scores
}
