package decisions

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/normalize"
	"nomograph/internal/pattern"
	"nomograph/internal/render"
	"nomograph/search"
)

const (
	minCommonWords   = 0.8 // minimum share of common words in the longer title
	duplicateTimeout = 2 * time.Second
	candidates       = 20
	maxDuplicates    = 3
)

// findDuplicates searches for decisions of the same project that look like duplicates of the draft: their titles share
// nearly all words, and agree in every number and negation. It returns immediately. notes waits for the search and
// returns a note for each duplicate. It returns none if the search fails or takes two seconds: the decision is
// recorded anyway.
func (s *Store) findDuplicates(ctx context.Context, d *Draft) (notes func() []string) {
	title := render.Title(d.Decision)
	words, _ := wordsOf(title)
	missing := len(words) - int(math.Ceil(minCommonWords*float64(len(words))))
	query := search.LuceneQueryLacking(missing, title, "decision")
	if query == "" {
		return func() []string { return nil }
	}
	notes = sync.OnceValue(func() (notes []string) {
		ctx, cancel := context.WithTimeout(ctx, duplicateTimeout)
		defer cancel()
		rows, err := graph.All[map[string]any](ctx, s.graph, cypher.DuplicatesFind,
			graph.Params{"query": query, "limit": candidates,
				"uid": d.UID}) // a late search also finds the draft, which is stored by then
		if err != nil {
			return nil
		}
		for _, row := range rows {
			other := SummaryOf(row)
			if normalize.Project(other.Project) != normalize.Project(d.Project) || !sameTitle(title, other.Title) {
				continue
			}
			notes = append(notes, fmt.Sprintf("It looks like a duplicate of %s (%s, by %s): %s. Retract one of them, or link this one with supersedes",
				other.ID, other.Date.Format(time.DateOnly), other.AgentID, other.Title))
		}
		return notes[:min(len(notes), maxDuplicates)]
	})
	go notes()
	return notes
}

var (
	word      = pattern.New(`[\pL\pM\pN]+(?:['’.][\pL\pN]+)*`)
	number    = pattern.New(`^\pN`)
	negations = []string{"no", "not", "never", "none", "without", "don't", "cannot", "can't", "won't", "stop",
		"instead"}
)

// sameTitle reports whether two titles are equal except for a few additional words in one of them.
func sameTitle(a, b string) bool {
	wordsA, decisiveA := wordsOf(a)
	wordsB, decisiveB := wordsOf(b)
	if len(wordsA) == 0 || !maps.Equal(decisiveA, decisiveB) {
		return false
	}
	shared := 0
	for w := range wordsA {
		if wordsB[w] {
			shared++
		}
	}
	if shared < min(len(wordsA), len(wordsB)) { // a replaced word changes the meaning: MySQL instead of PostgreSQL
		return false
	}
	return float64(shared) >= minCommonWords*float64(max(len(wordsA), len(wordsB)))
}

// wordsOf returns the words of a title, and the decisive ones, which must be equal.
func wordsOf(title string) (words, decisive map[string]bool) {
	words, decisive = map[string]bool{}, map[string]bool{}
	for _, w := range word.FindAllString(strings.ToLower(title), -1) {
		w = strings.ReplaceAll(w, "’", "'")
		words[w] = true
		if number.MatchString(w) || slices.Contains(negations, w) {
			decisive[w] = true
		}
	}
	return words, decisive
}
