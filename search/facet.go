package search

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// Filter leaves only decisions with certain facets, confidences and times of creation. The zero value leaves all.
type Filter struct {
	All                          []string   // tokens of Facet; a decision has each of them
	Any                          [][]string // of each group a decision has at least one; a group without tokens leaves nothing
	MinConfidence, MaxConfidence *float64   // 0 to 1, both included; a decision without a confidence is left out
	After, Before                *time.Time // of created_at, both included
}

// Facet gives the token by which a filter finds value, whatever its case, in the facets of a decision: tokens parted by
// blanks. It is one word that the analyzer of the full text index leaves alone, and that nobody's text holds by chance.
func Facet(kind, value string) string {
	kind = strings.ReplaceAll(strings.ToLower(kind), "_", "")
	value = strings.ToLower(strings.TrimSpace(value))
	switch kind {
	case "confidence": // ordered, since ranges are asked for
		return fmt.Sprintf("%s%02s", kind, value)
	case "month", "year":
		return kind + strings.ReplaceAll(value, "-", "")
	}
	digest := sha256.Sum256([]byte(value))
	return kind + hex.EncodeToString(digest[:8]) + "0" // the stemmer does not touch what ends with a digit
}

// Retracted is the facet of what nobody is to find, and unretracted the clause that leaves it out.
var (
	Retracted   = Facet("retracted", "yes")
	unretracted = " -facets:" + Retracted
)

// ConfidenceFacet is the facet of a confidence, 0 to 1: its decile.
func ConfidenceFacet(confidence float64) string {
	return Facet("confidence", fmt.Sprint(int(min(max(confidence, 0), 1)*10)))
}

// MonthFacet is the facet of the month, in UTC, in which a decision was made.
func MonthFacet(at time.Time) string {
	at = at.UTC()
	return fmt.Sprintf("month%04d%02d", min(max(at.Year(), 0), 9999), at.Month())
}

var facetToken = pattern.New(`^[a-z]+[0-9a-f]*[0-9]$`)

// clauses gives what a Lucene query must have as well. Ranges are as wide as their facets: exact compares what is left.
func (f Filter) clauses() (string, error) {
	var b strings.Builder
	for _, group := range f.groups() {
		for _, token := range group {
			if !facetToken.MatchString(token) {
				return "", apperr.Newf(apperr.Validation, "'%s' is not a facet", token).WithHint("Make filters with search.Facet")
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

// tokens are the groups as statements compare them with facets, each token between blanks.
func (f Filter) tokens() [][]string {
	groups := f.groups()
	for i, group := range groups {
		spaced := make([]string, len(group))
		for j, token := range group {
			spaced[j] = " " + token + " "
		}
		groups[i] = spaced
	}
	return groups
}

// groups has every token of All as a group of its own.
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

// bounded are the kinds of facets by which a filtered index leaves vectors out.
var bounded = []string{"category", "stakes", "status", "project", "agent"}

// bounds gives from which to which token a facet of each bounded kind may be; all, where the filter does not say one. It tells
// whether it says any.
func (f Filter) bounds() (low, high map[string]string, some bool) {
	low, high = map[string]string{}, map[string]string{}
	for _, kind := range bounded {
		low[kind], high[kind] = "", "~" // tokens are letters and digits
	}
	for _, group := range f.groups() {
		kind := slices.IndexFunc(bounded, func(kind string) bool { return len(group) == 1 && strings.HasPrefix(group[0], kind) })
		if kind >= 0 {
			low[bounded[kind]], high[bounded[kind]], some = group[0], group[0], true
		}
	}
	return low, high, some
}
