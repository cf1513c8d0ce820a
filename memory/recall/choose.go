package recall

import (
	"cmp"
	"context"
	"math"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
)

// How what was found becomes what is told.
const (
	seeds      = 5   // chunks that the walk begins with
	steps      = 3   // along a session
	perStep    = 0.6 // of its seed's score, for what the walk leads to
	relevance  = 0.7 // what counts beside being unlike what is told already (Carbonell and Goldstein 1998)
	sameThing  = 0.8 // of their words that two chunks share (Jaccard) which say the same
	leastScore = 0.2 // of the best score, below which nothing is told that only fills the budget
)

// along walks from the best of the chunks, forward or backward, and gives them with what that leads to, best first.
func (s *Store) along(ctx context.Context, chunks []found, forward bool) ([]found, error) {
	if len(chunks) == 0 {
		return nil, nil
	}
	uids := make([]string, min(seeds, len(chunks)))
	for i := range uids {
		uids[i] = chunks[i].Chunk.UID
	}
	rows, err := graph.All[row](ctx, s.graph, cypher.ChunksAlong, graph.Params{"uids": uids, "forward": forward, "steps": steps})
	if err != nil {
		return nil, err
	}
	place := map[string]int{}
	for i, c := range chunks {
		place[c.Chunk.UID] = i
	}
	for _, r := range rows {
		score := chunks[r.Seed].score * math.Pow(perStep, float64(r.Steps))
		if i, had := place[r.Chunk.UID]; had {
			chunks[i].score = max(chunks[i].score, score)
			continue
		}
		c := found{row: r, messages: messagesOf(r.Chunk.Text), score: score, because: r.Because, words: map[string]bool{}}
		for _, m := range c.messages {
			for _, word := range m.stems {
				c.words[word] = true
			}
		}
		place[r.Chunk.UID] = len(chunks)
		chunks = append(chunks, c)
	}
	slices.SortStableFunc(chunks, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Chunk.UID, b.Chunk.UID))
	})
	return chunks, nil
}

// diverse orders chunks so that each next one is good and unlike those before it. What says the same as a better one is counted with that
// one, and goes.
func diverse(chunks []found) (chosen []found, same map[string]int) {
	same = map[string]int{}
	likeness := make([]float64, len(chunks)) // to the nearest of those that were chosen
	taken := make([]bool, len(chunks))
	for range chunks {
		best, value := -1, 0.0
		for i, c := range chunks {
			if v := relevance*c.score - (1-relevance)*likeness[i]; !taken[i] && (best < 0 || v > value) {
				best, value = i, v
			}
		}
		if best < 0 {
			break
		}
		taken[best] = true
		chosen = append(chosen, chunks[best])
		for i, c := range chunks {
			if taken[i] {
				continue
			}
			alike := jaccard(c.words, chunks[best].words)
			likeness[i] = max(likeness[i], alike)
			if alike >= sameThing && c.Chunk.Session != chunks[best].Chunk.Session {
				taken[i] = true
				same[chunks[best].Chunk.UID]++
			}
		}
	}
	return chosen, same
}

func jaccard(a, b map[string]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) == 0 || float64(len(a)) < float64(len(b))/10 {
		return 0
	}
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
