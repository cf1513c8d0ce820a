package recall

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/memory"
	"nomograph/memory/claims"
)

// Parameters for choosing the chunks of an answer.
const (
	seeds         = 5   // chunks from which linked chunks are searched
	steps         = 3   // maximum steps along a session
	perStep       = 0.6 // factor per step on the score of the starting chunk
	relevance     = 0.7 // lambda of maximal marginal relevance (Carbonell and Goldstein 1998)
	minSimilarity = 0.8 // minimum Jaccard similarity of the words of two chunks that say the same
	minScore      = 0.2 // minimum score relative to the best; chunks with lower scores would only fill the budget
)

// addLinked adds the chunks that the best ones lead to, forward or backward, and returns all of them, best first.
func (s *Store) addLinked(ctx context.Context, chunks []foundChunk, forward bool,
	by *relevanceScores) ([]foundChunk, error) {
	if len(chunks) == 0 {
		return nil, nil
	}
	uids := make([]string, min(seeds, len(chunks)))
	for i := range uids {
		uids[i] = chunks[i].UID
	}
	rows, err := graph.All[row](ctx, s.graph, cypher.ChunksLinked,
		graph.Params{"uids": uids, "forward": forward, "steps": steps})
	if err != nil {
		return nil, err
	}
	place := map[string]int{}
	for i, c := range chunks {
		place[c.UID] = i
	}
	for _, r := range rows {
		score := chunks[r.Seed].score * math.Pow(perStep, float64(r.Steps))
		if i, ok := place[r.UID]; ok {
			chunks[i].score = max(chunks[i].score, score)
			continue
		}
		c := readChunk(r)
		c.score, c.because, c.asked = score, r.Because, matchesOnlyQuestions(&c, nil)
		if far := r.Seed > 0 || r.Steps > 1; far && !forward && (r.Because == "before" || r.Because == "after") &&
			c.Kind != memory.FactKind && !by.isRelevant(&c) {
			continue // irrelevant chunks are kept only directly before or after the best one
		}
		place[r.UID] = len(chunks)
		chunks = append(chunks, c)
	}
	inOrder(chunks)
	return chunks, nil
}

// repeats reports whether another chunk with mostly the same words says the same: equal numbers, names, negations and
// dates, in another session. A repeated question counts also in the same session.
func (c *foundChunk) repeats(other *foundChunk) bool {
	if c.asked && other.asked {
		return true
	}
	return c.Session != other.Session && len(c.superseded) == 0 && len(other.superseded) == 0 &&
		claims.Agree(c.Text, other.Text)
}

// inOrder sorts chunks by descending score. Chunks that only ask come last.
func inOrder(chunks []foundChunk) {
	slices.SortStableFunc(chunks, func(a, b foundChunk) int {
		if a.asked != b.asked {
			return map[bool]int{true: 1, false: -1}[a.asked]
		}
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.UID, b.UID))
	})
}

// diverse yields chunks by maximal marginal relevance, so that each next chunk scores well and differs from the earlier
// ones. Chunks that only ask, and those that a waiting chunk replaces, come later. A chunk that repeats a better chunk
// is not yielded, but counted in the better one.
func diverse(chunks []foundChunk) iter.Seq[*foundChunk] {
	return func(yield func(*foundChunk) bool) {
		likeness := make([]float64, len(chunks)) // similarity to the nearest chosen chunk
		taken := make([]bool, len(chunks))
		waiting := map[string]bool{}
		for i := range chunks {
			waiting[chunks[i].UID] = true
		}
		later := func(c *foundChunk) (order int) {
			if c.asked {
				order = 1
			}
			if slices.ContainsFunc(c.newer, func(uid string) bool { return waiting[uid] }) {
				order += 2
			}
			return order
		}
		for range chunks {
			best, order, value := -1, 0, 0.0
			for i := range chunks {
				if taken[i] {
					continue
				}
				its, v := later(&chunks[i]), relevance*chunks[i].score-(1-relevance)*likeness[i]
				if best < 0 || its < order || its == order && v > value {
					best, order, value = i, its, v
				}
			}
			if best < 0 {
				return
			}
			taken[best], waiting[chunks[best].UID] = true, false
			next := &chunks[best]
			for i := range chunks {
				if taken[i] {
					continue
				}
				alike := jaccard(chunks[i].words, next.words)
				likeness[i] = max(likeness[i], alike)
				if alike >= minSimilarity && next.repeats(&chunks[i]) {
					taken[i], waiting[chunks[i].UID] = true, false
					next.similar++
				}
			}
			if !yield(next) {
				return
			}
		}
	}
}
