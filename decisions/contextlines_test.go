package decisions

import (
	"strings"
	"testing"
)

// TestAGuardrailIsToldWithoutItsTemplate holds that what a message says of an action that is not there is not shown.
func TestAGuardrailIsToldWithoutItsTemplate(t *testing.T) {
	g := ContextGuardrail{ID: "bar", Action: "block", Description: "Confidence must reach the bar.", Message: `At least {threshold("bar")}`}
	if text := g.markdown(); !strings.Contains(text, g.Description) || strings.Contains(text, "{") {
		t.Error(text)
	}
	if g.Message = "Ask first"; !strings.Contains(g.markdown(), "Ask first") {
		t.Error(g.markdown())
	}
}
