package policies_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"nomograph/fault"
	"nomograph/policies"
)

func TestExportedVariablesArriveInAShellAsStored(t *testing.T) {
	g, store := newStore(t)
	values := map[string]any{"plain": "gold", "empty": "", "spaces": "two words", "quotes": `it's "so"`, "dollar": "$HOME `id` $(id)", "newline": "a\nb", "backslash": `a\nb\`,
		"umlaut": "Kompaß 🧭", "tilde": "~", "star": "*", "semicolon": "a; rm -rf b", "dash": "-n", "equals": "A=b", "bang": "a!b", "hash": "#no"}
	for name, value := range values {
		g.Exec(t, "CREATE (:SYS_Threshold {name: $name, value: $value, decision_table: 'D1'})", map[string]any{"name": name, "value": value})
	}
	export, err := store.ExportThresholds(t.Context(), policies.ExportQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if len(export.Variables) != len(values) {
		t.Fatalf("%d variables of %d", len(export.Variables), len(values))
	}
	for name, want := range values {
		got, err := exec.CommandContext(t.Context(), "sh", "-c", `eval "$1"; printf %s "$`+strings.ToUpper(name)+`"`, "sh", export.Script).CombinedOutput()
		if err != nil || string(got) != want {
			t.Errorf("%s: the shell has %q, want %q (%v)", name, got, want, err)
		}
	}
	for _, v := range export.Variables {
		if v.Value != values[v.Threshold] {
			t.Errorf("%+v, stored is %q", v, values[v.Threshold])
		}
	}
}

func TestVariablesAreNamedForAShell(t *testing.T) {
	g, store := newStore(t)
	tests := []struct {
		threshold, prefix string
		value             any
		want              string
	}{
		{"claim_promotion_confidence", "", 0.9, "export CLAIM_PROMOTION_CONFIDENCE=0.9\n"},
		{"p95-latency.ms", "", int64(300), "export P95_LATENCY_MS=300\n"},
		{"2fa", "", true, "export _2FA=true\n"},
		{"2fa", "X", true, "export X2FA=true\n"},
		{"größe", "", 1.0, "export GR__E=1.0\n"},
		{"drift", "nomo-", 1e21, "export NOMO_DRIFT=1e+21\n"},
		{"tiers", "", []any{"a", "b"}, "export TIERS='[\"a\",\"b\"]'\n"},
		{"x; rm -rf /", "", "y", "export X__RM__RF__=y\n"},
	}
	for _, tt := range tests {
		t.Run(tt.prefix+tt.threshold, func(t *testing.T) {
			g.Exec(t, "MATCH (t:SYS_Threshold) DELETE t;\nCREATE (:SYS_Threshold {name: $name, value: $value})", map[string]any{"name": tt.threshold, "value": tt.value})
			export, err := store.ExportThresholds(t.Context(), policies.ExportQuery{Prefix: tt.prefix})
			if err != nil || !strings.HasSuffix(export.Script, tt.want) {
				t.Errorf("got %q, want %q (%v)", export.Script, tt.want, err)
			}
			if text, _ := json.Marshal(export); !strings.Contains(string(text), `"threshold":`) {
				t.Errorf("%s", text)
			}
		})
	}
}

func TestWhatIsNotExported(t *testing.T) {
	g, store := newStore(t)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'a-b', value: 1, decision_table: 'D1'}), (:SYS_Threshold {name: 'a_b', value: 2, decision_table: 'D1'}),
		(:SYS_Threshold {name: 'twice', value: 1, decision_table: 'D2'}), (:SYS_Threshold {name: 'twice', value: 1, decision_table: 'D2'}),
		(:SYS_Threshold {name: 'empty', decision_table: 'D3'}), (:SYS_Threshold {name: 'fine', value: 1, decision_table: 'D4'})`, nil)
	tests := map[string]struct {
		query    policies.ExportQuery
		code     fault.Code
		message  string
		proposed string
	}{
		"two names of one variable": {policies.ExportQuery{DecisionTable: "D1"}, fault.Conflict, "The thresholds 'a-b' and 'a_b' would both be A_B", "prefix"},
		"two nodes of one name":     {policies.ExportQuery{Names: []string{"twice"}}, fault.Conflict, "'twice'", ""},
		"no value":                  {policies.ExportQuery{DecisionTable: "D3"}, fault.Conflict, "SYS_Threshold node 'empty' has no value", ""},
		"a name that is missing":    {policies.ExportQuery{Names: []string{"fine", "fin"}}, fault.NotFound, "SYS_Threshold node 'fin' not found", "'fine'"},
		"a table without any":       {policies.ExportQuery{DecisionTable: "D9"}, fault.NotFound, "No SYS_Threshold node belongs to decision table 'D9'", ""},
		"a name of another table":   {policies.ExportQuery{DecisionTable: "D1", Names: []string{"fine"}}, fault.NotFound, "'fine'", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := store.ExportThresholds(t.Context(), tt.query)
			got := wantFault(t, err, tt.code)
			if !strings.Contains(got.Message, tt.message) || !strings.Contains(got.Hint, tt.proposed) {
				t.Errorf("%s. %s", got.Message, got.Hint)
			}
		})
	}
	t.Run("an empty graph says so", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold) DELETE t", nil)
		_, err := store.ExportThresholds(t.Context(), policies.ExportQuery{})
		if got := wantFault(t, err, fault.NotFound); strings.Contains(got.Message, "''") {
			t.Errorf("the message names no table: %s", got.Message)
		}
	})
}
