package rule

import (
	"regexp"
	"slices"
	"strings"
)

// patterns are globs, in which * matches anything and ? one character.
type patterns []*regexp.Regexp

// patternsOf compiles every form of each item. It returns nil for an empty list.
func patternsOf(list []string, forms func(string) []string) patterns {
	var all patterns
	for _, item := range list {
		for _, form := range forms(item) {
			expression := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(form))
			all = append(all, regexp.MustCompile("(?s)^"+expression+"$"))
		}
	}
	return all
}

func (p patterns) match(texts ...string) bool {
	return slices.ContainsFunc(p, func(pattern *regexp.Regexp) bool {
		return slices.ContainsFunc(texts, pattern.MatchString)
	})
}
