package recall

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"nomograph/internal/timeparse"
	"nomograph/memory"
	"nomograph/search"
)

// Weights of the ranking. They were measured on long conversations with known answers: `go run ./bench -only memory`.
const (
	cosineWeight   = 0.3 // weight of a chunk's cosine similarity
	bySession      = 0.8 // weight of its session's score
	byChunk        = 0.2 // weight of its chunk's score
	byNeighbor     = 0.4 // weight of the better adjacent message
	nextOfOne      = 0.6 // factor for each further chunk of a session
	namedTimeBonus = 0.5 // increase of the score within the time that the question names
)

// HalfLife is the age at which the weight of recency has halved. If recent context is requested, the score is
// multiplied by 1 + 0.3 * 2^(-age/HalfLife).
const (
	HalfLife = 48 * time.Hour
	ofNew    = 0.3
)

// ranking holds the inputs of a ranking.
type ranking struct {
	question string
	named    *timeparse.Span
	recent   bool
	texts    int64 // number of passages that were searched
}

// covers reports whether a chunk is of the time that the question names.
func (by ranking) covers(r row) bool { return by.named != nil && by.named.Overlaps(r.At, r.EndsAt) }

// factor returns the factor of a chunk's score by its time.
func (by ranking) factor(r row, now time.Time) float64 {
	factor := 1.0
	if by.covers(r) {
		factor += namedTimeBonus
	}
	if by.recent {
		factor *= 1 + ofNew*math.Exp2(-float64(max(now.Sub(r.EndsAt), 0))/float64(HalfLife))
	}
	return factor
}

// rank returns the chunks, best first, and sets the ranked sessions and messages in out.
func (s *Store) rank(rows []row, hits []search.Hit, by ranking, out *Found) []foundChunk {
	scores := scoresOf(hits)
	var chunks []foundChunk
	for _, r := range rows {
		if its := scores[r.UID]; !its.unlike {
			c := readChunk(r)
			c.hitScores = its
			chunks = append(chunks, c)
		}
	}
	if len(chunks) == 0 {
		return nil
	}
	question := map[string]float64{}
	for _, word := range stemsOf(keywords(by.question)) {
		question[word]++
	}
	for i := range chunks {
		chunks[i].asked = matchesOnlyQuestions(&chunks[i], question)
	}
	out.bearing = s.newRelevanceScores(by.question, chunks, hits, by.texts)
	sessions := sessionScores(chunks, rows, hits, scores, question)
	lifted := map[string]bool{}
	for _, c := range chunks {
		if id := c.Session; !lifted[id] && by.covers(c.row) {
			lifted[id] = true
			sessions[id] *= 1 + namedTimeBonus
		}
	}
	rankMessages(chunks, question, sessions)
	now := s.now()
	for i := range chunks {
		c := &chunks[i]
		for j := range c.messages {
			c.score = max(c.score, c.messages[j].score)
		}
		factor := by.factor(c.row, now)
		c.score *= factor
		for _, m := range c.messages {
			out.Messages = append(out.Messages, Message{c.UID, c.SessionID, m.text, m.score * factor})
		}
	}
	inOrder(chunks)
	for i := range chunks {
		chunks[i].relevant = out.bearing.isRelevant(&chunks[i])
	}
	slices.SortStableFunc(out.Messages, func(a, b Message) int { return cmp.Compare(b.Score, a.Score) })
	out.Sessions = orderOf(chunks, sessions)
	best := chunks[0].score
	for i := range chunks {
		if best > 0 {
			chunks[i].score = min(chunks[i].score/best, 1)
		}
		if chunks[i].asked && !chunks[0].asked {
			chunks[i].score = min(chunks[i].score, justBelow)
		}
	}
	return chunks
}

// hitScores are the scores of a hit from 0 to 1, relative to the best ones.
type hitScores struct {
	keyword, semantic float64
	unlike            bool // it has no word of the question and a low similarity
}

// own returns the score of a hit without its context.
func (h hitScores) own() float64 { return h.keyword + cosineWeight*h.semantic }

// scoresOf returns the scores of hits by their uids.
func scoresOf(hits []search.Hit) map[string]hitScores {
	var best, near float64
	for _, hit := range hits {
		best, near = max(best, value(hit.Keyword)), max(near, value(hit.Semantic))
	}
	scores := map[string]hitScores{}
	for _, hit := range hits {
		its := hitScores{unlike: hit.Keyword == nil && value(hit.Semantic) < minCosine}
		if best > 0 {
			its.keyword = value(hit.Keyword) / best
		}
		if near > 0 {
			its.semantic = max(value(hit.Semantic), 0) / near
		}
		scores[hit.UID] = its
	}
	return scores
}

func value(score *float64) float64 {
	if score == nil {
		return 0
	}
	return *score
}

// sessionScores returns the score of each session, from 0 to 1. It combines the decreasing sum of its chunks' scores
// and BM25 over all its words. Hits whose text was not read count for the sessions of the others.
func sessionScores(chunks []foundChunk, rows []row, hits []search.Hit, scored map[string]hitScores,
	question map[string]float64) map[string]float64 {
	owns, texts := map[string][]float64{}, map[string][]string{}
	for i := range chunks {
		c := &chunks[i]
		id := c.Session
		owns[id] = append(owns[id], c.own())
		for _, m := range c.messages {
			texts[id] = append(texts[id], m.stems...)
		}
		texts[id] = append(texts[id], stemsOf(c.At.Format("2 January 2006"))...)
	}
	read := map[string]bool{}
	for _, r := range rows {
		read[r.UID] = true
	}
	for _, hit := range hits {
		if !read[hit.UID] && hit.Group != "" && owns[hit.Group] != nil {
			owns[hit.Group] = append(owns[hit.Group], scored[hit.UID].own())
		}
	}
	ids := slices.Sorted(maps.Keys(owns))
	together, scores := make([][]string, len(ids)), make([]float64, len(ids))
	for i, id := range ids {
		together[i] = texts[id]
		slices.SortFunc(owns[id], func(a, b float64) int { return cmp.Compare(b, a) })
		part := 1.0
		for _, own := range owns[id] {
			scores[i] += part * own
			part *= nextOfOne
		}
	}
	relative(scores)
	for i, words := range bm25(together, question) {
		scores[i] += words
	}
	byID := map[string]float64{}
	for i, score := range relative(scores) {
		byID[ids[i]] = score
	}
	return byID
}

// rankMessages scores each message by its words and its context.
func rankMessages(chunks []foundChunk, question map[string]float64, sessions map[string]float64) {
	var texts [][]string
	owns, at := make([]float64, len(chunks)), make([]int, len(chunks))
	place := map[string]map[int64]int{} // chunk index by session and position
	for i := range chunks {
		c := &chunks[i]
		owns[i], at[i] = c.own(), len(texts)
		for _, m := range c.messages {
			texts = append(texts, m.stems)
		}
		if c.Session != "" && c.Kind != memory.Decision {
			if place[c.Session] == nil {
				place[c.Session] = map[int64]int{}
			}
			place[c.Session][c.Position] = i
		}
	}
	words := bm25(texts, question)
	relative(owns)
	for i := range chunks {
		c := &chunks[i]
		before, after := -1, -1
		if neighbors := place[c.Session]; c.Kind != memory.Decision && neighbors != nil {
			if j, ok := neighbors[c.Position-1]; ok {
				before = at[j] + len(chunks[j].messages) - 1
			}
			if j, ok := neighbors[c.Position+1]; ok {
				after = at[j]
			}
		}
		for j := range c.messages {
			left, right := at[i]+j-1, at[i]+j+1
			if j == 0 {
				left = before
			}
			if j == len(c.messages)-1 {
				right = after
			}
			neighbor := 0.0
			for _, k := range []int{left, right} {
				if k >= 0 {
					neighbor = max(neighbor, words[k])
				}
			}
			c.messages[j].score = (words[at[i]+j] + byNeighbor*neighbor + byChunk*owns[i] + bySession*sessions[c.Session] + cosineWeight*c.semantic) /
				(1 + byNeighbor + byChunk + bySession + cosineWeight)
		}
	}
}

// orderOf returns the session ids of chunks, best session first.
func orderOf(chunks []foundChunk, scores map[string]float64) (ids []string) {
	byScore := slices.SortedFunc(maps.Keys(scores),
		func(a, b string) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	names := map[string]string{}
	for _, c := range chunks {
		names[c.Session] = c.SessionID
	}
	for _, uid := range byScore {
		if names[uid] != "" {
			ids = append(ids, names[uid])
		}
	}
	return ids
}
