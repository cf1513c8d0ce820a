package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/kljensen/snowball/english"

	"nomograph/cypher"
	"nomograph/graph"
)

// A text is relevant if its cosine similarity is at least minCosine. It is also relevant if the sum of its cosine and
// its wordShare, the share of the question's subject words, is at least minCosineAndCoverage. Cosines are on the scale of
// the built-in embedder. BM25 has no absolute scale and drifts with the index, so it is used for ranking only. Measured
// on real records: decision 0145, the test of records, relevanceOfRecords.
const (
	minCosine            = 0.55
	minCosineAndCoverage = 0.85
)

const (
	maxReadLength    = 16_000 // characters of each text field that are searched for words
	maxEmbedded      = 5      // passages to embed for a text without a stored vector
	minPrefixLength  = 4      // bytes; longer question words also match words that start with them
	maxStemmedLength = 40     // bytes; longer words are not stemmed
	minSharingLength = 3      // bytes that a word and its stem have in common
)

// relevanceCheck decides whether texts are relevant to one question.
type relevanceCheck struct {
	stems   []string              // stems of the question's subject words, without duplicates
	begins  map[string][]int      // indexes in stems by their first bytes
	builtin func() []float32      // vector of the question by the built-in embedder
	scale   func(float64) float64 // converts cosines of the index's embedder to the scale of the built-in one; nil if unknown
}

// Relevance returns a function that reports whether a text is relevant to a question, by the words and the built-in
// embedder. A question with all words of the title is about it. No text is relevant to a question without subject words.
func Relevance(question string) func(title, text string) bool {
	words := subject(terms(question))
	if len(words) == 0 {
		return func(string, string) bool { return false }
	}
	r := newRelevanceCheck(question, words, nil)
	return func(title, text string) bool {
		return r.relevant(nil, hitText{title: title, text: text, phrases: []string{title}})
	}
}

// subject returns the words that describe the subject of a question.
func subject(words []term) []term {
	return slices.DeleteFunc(slices.Clone(words), func(t term) bool { return questionWords.Has(t.word) })
}

func newRelevanceCheck(question string, words []term, scale func(float64) float64) *relevanceCheck {
	r := relevanceCheck{begins: map[string][]int{}, scale: scale, builtin: sync.OnceValue(func() []float32 { return table().embed(cut(question)) })}
	for _, t := range words {
		for word := range wordsWithin(t.word) {
			stem := stemOf(word)
			if slices.Contains(r.stems, stem) {
				continue
			}
			first := firstBytes(stem)
			r.begins[first] = append(r.begins[first], len(r.stems))
			r.stems = append(r.stems, stem)
		}
	}
	return &r
}

// wordShare returns the share of the question's subject words that a text contains, from 0 to 1.
func (r *relevanceCheck) wordShare(text string) float64 {
	if len(r.stems) == 0 {
		return 0
	}
	has, n := make([]bool, len(r.stems)), 0
	for word := range wordsWithin(text) {
		stem := ""
		for _, at := range r.begins[firstBytes(word)] {
			if has[at] {
				continue
			}
			if stem == "" {
				stem = stemOf(word)
			}
			if want := r.stems[at]; stem == want || len(want) >= minPrefixLength && strings.HasPrefix(word, want) {
				has[at] = true
				n++
			}
		}
		if n == len(has) {
			break
		}
	}
	return float64(n) / float64(len(has))
}

// containsPhrase reports whether the question contains all words of a phrase.
func (r *relevanceCheck) containsPhrase(phrase string) bool {
	found := false
	for word := range wordsWithin(phrase) {
		if IsQuestionWord(word) {
			continue
		}
		if found = slices.Contains(r.stems, stemOf(word)); !found {
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
func (r *relevanceCheck) relevant(semantic *float64, of hitText) bool {
	alike := math.NaN()
	if semantic != nil && r.scale != nil {
		alike = r.scale(*semantic)
	}
	if alike >= minCosine || slices.ContainsFunc(of.phrases, r.containsPhrase) {
		return true
	}
	share := r.wordShare(of.title + "\n" + of.text)
	if math.IsNaN(alike) {
		alike = r.nearestCosine(of)
	}
	return alike >= minCosine || share+alike >= minCosineAndCoverage
}

// nearestCosine returns the cosine similarity of the question and the nearest passage of a text, by the built-in embedder.
func (r *relevanceCheck) nearestCosine(of hitText) float64 {
	asked, best := r.builtin(), -1.0
	if asked == nil {
		return 0
	}
	passages := Passages(of.title, of.text)
	for _, passage := range passages[:min(len(passages), maxEmbedded)] {
		best = max(best, product(asked, table().embed(passage)))
	}
	return best
}

// wordsWithin yields the words of a text in lower case: sequences of letters and digits, or single characters of scripts
// without spaces.
func wordsWithin(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) }) {
			if !strings.ContainsFunc(word, ideograph) {
				if !yield(word) {
					return
				}
				continue
			}
			for _, r := range word {
				if !yield(string(r)) {
					return
				}
			}
		}
	}
}

func stemOf(word string) string {
	if len(word) > maxStemmedLength {
		return word
	}
	return english.Stem(word, true)
}

func firstBytes(word string) string { return word[:min(len(word), minSharingLength)] }

// unrelatedTexts are sentences on different subjects. The cosine similarities between them calibrate an embedder.
var unrelatedTexts = []string{
	"Store sessions in a relational database with row level locking.", "The tomatoes on the balcony need water every evening.",
	"Deploy the service behind a load balancer in two regions.", "She won the marathon in just under three hours.",
	"Rotate the signing keys of access tokens every ninety days.", "The museum shows paintings of the seventeenth century.",
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
	vectors := make([][]float32, len(unrelatedTexts))
	for i, text := range unrelatedTexts {
		vectors[i] = table().embed(text)
	}
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

// onlyRelevant removes the hits that are not relevant, if the corpus has a relevance threshold.
func (s *search) onlyRelevant(ctx context.Context, found Results) (Results, error) {
	if s.corpus.textOf == nil || s.Nearest || len(found.Hits) == 0 {
		return found, nil
	}
	texts := make(map[string]hitText, len(found.Read))
	for _, row := range found.Read {
		texts[graph.Text(row, "uid")] = s.corpus.textOf(row)
	}
	r := newRelevanceCheck(s.Text, s.words, s.scale())
	// Texts that full text did not find are read only for hits that can be in the result.
	unread, vectorsOnly := []string{}, []string{}
	limit := max(2*s.Limit, minDeep)
	for _, hit := range found.Hits[:min(len(found.Hits), limit)] {
		if _, ok := texts[hit.UID]; ok {
			continue
		}
		vectorsOnly = append(vectorsOnly, hit.UID)
		if !(hit.Semantic != nil && r.scale != nil && r.scale(*hit.Semantic) >= minCosine) {
			unread = append(unread, hit.UID)
		}
	}
	rows, err := s.readTexts(ctx, &found, unread, vectorsOnly)
	if err != nil {
		return Results{}, err
	}
	for _, row := range rows {
		texts[graph.Text(row.Read, "uid")] = s.corpus.textOf(row.Read)
	}
	found.Hits = slices.DeleteFunc(found.Hits, func(hit Hit) bool { return !r.relevant(hit.Semantic, texts[hit.UID]) })
	return found, nil
}

type textRow struct{ Read map[string]any }

// readTexts reads the texts of hits that the full-text query did not return, and in the same request the links of hits that
// only vectors found.
func (s *search) readTexts(ctx context.Context, found *Results, unread, vectorsOnly []string) ([]textRow, error) {
	texts := graph.Params{"uids": unread, "cut": maxReadLength}
	switch {
	case s.corpus.texts.Name == "":
		return nil, nil
	case s.pair != nil && len(vectorsOnly) > 0:
		text, rows := graph.NewPart[textRow](cypher.DecisionsTexts, texts)
		led, ways := graph.NewPart[linkedHit](cypher.DecisionsLinked, s.linkParams(vectorsOnly))
		graph.ReadJoined(ctx, s.db, cypher.DecisionsUnread, text, led)
		if found.led == nil {
			found.led = map[string][]string{}
		}
		for _, list := range ways.All {
			found.led[list.UID] = list.Leads
		}
		return rows.All, cmp.Or(rows.Err, ways.Err)
	case len(unread) == 0:
		return nil, nil
	}
	return graph.All[textRow](ctx, s.db, s.corpus.texts, texts)
}

// decisionText and contextText extract the text of a hit from a row.
func decisionText(row map[string]any) hitText {
	return hitText{title: graph.Text(row, "decision"), text: graph.Text(row, "context") + "\n" + graph.Text(row, "terms")}
}

func contextText(row map[string]any) hitText {
	words, _ := row["keywords"].([]any)
	phrases := graph.Texts(words)
	return hitText{title: graph.Text(row, "name"), text: graph.Text(row, "content") + "\n" + strings.Join(phrases, "\n"), phrases: phrases}
}
