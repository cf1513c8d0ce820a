package policies

import (
	"fmt"
	"regexp"
	"strings"

	"nomograph/graph"
	"nomograph/policies/condition"
)

var placeholder = regexp.MustCompile(`\{(threshold\("([^"]+)"\)|[a-z_]+(?:\.[A-Za-z0-9_]+)*)\}`)

// message is what the rule tells who is stopped: its own words, in which {action.confidence} or {threshold("name")} stand
// for what the rule saw. What cannot be found stays as it is written.
func (r guardrail) message(facts condition.Facts) string {
	text := r.Message
	if text == "" {
		text = r.Description
	}
	if text == "" {
		return fmt.Sprintf("The rule '%s' is violated", r.Name)
	}
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		if parts[2] != "" {
			if value, err := facts.Threshold(parts[2], ""); err == nil {
				return shown(value)
			}
			return found
		}
		if value, known := facts.At(parts[1]); known {
			if value == nil {
				return "(absent)"
			}
			return strings.TrimSpace(shown(graph.JSON(value)))
		}
		return found
	})
}
