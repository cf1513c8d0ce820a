package recall

import (
	"math"
	"slices"

	"nomograph/search"
)

// From when on something bears on a question: by the share of the question's words that it has, each counted by how rare it is, and the cosine of its
// meaning, added. Measured on ten long conversations and on questions about what none of them is about (decision 0145).
const (
	minKnown = 0.62 // of the best share and the best cosine, below which memory knows nothing of what is asked
	minWords = 0.4  // likewise, where there are no vectors
	minHeard = 0.3  // of the question's words that memory has anywhere
	minPart  = 0.4  // of the best chunk's sum that a chunk has
)

// relevanceScores says what bears on a question.
type relevanceScores struct {
	weights map[uint32]float64 // of the question's stems
	total   float64
	hits    map[string]search.Hit
	d       *tokenizer
	known   bool    // there is something that bears on it
	least   float64 // share and cosine from which on a chunk does
}

// newRelevanceScores weighs the words of a question by how rare they are among what was found, in a memory of so many chunks (0: not known).
func newRelevanceScores(question map[uint32]float64, rows []found, hits []search.Hit, chunks int64, d *tokenizer) *relevanceScores {
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
			if b.has(&rows[i], stem) {
				having++
				heard[stem] = true
			}
		}
		having *= max(1, byWords/float64(max(len(rows), 1)))
		b.weights[stem] = math.Log(1 + (all+1)/(having+.5))
		b.total += b.weights[stem]
	}
	cover, near, sum, told := 0.0, 0.0, 0.0, 0.0
	answered := slices.ContainsFunc(rows, func(c found) bool { return !c.asked })
	for i := range rows {
		c, n := b.cover(&rows[i]), b.near(&rows[i])
		cover, near = max(cover, c), max(near, n)
		if !rows[i].asked || !answered { // the same question asked before matches best: measured against it, no answer would be relevant
			sum = max(sum, c+n)
		}
	}
	for stem, weight := range b.weights {
		if heard[stem] {
			told += weight / b.total
		}
	}
	if b.known = cover+near >= minKnown && told >= minHeard; near == 0 {
		b.known = cover >= minWords
	}
	b.least = minPart * sum
	return b
}

// cover is the share of the question's words that a chunk has, 0 to 1.
func (b *relevanceScores) cover(c *found) float64 {
	if b.total == 0 {
		return 0
	}
	has := 0.0
	for stem, weight := range b.weights {
		if b.has(c, stem) {
			has += weight
		}
	}
	return has / b.total
}

// has reports whether a chunk has a word, or was said on a day with that name.
func (b *relevanceScores) has(c *found, stem uint32) bool {
	_, ok := slices.BinarySearch(c.words, stem)
	return ok || slices.Contains(b.d.words(c.At.Format("Monday 2 January 2006")), stem)
}

// near is the cosine of a chunk's nearest passage; 0 where vectors did not find it.
func (b *relevanceScores) near(c *found) float64 {
	if hit := b.hits[c.UID]; hit.Semantic != nil {
		return *hit.Semantic
	}
	return 0
}

// bears reports whether a chunk bears on the question. Where nothing is asked for but a time, everything does.
func (b *relevanceScores) bears(c *found) bool {
	if len(b.weights) == 0 {
		return true
	}
	return b.known && b.cover(c)+b.near(c) >= b.least
}
