package decisions

import (
	"slices"
	"strings"

	"nomograph/fault"
)

var (
	categoryWords = []string{"architecture", "process", "integration", "tooling", "security"}
	stakesWords   = []string{"low", "medium", "high", "critical"}
	statusWords   = []string{"pending", "reviewed"}
	outcomeWords  = []string{"success", "partial", "failure", "abandoned"}
)

// oneOf refuses what is none of the words: a filter that is misspelt must not look like one that finds nothing.
func oneOf(name string, given, words []string) error {
	for _, word := range given {
		if !slices.Contains(words, word) {
			return fault.Newf(fault.Validation, "`%s` holds '%s'", name, word).WithHint("It is of %s", strings.Join(words, ", "))
		}
	}
	return nil
}
