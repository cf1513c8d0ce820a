package recall

import (
	"math"
	"strings"

	"nomograph/search"
)

// minPart is the minimum relevance of a chunk relative to the best chunk. Memory knows something about a question if
// the best chunk reaches the bound of search, and the chunks together do not lack the question's words. Measured on
// ten long conversations, including questions that none of them answers (decision 0508).
const minPart = 0.4

// relevanceScores decides which chunks are relevant to a question.
type relevanceScores struct {
	check  *search.Check // nil if the question only names a time
	hits   map[string]search.Hit
	scores map[string]float64 // by chunk uid
	least  float64            // minimum score of a chunk
}

// newRelevanceScores scores the chunks that were found. texts is the number of passages that were searched.
func (s *Store) newRelevanceScores(question string, rows []foundChunk, hits []search.Hit,
	texts int64) *relevanceScores {
	b := &relevanceScores{check: s.chunks.Check(question, texts), hits: map[string]search.Hit{},
		scores: map[string]float64{}}
	for _, hit := range hits {
		b.hits[hit.UID] = hit
	}
	var all strings.Builder
	best := 0.0
	for i := range rows {
		if !rows[i].asked { // an earlier copy of the question matches best, and answers nothing
			all.WriteString(rows[i].Text + "\n")
			best = max(best, b.score(&rows[i]))
		}
	}
	if b.least = minPart * best; best < b.check.Bound ||
		b.check.Lacks(all.String()) { // memory knows nothing about the question
		b.least = math.Inf(1)
	}
	return b
}

// score returns the relevance of a chunk. Its date belongs to its words, and roles of speakers do not.
func (b *relevanceScores) score(c *foundChunk) float64 {
	its, ok := b.scores[c.UID]
	if !ok {
		its = b.check.Score(b.hits[c.UID].Semantic, c.subject()+"\n"+withoutRoles.Replace(c.Text)+"\n"+
			c.At.Format("Monday 2 January 2006"))
		b.scores[c.UID] = its
	}
	return its
}

var withoutRoles = strings.NewReplacer("User: ", "", "Assistant: ", "")

// isRelevant reports whether a chunk is relevant to the question. If the question only names a time, all chunks are.
func (b *relevanceScores) isRelevant(c *foundChunk) bool {
	return b.check == nil || !b.check.HasSubject() || b.score(c) >= b.least
}
