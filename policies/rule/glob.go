package rule

import (
	"regexp"
	"slices"
	"strings"
)

// patterns are globs, in which * stands for anything and ? for one character.
type patterns []*regexp.Regexp

// patternsOf makes patterns of a list, in each of the forms that an item has; nil where there are none.
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
	return slices.ContainsFunc(p, func(pattern *regexp.Regexp) bool { return slices.ContainsFunc(texts, pattern.MatchString) })
}
