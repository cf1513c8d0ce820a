package rule

import (
	"cmp"
	"fmt"
	"strings"

	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/pattern"
	"nomograph/policies"
	"nomograph/policies/condition"
)

// Placeholders in the texts of a rule.
var (
	thresholdCall  = `threshold\(\s*"([^"]+)"\s*(?:,\s*("[^"]*"|[a-z_]+(?:\.[A-Za-z0-9_]+)*)\s*)?\)`
	placeholder    = pattern.New(`\{(` + thresholdCall + `|[a-z_]+(?:\.[A-Za-z0-9_]+)*)\}`)
	thresholdPlace = pattern.New(`\{(` + thresholdCall + `)\}`)
	actionPlace    = pattern.New(`\{((?:action|found|inputs)\.[A-Za-z0-9_.]+|agent|project|session|now)\}`)
)

// Message returns the rule's message with the values that the rule saw.
func (r Guardrail) Message(facts condition.Facts) string {
	return fill(cmp.Or(r.message, r.Description, fmt.Sprintf("The rule '%s' is violated", r.Name)), facts)
}

// Suggestion returns the rule's alternatives with the values that the rule saw.
func (r Guardrail) Suggestion(facts condition.Facts) []string {
	return lists.Map(r.Alternatives, func(text string) string { return fill(text, facts) })
}

// fill replaces placeholders such as {action.confidence}, {threshold("name")} and {threshold("name", project)} by the
// values that the rule saw. A placeholder without a value stays unchanged.
func fill(text string, facts condition.Facts) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		if parts[2] != "" {
			if value, ok := facts.ThresholdFor(parts[2], parts[3]); ok {
				return policies.ShowValue(value)
			}
			return found
		}
		if value, ok := facts.At(parts[1]); ok {
			if value == nil {
				return "(absent)"
			}
			return strings.TrimSpace(policies.ShowValue(graph.JSON(value)))
		}
		return found
	})
}

// StaticMessage returns description and message of the rule without an action, with live values of its thresholds. The
// message is empty if it refers to an action or a finding and there is a description.
func (r Guardrail) StaticMessage(facts condition.Facts) (description, message string) {
	render := func(text string) string {
		text = thresholdPlace.ReplaceAllStringFunc(text, func(place string) string { return fill(place, facts) })
		return actionPlace.ReplaceAllString(thresholdPlace.ReplaceAllString(text, "$1"),
			"$1") // the remaining placeholders have no value
	}
	if r.Description == "" || !actionPlace.MatchString(r.message) {
		message = render(r.message)
	}
	return render(r.Description), message
}

// thresholdsInTexts returns the thresholds in the rule's texts, and those with a scope.
func (r Guardrail) thresholdsInTexts() (plain, scoped []string) {
	for _, text := range append([]string{r.message, r.Description}, r.Alternatives...) {
		for _, found := range thresholdPlace.FindAllStringSubmatch(text, -1) {
			if found[3] == "" {
				plain = append(plain, found[2])
			} else {
				scoped = append(scoped, found[2])
			}
		}
	}
	return plain, scoped
}

var foundPlace = pattern.New(`\{found\.([A-Za-z0-9_]+)\}`)

// FillFound replaces {found.column} by the first row that the rule's pattern found. An unknown column stays unchanged.
func FillFound(message string, row map[string]any) string {
	return foundPlace.ReplaceAllStringFunc(message, func(place string) string {
		value, ok := row[foundPlace.FindStringSubmatch(place)[1]]
		switch {
		case !ok:
			return place
		case value == nil:
			return "(absent)"
		}
		return policies.ShowValue(value)
	})
}
