package precedents

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/internal/pattern"
	"nomograph/internal/render"
	"nomograph/internal/spelling"
)

const (
	sameWords    = 0.8 // minimum share of common words in the longer title
	alikeTimeout = 2 * time.Second
	maxAlike     = 3
)

// FindDuplicates returns decisions of the same project that look like duplicates of a new one: their titles share nearly
// all words, and agree in every number and negation. Retracted and superseded decisions are no duplicates. It returns
// the errors of Find, and unavailable if the search takes longer than two seconds, as it may in a process that has just
// started.
func (s *Store) FindDuplicates(ctx context.Context, id, text, project string) ([]decisions.Summary, error) {
	ctx, cancel := context.WithTimeout(ctx, alikeTimeout)
	defer cancel()
	title := render.Title(text)
	found, _, err := s.Find(ctx, Query{Query: title, Limit: 10, RetrievalMode: "keyword", NoLinks: true})
	if err != nil {
		return nil, err
	}
	var alike []decisions.Summary
	for _, d := range found.Decisions {
		if d.ID == id || d.Retracted || len(d.SupersededBy) > 0 || spelling.Project(d.Project) != spelling.Project(project) || !sameTitle(title, d.Title) {
			continue
		}
		if alike = append(alike, d.Summary); len(alike) == maxAlike {
			break
		}
	}
	return alike, nil
}

var (
	word      = pattern.New(`[\pL\pM\pN]+(?:['’.][\pL\pN]+)*`)
	number    = pattern.New(`^\pN`)
	negations = []string{"no", "not", "never", "none", "without", "don't", "cannot", "can't", "won't", "stop", "instead"}
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
	return float64(shared) >= sameWords*float64(max(len(wordsA), len(wordsB)))
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
