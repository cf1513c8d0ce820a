package decisions

import (
	"slices"
	"strings"

	"nomograph/internal/apperr"
)

// Allowed values of these fields of a decision.
var (
	CategoryValues = []string{"architecture", "process", "integration", "tooling", "security"}
	StakesValues   = []string{"low", "medium", "high", "critical"}
	StatusValues   = []string{"pending", "reviewed"}
	OutcomeValues  = []string{"success", "partial", "failure", "abandoned"}
)

// OneOf returns a validation_error for an unknown value: a misspelled filter must not look like a filter without
// results.
func OneOf(name string, value, words []string) error {
	for _, word := range value {
		if !slices.Contains(words, word) {
			return apperr.Newf(apperr.Validation, "`%s` has the unknown value '%s'", name, word).
				WithHint("Allowed values: %s", strings.Join(words, ", "))
		}
	}
	return nil
}
