package search

import "context"

// Similarities returns the cosine similarities of texts to a question, from -1 to 1, or nil without an embedder. It
// returns the errors of the embedder.
func Similarities(ctx context.Context, e Embedder, question string, texts []string) ([]float64, error) {
	if e == nil || len(texts) == 0 {
		return nil, nil
	}
	vectors, err := e.Embed(ctx, append([]string{question}, texts...))
	if err != nil {
		return nil, err
	}
	near := make([]float64, len(texts))
	for i := range texts {
		near[i] = product(vectors[0], vectors[i+1])
	}
	return near, nil
}

// product returns the cosine similarity of two normalized vectors, or 0 if one is missing.
func product(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// WordCoverage returns the share of a question's words that a text contains, from 0 to 1.
func WordCoverage(question, text string) float64 {
	asked, answered := terms(question), map[string]bool{}
	if len(asked) == 0 {
		return 0
	}
	for _, t := range terms(text) {
		answered[t.word] = true
	}
	found := 0
	for _, t := range asked {
		if answered[t.word] {
			found++
		}
	}
	return float64(found) / float64(len(asked))
}
