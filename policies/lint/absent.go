package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"nomograph/internal/lists"
	"nomograph/internal/pattern"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// absent finds rules that compare optional facts. Without the fact, a condition fails and denies; a pattern compares
// with null, matches nothing and allows everything.
func (l *linter) absent() {
	const check = "fact-may-be-absent"
	for _, p := range l.evaluable() {
		subject := "policy " + p.name
		if applies := p.rule.Applies; applies != nil {
			for _, fact := range applies.Unguarded(nil) {
				l.found(check, severityWarning, subject, l.place(p.at, "applies_when"), "Check first: has("+fact+
					") && ...",
					"applies_when reads %s without has(), so the rule denies actions without this fact", fact)
			}
		}
		if requires := p.rule.Requires; requires != nil {
			for _, fact := range requires.Unguarded(p.rule.Applies) {
				l.found(check, severityWarning, subject, l.place(p.at, "requires"), "Check first: has("+fact+
					") && ...; or restrict applies_when to actions that have it",
					"requires reads %s without has(), so an action without this fact is denied with an error", fact)
			}
		}
		if p.rule.Circuit == nil {
			for _, fact := range comparedFacts(p.rule.Pattern) {
				l.found(check, severityWarning, subject, l.place(p.at, "forbids_pattern"), "Handle its absence: "+fact+
					" IS NULL OR ..., or coalesce("+fact+", ...)",
					"forbids_pattern compares %s, which may be null: then it finds nothing, and nothing is forbidden",
					fact)
			}
		}
	}
}

// unknownInCheck finds rules that read what only a recording computes, and whose result for a check therefore depends
// on whether the caller states it.
func (l *linter) unknownInCheck() {
	for _, p := range l.evaluable() {
		var paths []string
		for _, program := range p.rule.Conditions() {
			paths = append(paths, program.Paths...)
		}
		pattern := cypherWords.ReplaceAllString(p.rule.Pattern, " ")
		reads := func(fact string) bool { return slices.Contains(paths, fact) || strings.Contains(pattern, "$"+fact) }
		if reads("action.phase") {
			continue
		}
		for _, fact := range []string{"action.quality_score", "action.deliberation_count"} {
			if reads(fact) {
				l.found("unknown-in-check", severityWarning, "policy "+p.name, l.place(p.at, "requires"),
					`Restrict applies_when to action.phase == "record", or pass the fact to every check`,
					"the rule reads %s, which only the recording of a decision knows by itself", fact)
			}
		}
	}
}

// checkPathFunctions finds rules with the wrong path function. path.within holds if a path may be in a folder, which
// suits a rule that denies; path.onlyWithin holds if all paths certainly are, which suits a rule that allows.
func (l *linter) checkPathFunctions() {
	const check = "wrong-path-function"
	for _, p := range l.evaluable() {
		allows := p.rule.Severity == rule.Allow
		for _, part := range []struct {
			key     string
			program *condition.Program
			passes  bool // whether the rule allows an action if the condition holds
		}{{"applies_when", p.rule.Applies, allows}, {"requires", p.rule.Requires, true}} {
			if part.program == nil {
				continue
			}
			for _, asks := range []struct {
				one, each, what,
				where string
			}{{"path.within", "path.onlyWithin", "path", "is in the folder"},
				{"path.like", "path.onlyLike", "path", "matches a pattern"},
				{"command.like", "command.onlyLike", "command", "matches a pattern"}} {
				may, mayNot := part.program.Asks(asks.one)
				surely, surelyNot := part.program.Asks(asks.each)
				if part.passes && may || !part.passes && mayNot {
					l.found(check, severityWarning, "policy "+p.name, l.place(p.at, part.key),
						fmt.Sprintf("Use %s(...), which is true only if every %s certainly %s", asks.each, asks.what,
							asks.where),
						"%s allows an action by %s, which is true if one %s only possibly %s", part.key, asks.one,
						asks.what, asks.where)
				}
				if part.passes && surelyNot || !part.passes && surely {
					l.found(check, severityWarning, "policy "+p.name, l.place(p.at, part.key),
						fmt.Sprintf("Use %s(...), which is true if a %s possibly %s", asks.one, asks.what, asks.where),
						"%s denies an action by %s, which a %s in another spelling evades", part.key, asks.each,
						asks.what)
				}
			}
		}
	}
}

var (
	cypherWords = pattern.New(`(?s)/\*.*?\*/|//[^\n]*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`)
	cypherFact  = `(\$action\.(?:confidence|quality_score|category|name|pattern|(?:context|params)\.\w+)|\$project|\$session)\b`
	comparison  = `(?:<>|<=|>=|=~|=|<|>|\bIN\b|\bCONTAINS\b|\bSTARTS\s+WITH\b|\bENDS\s+WITH\b)`
	factFirst   = pattern.New(`(?i)` + cypherFact + `\s*` + comparison)
	factLast    = pattern.New(`(?i)(?:` + comparison + `|[\w` + "`" + `]\s*:)\s*` + cypherFact)
)

// comparedFacts returns the facts that a pattern compares without checking them for null.
func comparedFacts(written string) []string {
	text := cypherWords.ReplaceAllString(written, " ")
	var facts []string
	for _, form := range []*pattern.Pattern{factFirst, factLast} {
		for _, match := range form.FindAllStringSubmatch(text, -1) {
			asked := regexp.MustCompile(`(?i)(?:coalesce\s*\(\s*` + regexp.QuoteMeta(match[1]) + `\b|` +
				regexp.QuoteMeta(match[1]) + `\s+IS\s+(?:NOT\s+)?NULL)`)
			if !asked.MatchString(text) {
				facts = append(facts, match[1])
			}
		}
	}
	return lists.Union(facts)
}
