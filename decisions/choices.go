package decisions

import (
	"slices"
	"strings"

	"nomograph/internal/apperr"
)

// The words that these fields of a decision may hold.
var (
	CategoryWords = []string{"architecture", "process", "integration", "tooling", "security"}
	StakesWords   = []string{"low", "medium", "high", "critical"}
	StatusWords   = []string{"pending", "reviewed"}
	OutcomeWords  = []string{"success", "partial", "failure", "abandoned"}
)

// OneOf refuses what is none of the words: a filter that is misspelt must not look like one that finds nothing.
func OneOf(name string, given, words []string) error {
	for _, word := range given {
		if !slices.Contains(words, word) {
			return apperr.Newf(apperr.Validation, "`%s` holds '%s'", name, word).WithHint("It is of %s", strings.Join(words, ", "))
		}
	}
	return nil
}
