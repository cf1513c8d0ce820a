package lint

import (
	"regexp"
	"slices"
	"strings"
)

// absent finds rules that compare facts which may be absent. A condition cannot be evaluated then, and denies; a pattern
// compares with null, finds nothing, and lets everything pass.
func (l *linter) absent() {
	const check = "fact-may-be-absent"
	for _, p := range l.policies {
		if p.rule == nil || p.rule.Broken != nil {
			continue
		}
		subject := "policy " + p.name
		if applies := p.rule.Applies; applies != nil {
			for _, fact := range applies.Unguarded(nil) {
				l.found(check, severityWarning, subject, p.place("applies_when"), "Ask first: has("+fact+") && ...", "applies_when reads %s without has(), so it stops whoever gives none", fact)
			}
		}
		if requires := p.rule.Requires; requires != nil {
			for _, fact := range requires.Unguarded(p.rule.Applies) {
				l.found(check, severityWarning, subject, p.place("requires"), "Ask first: has("+fact+") && ...; or say in applies_when that it is about those who give it",
					"requires reads %s without has(), so it stops whoever gives none with an error", fact)
			}
		}
		if p.rule.Circuit == nil {
			for _, fact := range comparedFacts(p.rule.Pattern) {
				l.found(check, severityWarning, subject, p.place("forbids_pattern"), "Say what holds without it: "+fact+" IS NULL OR ..., or coalesce("+fact+", ...)",
					"forbids_pattern compares %s, which may be null: then it finds nothing, and nothing is forbidden", fact)
			}
		}
	}
}

var (
	cypherWords = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`)
	cypherFact  = `(\$action\.(?:confidence|quality_score|category|name|pattern|(?:context|params)\.\w+)|\$project|\$session)\b`
	comparison  = `(?:<>|<=|>=|=~|=|<|>|\bIN\b|\bCONTAINS\b|\bSTARTS\s+WITH\b|\bENDS\s+WITH\b)`
	factFirst   = regexp.MustCompile(`(?i)` + cypherFact + `\s*` + comparison)
	factLast    = regexp.MustCompile(`(?i)(?:` + comparison + `|[\w` + "`" + `]\s*:)\s*` + cypherFact)
)

// comparedFacts are the facts that a pattern compares and nowhere asks whether they are null.
func comparedFacts(pattern string) []string {
	text := cypherWords.ReplaceAllString(pattern, " ")
	var facts []string
	for _, form := range []*regexp.Regexp{factFirst, factLast} {
		for _, match := range form.FindAllStringSubmatch(text, -1) {
			asked := regexp.MustCompile(`(?i)(?:coalesce\s*\(\s*` + regexp.QuoteMeta(match[1]) + `\b|` + regexp.QuoteMeta(match[1]) + `\s+IS\s+(?:NOT\s+)?NULL)`)
			if !asked.MatchString(text) {
				facts = append(facts, match[1])
			}
		}
	}
	slices.SortFunc(facts, strings.Compare)
	return slices.Compact(facts)
}
