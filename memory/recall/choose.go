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

// How what was found becomes what is told.
const (
	seeds     = 5   // chunks that the walk begins with
	steps     = 3   // along a session
	perStep   = 0.6 // of its seed's score, for what the walk leads to
	relevance = 0.7 // what counts beside being unlike what is told already (Carbonell and Goldstein 1998)
	sameThing = 0.8 // of their words that two chunks share (Jaccard) which say the same
	minScore  = 0.2 // of the best score, below which nothing is told that only fills the budget
)

// along walks from the best of the chunks, forward or backward, and gives them with what that leads to, best first.
func (s *Store) along(ctx context.Context, chunks []found, forward bool, by *relevanceScores, d *tokenizer) ([]found, error) {
	if len(chunks) == 0 {
		return nil, nil
	}
	uids := make([]string, min(seeds, len(chunks)))
	for i := range uids {
		uids[i] = chunks[i].UID
	}
	rows, err := graph.All[row](ctx, s.graph, cypher.ChunksAlong, graph.Params{"uids": uids, "forward": forward, "steps": steps})
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
		c := d.read(r)
		c.score, c.because = score, r.Because
		if far := r.Seed > 0 || r.Steps > 1; far && !forward && (r.Because == "before" || r.Because == "after") && c.Kind != memory.FactKind && !by.bears(&c) {
			continue // only what stands right beside the best is told for that alone
		}
		place[r.UID] = len(chunks)
		chunks = append(chunks, c)
	}
	inOrder(chunks)
	return chunks, nil
}

// repeats reports whether another chunk, most of whose words it shares, says the same: the same numbers, names, negations and dates, in another
// session; a question may have been asked again in the same one.
func (c *found) repeats(other *found) bool {
	if c.asked && other.asked {
		return true
	}
	return c.Session != other.Session && len(c.superseded) == 0 && len(other.superseded) == 0 && claims.Agree(c.Text, other.Text)
}

// inOrder sorts chunks, the best first; what was only asked comes behind all else.
func inOrder(chunks []found) {
	slices.SortStableFunc(chunks, func(a, b found) int {
		if a.asked != b.asked {
			return map[bool]int{true: 1, false: -1}[a.asked]
		}
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.UID, b.UID))
	})
}

// candidate is a chunk with how many others say the same.
type candidate struct {
	*found
	similar int
}

// diverse gives chunks, one after another while they are wanted, so that each next one is good and unlike those before it. What says the same as a
// better one is counted with that one, and not given.
func diverse(chunks []found) iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		likeness := make([]float64, len(chunks)) // to the nearest of those that were chosen
		taken := make([]bool, len(chunks))
		for range chunks {
			best, value := -1, 0.0
			for i := range chunks {
				v := relevance*chunks[i].score - (1-relevance)*likeness[i]
				if !taken[i] && (best < 0 || chunks[best].asked && !chunks[i].asked || chunks[best].asked == chunks[i].asked && v > value) {
					best, value = i, v
				}
			}
			if best < 0 {
				return
			}
			taken[best] = true
			next := candidate{found: &chunks[best]}
			for i := range chunks {
				if taken[i] {
					continue
				}
				alike := jaccard(chunks[i].words, next.words)
				likeness[i] = max(likeness[i], alike)
				if alike >= sameThing && next.repeats(&chunks[i]) {
					taken[i] = true
					next.similar++
				}
			}
			if !yield(next) {
				return
			}
		}
	}
}
