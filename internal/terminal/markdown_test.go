package terminal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/graph/graphtest"
)

func TestMarkdown_Text_HasNoMarks(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"heading", "## Policy replay\n\nNo change.\n", "Policy replay\n\nNo change.\n"},
		{"table", "| | allowed | denied |\n|---|--:|--:|\n| at the time | 10 | 2 |\n| today's rules | 9 | 33 |\n\nend\n",
			"               allowed  denied\nat the time    10       2\ntoday's rules  9        33\n\nend\n"},
		{"table at the end", "| a |\n|---|\n| 1 |\n", "a\n1\n"},
		{"bar in a cell", "| rule | n |\n|---|--:|\n| a\\|b | 1 |\n", "rule  n\na|b   1\n"},
		{"words", "1. **stakes high**: `action.x == 1 \\|\\| true`, 1 &lt; 2, @\u200bana\n",
			"1. stakes high: action.x == 1 || true, 1 < 2, @ana\n"},
		{"note", "> Reviews are rare.\n- a\n", "Reviews are rare.\n- a\n"},
		{"no Markdown", "core 1.5.3: 25 unchanged\n", "core 1.5.3: 25 unchanged\n"},
		{"nothing", "", ""},
	} {
		graphtest.Equal(t, cmp.Diff(tt.want, (Page{}).Markdown(tt.text)), "", tt.name)
	}
}
