package condition

import (
	"strings"
	"testing"
)

func TestUnguardedFacts_ReadWithoutHas_AreListed(t *testing.T) {
	for _, c := range []struct{ before, text, want string }{
		{"", `action.confidence >= 0.7`, "action.confidence"},
		{"", `has(action.confidence) && action.confidence >= 0.7`, ""},
		{"", `action.confidence >= 0.7 && has(action.confidence)`, ""},
		{"", `!has(action.confidence) || action.confidence >= 0.7`, ""},
		{"", `has(action.confidence) || action.confidence >= 0.7`, "action.confidence"},
		{"", `has(action.confidence) ? action.confidence > 0.5 : action.context.size < 3`, "action.context.size"},
		{`has(action.confidence) && action.stakes >= high`, `action.confidence >= 0.7`, ""},
		{"", `"size" in action.context && action.context["size"] > 3`, ""},
		{"", `action.context.?size.orValue(0) > 3`, ""},
		{"", `action.category == "x" && action.description != "" && action.stakes >= high && size(action.tags) > 0`,
			""},
		{"", `action.tags.exists(tag, tag == action.params.tag)`, "action.params.tag"},
		{"", `has(action.context.a) && action.context.a.b > 1`, "action.context.a.b"},
		{"", `has(action.context.a.b) && has(action.context.a) && action.context.a.b > 1`, ""},
		{"", `has(action.context.a.b) && action.context.a.b > 1`, "action.context.a"},
		{`has(action.context.a.b)`, `action.context.a.b > 1`, ""},
		{`action.context.?size.hasValue()`, `action.context.size > 1`, ""},
		{"", `action.context.?size.hasValue() && action.context.size > 1`, ""},
		// If applies_when is true, the facts that it compares exist.
		{`action.context.size > 3`, `action.context.size < 9`, ""},
		{`action.context.env == "prod" && size(action.context.files) > 0 && action.context["tier"].startsWith("a")`,
			`action.context.env != "x" && action.context.files == [] && action.context.tier != ""`, ""},
		{`!(action.context.size > 3)`, `action.context.size < 9`, ""},
		{`action.context.size > 3 || action.context.urgent`, `action.context.size < 9`, "action.context.size"},
		{`!(action.context.size > 3 || action.context.urgent)`, `action.context.size < 9 && action.context.urgent`, ""},
		{`action.context.list.exists(x, x == action.context.y)`, `size(action.context.list) > 1 && action.context.y`,
			"action.context.y"},
		{`action.context.list[action.context.n].name == "x"`, `action.context.n > 1`, ""},
		{`action.context.?size.orValue(0) > 3`, `action.context.size < 9`, "action.context.size"},
		{"", `action.context.size > 3 && action.context.size < 9`,
			"action.context.size"}, // neither part protects the other
		{"", `action.context.size > 3 ? action.context.size < 9 : action.context.size > 1`, "action.context.size"},
		{"", `action.quality_score < threshold("x") || action.confidence < 0.5`,
			"action.confidence action.quality_score"},
	} {
		program, err := Rule(c.text)
		if err != nil {
			t.Fatal(c.text, err)
		}
		var before *Program
		if c.before != "" {
			if before, err = Rule(c.before); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(program.Unguarded(before), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}
