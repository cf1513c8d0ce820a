package search

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/pattern"
)

// Filter selects decisions by facets, confidence and creation time. The zero value selects all.
type Filter struct {
	All []string // tokens of Facet; a decision must have all of them
	// a decision must have at least one token of each group; an empty group matches nothing
	Any                          [][]string
	MinConfidence, MaxConfidence *float64   // 0 to 1, inclusive; excludes decisions without a confidence
	After, Before                *time.Time // limits of created_at, inclusive
}

// Facet returns the token for a value in the facets of a decision, which are separated by spaces. The case of the value
// is ignored. The full-text analyzer keeps the token as one unchanged word, and ordinary text does not contain it.
func Facet(kind, value string) string {
	kind = strings.ReplaceAll(strings.ToLower(kind), "_", "")
	value = strings.ToLower(strings.TrimSpace(value))
	switch kind {
	case "confidence": // fixed width, so that range queries work
		return fmt.Sprintf("%s%02s", kind, value)
	case "month", "year":
		return kind + strings.ReplaceAll(value, "-", "")
	}
	digest := sha256.Sum256([]byte(value))
	return kind + hex.EncodeToString(digest[:8]) + "0" // the stemmer does not change words that end with a digit
}

// Retracted is the facet of retracted decisions. unretracted is the Lucene clause that excludes them.
var (
	Retracted   = Facet("retracted", "yes")
	unretracted = " -facets:" + Retracted
)

// ConfidenceFacet returns the facet of the decile of a confidence from 0 to 1.
func ConfidenceFacet(confidence float64) string {
	return Facet("confidence", fmt.Sprint(int(min(max(confidence, 0), 1)*10)))
}

// MonthFacet returns the facet of the month (UTC) of a creation time.
func MonthFacet(at time.Time) string {
	at = at.UTC()
	return fmt.Sprintf("month%04d%02d", min(max(at.Year(), 0), 9999), at.Month())
}

var facetToken = pattern.New(`^[a-z]+[0-9a-f]*[0-9]$`)

// clauses returns the filter as Lucene clauses. Ranges are as coarse as their facets; the statements compare exact
// values.
func (f Filter) clauses() (string, error) {
	var b strings.Builder
	for _, group := range f.groups() {
		for _, token := range group {
			if !facetToken.MatchString(token) {
				return "", apperr.Newf(apperr.Validation, "'%s' is not a facet", token).
					WithHint("Make filters with search.Facet")
			}
		}
		if len(group) == 0 {
			group = []string{"none0"}
		}
		fmt.Fprintf(&b, " +facets:(%s)^0", strings.Join(group, " "))
	}
	if f.MinConfidence != nil || f.MaxConfidence != nil {
		low, high := value(f.MinConfidence, 0), value(f.MaxConfidence, 1)
		fmt.Fprintf(&b, " +facets:[%s TO %s]^0", ConfidenceFacet(low), ConfidenceFacet(high))
	}
	if f.After != nil || f.Before != nil {
		low, high := value(f.After, time.Time{}), value(f.Before, time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
		fmt.Fprintf(&b, " +facets:[%s TO %s]^0", MonthFacet(low), MonthFacet(high))
	}
	return strings.TrimSpace(b.String()), nil
}

// tokens returns the groups as statement parameters. Each token is surrounded by spaces.
func (f Filter) tokens() [][]string {
	groups := f.groups()
	for i, group := range groups {
		spaced := lists.Map(group, func(token string) string { return " " + token + " " })
		groups[i] = spaced
	}
	return groups
}

// groups returns Any, followed by one group for each token of All.
func (f Filter) groups() [][]string {
	groups := append([][]string{}, f.Any...)
	for _, token := range f.All {
		groups = append(groups, []string{token})
	}
	return groups
}

func (f Filter) ranged() bool {
	return f.MinConfidence != nil || f.MaxConfidence != nil || f.After != nil || f.Before != nil
}

func value[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
