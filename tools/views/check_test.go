package views

import (
	"testing"

	"nomograph/internal/terminal"
	"nomograph/policies/check"
)

func TestText_PrunedVerdicts_AreCounted(t *testing.T) {
	for _, tt := range []struct {
		pruned check.Pruned
		want   string
	}{
		{check.Pruned{DryRun: true, Allowed: 1, Denied: 2, Executions: 1, Note: "Nothing was deleted yet"},
			"3 verdicts to delete (1 allowed, 2 denied), 1 executed tool call to delete\nNothing was deleted yet\n"},
		{check.Pruned{Allowed: 1, Executions: 2}, "1 verdict deleted (1 allowed, 0 denied), 2 executed tool calls deleted\n"},
	} {
		if got, ok := Text(tt.pruned, terminal.Page{}); !ok || got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.pruned, got, tt.want)
		}
	}
}
