package recall

import (
	"cmp"
	"slices"
	"strings"

	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/internal/tokencount"
)

const (
	passageBytes   = 400 // target length of a passage in bytes
	minShort       = 200 // minimum number of free tokens for shortening a chunk
	messageWeight  = 0.3 // weight of the message's score in a passage's score
	neighborWeight = 0.3 // weight of the better adjacent passage
)

// passage is a part of a message. from and to are byte offsets in the message's text.
type passage struct {
	message, from, to int
	score             float64
}

// passagesOf splits messages into passages, at paragraphs if possible, else at lines, sentences or words.
func passagesOf(messages []message) (all []passage) {
	for i, m := range messages {
		for from := 0; from < len(m.text); {
			end := passageEnd(m.text[from:])
			all = append(all, passage{message: i, from: from, to: from + end})
			from += end
		}
	}
	return all
}

var passageEnds = []string{"\n\n", "\n", ". ", "? ", "! ", "; ", " "}

// passageEnd returns the length of the first passage of a text, which must not be empty.
func passageEnd(text string) int {
	if len(text) <= passageBytes*5/4 {
		return len(text)
	}
	head := text[:passageBytes]
	for _, mark := range passageEnds {
		if at := strings.LastIndex(head, mark); at > passageBytes/4 {
			return at + len(mark)
		}
	}
	return max(len(render.Prefix(text, passageBytes)), 1)
}

// shorten returns a chunk with its best passages in their original order, within a token budget. The score of adjacent
// passages and of their message counts, so that an answer follows its question.
func (c *foundChunk) shorten(project string, limit int, counter *tokencount.Counter, how presentation) (ChunkResult,
	bool) {
	t := c.result(project)
	t.Shortened = true
	all := passagesOf(c.messages)
	texts := lists.Map(all, func(p passage) []string { return stemsOf(c.messages[p.message].text[p.from:p.to]) })
	words := bm25(texts, how.question)
	best := 0.0
	for _, m := range c.messages {
		best = max(best, m.score)
	}
	for i := range all {
		p := &all[i]
		p.score = words[i]
		if best > 0 {
			p.score += messageWeight * c.messages[p.message].score / best
		}
		p.score += neighborWeight * slices.Max(slices.Concat(words[max(i-1, 0):i], words[i+1:min(i+2, len(all))],
			[]float64{0}))
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].score, all[a].score) })
	keep, fitting := make([]bool, len(all)), ""
	for _, i := range order {
		keep[i] = true
		if t.Text = textOf(c.messages, all, keep); t.cost(counter, how.head) > limit {
			break
		}
		fitting = t.Text
	}
	if t.Text = fitting; fitting != "" || len(order) == 0 {
		return t, fitting != ""
	}
	return c.cutAround(t, all[order[0]], limit, counter, how)
}

// cutTo returns only the best words of a chunk, for a budget that has no room for its session, links and changes.
func (c *foundChunk) cutTo(limit int, counter *tokencount.Counter, how presentation) (ChunkResult, bool) {
	t, best := ChunkResult{At: c.At.UTC(), Relevance: c.result("").Relevance, Shortened: true}, 0
	for i, m := range c.messages {
		if m.score > c.messages[best].score {
			best = i
		}
	}
	return c.cutAround(t, passage{message: best, to: len(c.messages[best].text)}, limit, counter, how)
}

// cutAround shortens a single passage to the text around its first matching word.
func (c *foundChunk) cutAround(t ChunkResult, p passage, limit int, counter *tokencount.Counter,
	how presentation) (ChunkResult, bool) {
	runes := []rune(render.Clean(c.messages[p.message].text[p.from:p.to]))
	for n := min(len(runes), 6*limit); n > 20; n = n * 3 / 4 {
		at := 0
		if first := firstMatch(string(runes), how); first > n/2 {
			at = min(first-n/2, len(runes)-n)
		}
		t.Text = string(runes[at : at+n])
		if at > 0 {
			t.Text = cutMark + " " + t.Text
		}
		if at+n < len(runes) {
			t.Text += " " + cutMark
		}
		if t.cost(counter, how.head) <= limit {
			return t, true
		}
	}
	return t, false
}

// firstMatch returns the character index of the first word that matches the question, or 0.
func firstMatch(text string, how presentation) int {
	place := 0
	for word := range strings.SplitSeq(text, " ") {
		for _, stem := range stemsOf(word) {
			if how.question[stem] > 0 {
				return place
			}
		}
		place += len([]rune(word)) + 1
	}
	return 0
}

// textOf joins the kept passages and marks the gaps between them.
func textOf(messages []message, all []passage, keep []bool) string {
	var b strings.Builder
	gap := false
	for i, p := range all {
		begins := p.from == 0
		if !keep[i] {
			if !gap {
				if b.Len() > 0 {
					b.WriteString(map[bool]string{true: "\n\n", false: " "}[begins])
				}
				b.WriteString(cutMark)
			}
			gap = true
			continue
		}
		switch {
		case b.Len() == 0:
		case begins:
			b.WriteString("\n\n")
		case gap:
			b.WriteString(" ")
		}
		text := messages[p.message].text[p.from:p.to]
		if gap || i+1 == len(all) || !keep[i+1] {
			text = strings.TrimSpace(text)
		}
		b.WriteString(text)
		gap = false
	}
	return render.Clean(strings.TrimSpace(b.String()))
}
