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
	sameWords    = 0.8 // of the words of the longer title that two which say the same share
	alikeTimeout = 2 * time.Second
	maxAlike     = 3
)

// FindDuplicates gives decisions of the same project that look like duplicates of one that was just recorded: their titles share nearly all words,
// and agree in every number and negation. Retracted and superseded decisions are no duplicates. It returns the errors of Find, and
// unavailable where searching takes longer than two seconds, as it may in a process that has just started.
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

// sameTitle tells whether two titles say the same: one may have a few words more than the other, and none in the place of another.
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
	if shared < min(len(wordsA), len(wordsB)) { // a word in the place of another is another thing: MySQL for PostgreSQL
		return false
	}
	return float64(shared) >= sameWords*float64(max(len(wordsA), len(wordsB)))
}

// wordsOf are the words of a title, and those of them in which two that say the same must agree.
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
