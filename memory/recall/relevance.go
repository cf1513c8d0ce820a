package recall

import (
	"math"
	"slices"

	"nomograph/search"
)

// Thresholds of relevance. The relevance of a chunk is the sum of its coverage, which is the share of the question's
// words weighted by rarity, and its cosine similarity. They were measured on ten long conversations, including questions
// about topics that none of them contains (decision 0145).
const (
	minKnown     = 0.62 // minimum of best coverage plus best cosine; below it, memory knows nothing about the question
	minWords     = 0.4  // minimum of best coverage without vectors
	minWordShare = 0.3  // minimum weighted share of the question's words that occur in memory
	minPart      = 0.4  // minimum relevance of a chunk relative to the best chunk
)

// relevanceScores decides which chunks are relevant to a question.
type relevanceScores struct {
	weights map[uint32]float64 // by stem of the question
	total   float64
	hits    map[string]search.Hit
	d       *tokenizer
	known   bool    // memory contains something relevant
	least   float64 // minimum relevance of a chunk
}

// newRelevanceScores weights the words of a question by their rarity among the chunks found. chunks is the number of
// chunks in memory, or 0 if unknown.
func newRelevanceScores(question map[uint32]float64, rows []foundChunk, hits []search.Hit, chunks int64, d *tokenizer) *relevanceScores {
	b := &relevanceScores{weights: map[uint32]float64{}, hits: map[string]search.Hit{}, d: d}
	byWords, heard := 0.0, map[uint32]bool{}
	for _, hit := range hits {
		b.hits[hit.UID] = hit
		if hit.Keyword != nil {
			byWords++
		}
	}
	all := max(float64(chunks), 2*float64(len(hits)), 20)
	if chunks == 0 && len(hits) >= candidates {
		all = 100 * candidates
	}
	for stem := range question {
		having := 0.0
		for i := range rows {
			if b.contains(&rows[i], stem) {
				having++
				heard[stem] = true
			}
		}
		having *= max(1, byWords/float64(max(len(rows), 1)))
		b.weights[stem] = math.Log(1 + (all+1)/(having+.5))
		b.total += b.weights[stem]
	}
	cover, near, sum, informative := 0.0, 0.0, 0.0, 0.0
	answered := slices.ContainsFunc(rows, func(c foundChunk) bool { return !c.asked })
	for i := range rows {
		c, n := b.cover(&rows[i]), b.cosine(&rows[i])
		cover, near = max(cover, c), max(near, n)
		if !rows[i].asked || !answered { // an earlier copy of the question matches best; relative to it, no answer would be relevant
			sum = max(sum, c+n)
		}
	}
	for stem, weight := range b.weights {
		if heard[stem] {
			informative += weight / b.total
		}
	}
	if b.known = cover+near >= minKnown && informative >= minWordShare; near == 0 {
		b.known = cover >= minWords
	}
	b.least = minPart * sum
	return b
}

// cover returns the weighted share of the question's words in a chunk, from 0 to 1.
func (b *relevanceScores) cover(c *foundChunk) float64 {
	if b.total == 0 {
		return 0
	}
	has := 0.0
	for stem, weight := range b.weights {
		if b.contains(c, stem) {
			has += weight
		}
	}
	return has / b.total
}

// contains reports whether a chunk contains a word, or its date contains it.
func (b *relevanceScores) contains(c *foundChunk, stem uint32) bool {
	_, ok := slices.BinarySearch(c.words, stem)
	return ok || slices.Contains(b.d.words(c.At.Format("Monday 2 January 2006")), stem)
}

// cosine returns the cosine similarity of a chunk's nearest passage, or 0 if the vector search did not find it.
func (b *relevanceScores) cosine(c *foundChunk) float64 {
	if hit := b.hits[c.UID]; hit.Semantic != nil {
		return *hit.Semantic
	}
	return 0
}

// isRelevant reports whether a chunk is relevant to the question. If the question only names a time, all chunks are.
func (b *relevanceScores) isRelevant(c *foundChunk) bool {
	if len(b.weights) == 0 {
		return true
	}
	return b.known && b.cover(c)+b.cosine(c) >= b.least
}
