package hooks_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"nomograph/hooks"
	"nomograph/internal/golden"
)

// row is a program of a pack with everything that a row can say.
var row = map[string]any{"name": "shopctl", "aliases": []any{"shop"}, "reads": []any{"--from"}, "writes": []any{"-o"},
	"deletes": []any{"--purge"},
	"sends":   []any{"--attach"}, "connects": []any{"2"}, "runs": []any{"--hook", "3..."},
	"deletes_elsewhere": []any{"env delete"},
	"prints_secrets":    []any{"token show"}, "publishes": []any{"release promote|push"},
	"weakens":    []any{"--no-audit"},
	"privileged": true}

func TestEffects_Params_HaveWhatTheActionDoes(t *testing.T) {
	for _, c := range golden.Columns(t, "testdata/effects.txt", 4) {
		name, param, want := c[0], c[1], c[2]
		var params map[string]any
		if err := json.Unmarshal([]byte(c[3]), &params); err != nil {
			t.Fatalf("%s: %v", c[3], err)
		}
		before := fmt.Sprint(params)
		got := hooks.Effects(name, params, "/home/ada/shop", []map[string]any{row})
		golden.Equal(t, fmt.Sprint(name, " ", params, ": ", param), fmt.Sprint(got[param]), want)
		golden.Equal(t, name+": the caller's params", fmt.Sprint(params), before)
	}
}
