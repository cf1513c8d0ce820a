package search

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"nomograph/graph"
	"nomograph/internal/lists"
)

// The score of a text is its cosine similarity plus wordWeight times its wordShare, the share of the question's subject
// words. A text is relevant if its score reaches the bound, if its cosine reaches minCosine, or if it has all subject
// words. Cosines are on the scale of the built-in embedder. BM25 has no absolute scale and drifts with the index, so it
// is used for ranking only. Measured on real records: decision 0508, the test of records, relevanceOfRecords.
const (
	minCosine  = 0.55
	wordWeight = 0.5 // weight of the share of the subject words in the score of a text

	minForeignShare = 1.0 / 3 // share that is enough for a foreign question
)

// bound returns the minimum score of a relevant text, for the number of the question's subject words and of the texts
// that are searched. The best score of unrelated texts grows like the largest of as many random numbers, with the
// square root of the logarithm of their number. Long questions vary less.
func bound(words float64, texts int64) float64 {
	const (
		base     = -0.14
		chance   = 0.46
		minTexts = 20
		least    = 0.25
	)
	return max(least, base+chance*math.Sqrt(math.Log(float64(max(texts, minTexts)))/max(words, 1)))
}

const (
	manyTexts        = 10_000 // number of texts that Relevance assumes
	maxReadLength    = 16_000 // characters of each text field that are searched for words
	maxEmbedded      = 5      // passages to embed for a text without a stored vector
	minEndLength     = 5      // characters of a word that ends another one
	minPrefixLength  = 4      // characters; longer question words also match words that start with them
	minSharingLength = 3      // bytes that a word and its stem have in common
)

// Check decides whether texts are relevant to one question.
type Check struct {
	subject []string            // subject words of the question
	pairs   int                 // how many of them are pairs of characters, of which about half are words
	Bound   float64             // minimum score of a relevant text
	wanted  map[string][]wanted // what matches them, by its first bytes
	// only common words show what a text is about: the letters of another script make all texts in it similar
	foreign bool
	unknown []wanted         // subject words of a foreign question that the embedder does not know
	builtin func() []float32 // vector of the question by the built-in embedder
	// converts cosines of the index's embedder to the scale of the built-in one; nil if unknown
	scale func(float64) float64
}

// wanted is a word that a text may contain, and the indexes of the subject words that it stands for: one, or two if
// they are written as one word.
type wanted struct {
	word, stem string
	inflected  bool // stems of its language are unknown, so a common beginning is enough
	foreign    bool // it may also be a part of a compound
	of         []int
}

// Relevance returns a function that reports whether a text is relevant to a question, by the words and the built-in
// embedder. A question with all words of the title is about it. No text is relevant to a question without subject
// words.
func Relevance(question string) func(title, text string) bool {
	r := newCheck(question, nil, manyTexts)
	return func(title, text string) bool {
		return r.HasSubject() && r.relevant(nil, hitText{title: title, text: text, phrases: []string{title}})
	}
}

// Check returns the check of a question. texts is the number of texts that are searched.
func (x *Index) Check(question string, texts int64) *Check {
	return newCheck(question, x.scale(), texts)
}

// HasSubject reports whether the question has a word besides question words.
func (r *Check) HasSubject() bool { return len(r.subject) > 0 }

// subject returns the words that describe the subject of a question.
func subject(words []term) []term {
	return slices.DeleteFunc(slices.Clone(words), func(t term) bool { return IsQuestionWord(t.word) })
}

// newCheck prepares the check of a question. texts is the number of texts that are searched.
func newCheck(question string, scale func(float64) float64, texts int64) *Check {
	r := Check{foreign: isForeign(cut(question)), wanted: map[string][]wanted{}, scale: scale,
		builtin: sync.OnceValue(func() []float32 { return table().embed(cut(question)) })}
	places, before, its := map[string]int{}, "", -1
	for word := range Words(cut(question)) {
		stem, at := Stem(word), -1
		if !IsQuestionWord(word) && len(r.subject) < maxTerms {
			var known bool
			if at, known = places[stem]; !known {
				at = len(r.subject)
				places[stem], r.subject = at, append(r.subject, word)
				w := wanted{word: word, stem: stem, inflected: inflected(word), of: []int{at}}
				if w.foreign = w.inflected && r.foreign; w.foreign {
					r.unknown = append(r.unknown, w)
				}
				r.want(w)
				if isPair(word) {
					r.pairs++
				}
			}
		}
		if both := slices.DeleteFunc([]int{its, at}, func(at int) bool { return at < 0 }); before != "" &&
			len(both) > 0 {
			r.want(wanted{word: before + word, stem: joined(before, word), of: both})
		}
		before, its = word, at
	}
	r.Bound = bound(r.length(), texts)
	return &r
}

// length returns the number of subject words.
func (r *Check) length() float64 { return float64(len(r.subject)) - float64(r.pairs)/2 }

func (r *Check) want(w wanted) {
	first := firstBytes(w.stem)
	r.wanted[first] = append(r.wanted[first], w)
}

// joined returns the stem of two words written as one, such as rollout for rolled out.
func joined(a, b string) string { return Stem(Stem(a) + b) }

// inflected reports whether a word may have endings that the stemmer does not know, since the embedder does not know it
// as English.
func inflected(word string) bool {
	_, known := table().words.row(word, false)
	return !known
}

func (w wanted) in(word, stem string) bool {
	return stem == w.stem || len(w.of) == 1 && (utf8.RuneCountInString(w.stem) >= minPrefixLength &&
		strings.HasPrefix(word, w.stem) || w.inflected && inflected(word) && shareBeginning(word, w.word, w.foreign))
}

// shareBeginning reports whether two words begin with the same minPrefixLength characters, and most of the longer one,
// or two thirds of the shorter one if the other can be a compound.
func shareBeginning(a, b string, compound bool) bool {
	common := 0
	a, b = strings.TrimPrefix(a, arabicArticle), strings.TrimPrefix(b, arabicArticle)
	for i, r := range a {
		if !strings.HasPrefix(b[min(i, len(b)):], string(r)) {
			break
		}
		common++
	}
	its, other := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	return common >= minPrefixLength && (2*common > max(its, other) || compound && 3*common > 2*min(its, other))
}

const arabicArticle = "ال"

// shareEnd reports whether one of two words is the end of the other, as in compounds (Benutzersitzungen) and after
// articles (הגיבויים).
func shareEnd(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return utf8.RuneCountInString(b) >= minEndLength && strings.HasSuffix(a, b)
}

// wordShare returns the share of the question's subject words that a text contains, from 0 to 1, and the words that it
// lacks. Two words match one that joins them, in both directions.
func (r *Check) wordShare(text string) (share float64, lacking []string) {
	if len(r.subject) == 0 {
		return 0, nil
	}
	has, n, before := make([]bool, len(r.subject)), 0, ""
	for word := range Words(text) {
		n += r.mark(has, word, func() string { return Stem(word) })
		for _, w := range r.unknown {
			if at := w.of[0]; !has[at] && shareEnd(word, w.word) {
				has[at] = true
				n++
			}
		}
		if before != "" {
			n += r.mark(has, before+word, func() string { return joined(before, word) })
		}
		if n == len(has) {
			return 1, nil
		}
		before = word
	}
	for i, word := range r.subject {
		if !has[i] {
			lacking = append(lacking, word)
		}
	}
	return min(float64(n)/r.length(), 1), lacking
}

// mark marks the subject words that a word of a text stands for, and returns how many were not marked before.
func (r *Check) mark(has []bool, word string, stem func() string) (n int) {
	wanted := r.wanted[firstBytes(word)]
	if len(wanted) == 0 {
		return 0
	}
	its := stem()
	for _, w := range wanted {
		if !slices.ContainsFunc(w.of, func(at int) bool { return !has[at] }) || !w.in(word, its) {
			continue
		}
		for _, at := range w.of {
			if !has[at] {
				has[at] = true
				n++
			}
		}
	}
	return n
}

// containsPhrase reports whether the question contains all words of a phrase.
func (r *Check) containsPhrase(phrase string) bool {
	found := false
	for word := range Words(phrase) {
		if IsQuestionWord(word) {
			continue
		}
		stem := Stem(word)
		if found = slices.ContainsFunc(r.wanted[firstBytes(stem)],
			func(w wanted) bool { return w.stem == stem }); !found {
			return false
		}
	}
	return found
}

// hitText is the text of a hit. A question that contains one of the phrases makes the hit relevant.
type hitText struct {
	title, text string
	phrases     []string
}

// relevant reports whether a text is relevant. semantic is its cosine similarity by the index's embedder, or nil if
// unknown.
func (r *Check) relevant(semantic *float64, of hitText) bool {
	alike := r.cosine(semantic)
	return alike >= minCosine && !r.foreign || slices.ContainsFunc(of.phrases, r.containsPhrase) ||
		r.score(alike, of) >= r.Bound
}

// cosine converts a cosine similarity of the index's embedder. It returns NaN if it is unknown.
func (r *Check) cosine(semantic *float64) float64 {
	if semantic == nil || r.scale == nil {
		return math.NaN()
	}
	return r.scale(*semantic)
}

// Score returns the score of a text: its cosine similarity plus wordWeight times its share of the subject words. It is
// at least Bound if the text is relevant. semantic is its cosine similarity by the index's embedder, or nil if unknown.
func (r *Check) Score(semantic *float64, text string) float64 {
	return r.score(r.cosine(semantic), hitText{text: text})
}

func (r *Check) score(alike float64, of hitText) float64 {
	share, _ := r.wordShare(of.title + "\n" + of.text)
	if math.IsNaN(alike) {
		alike = nearestCosine(r.builtin(), of)
	}
	score := alike + wordWeight*share
	switch {
	case r.foreign && share == 0:
		return min(score, 0)
	case share == 1, r.foreign && share >= minForeignShare, !r.foreign && alike >= minCosine:
		return max(score, r.Bound)
	}
	return score
}

// Lacks reports whether a text has some of the question's subject words but at most a third of them, and the embedder
// knows the others. Such texts are near a question only by the words that they share, such as file.
func (r *Check) Lacks(text string) bool {
	share, lacking := r.wordShare(text)
	return !r.foreign && share > 0 && share <= 1.0/3 && !slices.ContainsFunc(lacking, inflected)
}

// nearestCosine returns the cosine similarity of a question and the nearest passage of a text, by the built-in
// embedder.
func nearestCosine(asked []float32, of hitText) float64 {
	best := -1.0
	if asked == nil {
		return 0
	}
	passages := Passages(of.title, of.text)
	for _, passage := range passages[:min(len(passages), maxEmbedded)] {
		best = max(best, product(asked, table().embed(passage)))
	}
	return best
}

func firstBytes(word string) string { return word[:min(len(word), minSharingLength)] }

// unrelatedTexts are sentences on different subjects. The cosine similarities between them calibrate an embedder.
var unrelatedTexts = []string{
	"Store sessions in a relational database with row level locking.",
	"The tomatoes on the balcony need water every evening.",
	"Deploy the service behind a load balancer in two regions.", "She won the marathon in just under three hours.",
	"Rotate the signing keys of access tokens every ninety days.",
	"The museum shows paintings of the seventeenth century.",
	"Retry failed requests with exponential backoff and jitter.", "File the income tax return before the end of May.",
	"Pin the versions of all dependencies in a lock file.", "A newborn sleeps up to eighteen hours a day.",
	"Write the changelog by hand before each release.", "The orchestra plays a symphony by Brahms tonight.",
	"Use feature flags for gradual rollouts to customers.", "Boil the pasta for nine minutes and drain it.",
	"Encrypt backups before they leave the data center.", "The train to Vienna departs from platform seven.",
}

// spread is the distribution of the cosine similarities of unrelated texts.
type spread struct{ mean, deviation float64 }

func spreadOf(vectors [][]float32) spread {
	var cosines []float64
	for i, a := range vectors {
		for _, b := range vectors[:i] {
			if a != nil && b != nil {
				cosines = append(cosines, product(a, b))
			}
		}
	}
	var s spread
	for _, c := range cosines {
		s.mean += c / float64(len(cosines))
	}
	for _, c := range cosines {
		s.deviation += (c - s.mean) * (c - s.mean) / float64(len(cosines))
	}
	s.deviation = math.Sqrt(s.deviation)
	return s
}

var builtinSpread = sync.OnceValue(func() spread {
	vectors := lists.Map(unrelatedTexts, table().embed)
	return spreadOf(vectors)
})

const minDeviation = 0.01 // below this deviation, an embedder does not distinguish texts

// scale returns a function that converts cosines of the index's embedder to the scale of the built-in one. It returns
// nil if the distribution is unknown or too narrow.
func (x *Index) scale() func(float64) float64 {
	if x.builtin() {
		return func(cosine float64) float64 { return cosine }
	}
	its := x.spread.Load()
	if its == nil || its.deviation < minDeviation {
		return nil
	}
	spread := builtinSpread()
	return func(cosine float64) float64 { return spread.mean + (cosine-its.mean)*spread.deviation/its.deviation }
}

// onlyRelevant removes the hits that are not relevant, if the corpus has a relevance threshold. It also reads the best
// hits that full text did not return.
func (s *search) onlyRelevant(ctx context.Context, found Results) (Results, error) {
	all := s.Nearest || s.corpus.textOf == nil // no threshold applies
	read := make(map[string]map[string]any, len(found.Read))
	for _, row := range found.Read {
		read[graph.Text(row, "uid")] = row
	}
	var unread []string
	for _, hit := range found.Hits[:min(len(found.Hits), max(2*s.Limit, minDeep))] { // the others cannot be in the result
		if read[hit.UID] == nil {
			unread = append(unread, hit.UID)
		}
	}
	if len(unread) > 0 && s.corpus.read.Name != "" && (!all || s.Mode == Hybrid) {
		rows, err := s.readDecisions(ctx, unread)
		if err != nil {
			return Results{}, err
		}
		for _, row := range rows {
			read[graph.Text(row, "uid")] = row
		}
		found.Read = append(found.Read, rows...)
	}
	if all {
		return found, nil
	}
	r := s.Check(s.Text, found.Texts)
	found.Hits = slices.DeleteFunc(found.Hits, func(hit Hit) bool {
		return !r.relevant(hit.Semantic, s.corpus.textOf(read[hit.UID]))
	})
	return found, nil
}

// decisionText and contextText extract the text of a hit from a row.
func decisionText(row map[string]any) hitText {
	return hitText{title: graph.Text(row, "decision"), text: graph.Text(row, "context") + "\n" +
		graph.Text(row, "terms")}
}

func contextText(row map[string]any) hitText {
	words, _ := row["keywords"].([]any)
	phrases := graph.Texts(words)
	return hitText{title: graph.Text(row, "name"), text: graph.Text(row, "content") + "\n" +
		strings.Join(phrases, "\n"), phrases: phrases}
}
