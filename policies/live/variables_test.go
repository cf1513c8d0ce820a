package live_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/joho/godotenv"

	"nomograph/fault"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

// TestItem10EnvArrivesAsStored: in each format, read by what reads it.
func TestItem10EnvArrivesAsStored(t *testing.T) {
	g, env := toolstest.Open(t)
	values := map[string]any{"plain": "gold", "empty": "", "spaces": "two words", "quotes": `it's "so"`, "dollar": "$HOME `id` $(id) ${HOME}", "newline": "a\nb", "backslash": `a\nb\`,
		"umlaut": "Kompaß 🧭", "tilde": "~", "star": "*", "semicolon": "a; rm -rf b", "dash": "-n", "equals": "A=b", "bang": "a!b", "hash": "#no", "zeros": "007",
		"heredoc": "a<<b\nend_1\nEOF\nX=y", "return": "a\r\nb", "edges": " a ", "fish": "(id) {a,b} %self \\'", "ending": "a\n"}
	for name, value := range values {
		g.Exec(t, "CREATE (:SYS_Threshold {name: $name, value: $value, decision_table: 'D1'})", map[string]any{"name": "v_" + name, "value": value})
	}
	if _, err := env.Live.ExportThresholds(t.Context(), live.ExportQuery{Format: "dotenv"}); !fault.Is(err, fault.Conflict) {
		t.Errorf("what .env readers would change: %v", err)
	}
	for _, reader := range []struct{ format, shell, script string }{
		{"", "sh", `eval "$1"; eval "printf %s \"\$$2\""`}, {"sh", "bash", `eval "$1"; eval "printf %s \"\$$2\""`}, {"sh", "zsh", `eval "$1"; eval "printf %s \"\$$2\""`},
		{"fish", "fish", `echo $argv[1] | source; printf %s "$$argv[2]"`}, {"dotenv", "", ""}, {"github", "", ""},
	} {
		t.Run(reader.format+" "+reader.shell, func(t *testing.T) {
			asked := live.ExportQuery{Format: reader.format}
			for name := range values {
				if reader.format != "dotenv" || name != "backslash" && name != "quotes" && name != "fish" {
					asked.Names = append(asked.Names, "v_"+name)
				}
			}
			export, err := env.Live.ExportThresholds(t.Context(), asked)
			if err != nil || len(export.Variables) != len(asked.Names) {
				t.Fatalf("%d variables of %d: %v", len(export.Variables), len(asked.Names), err)
			}
			var read func(name string) (string, error)
			switch reader.format {
			case "dotenv":
				all, err := godotenv.Unmarshal(export.Script)
				read = func(name string) (string, error) { return all[name], err }
			case "github":
				all := githubEnv(t, export.Script)
				read = func(name string) (string, error) { return all[name], nil }
			default:
				if _, err := exec.LookPath(reader.shell); err != nil {
					t.Skipf("LEFT OUT: there is no %s on this machine", reader.shell)
				}
				read = func(name string) (string, error) {
					args := []string{"-c", reader.script, "sh", export.Script, name}
					if reader.shell == "fish" {
						args = []string{"-c", reader.script, export.Script, name}
					}
					out, err := exec.CommandContext(t.Context(), reader.shell, args...).CombinedOutput()
					return string(out), err
				}
			}
			for _, v := range export.Variables {
				want := values[strings.TrimPrefix(v.Threshold, "v_")]
				if got, err := read(v.Name); err != nil || got != want || v.Value != want {
					t.Errorf("%s: it has %q, want %q (%v)", v.Name, got, want, err)
				}
			}
		})
	}
}

// githubEnv reads the file as the runner of GitHub Actions does: NAME=value, or NAME<<END, lines, END.
func githubEnv(t *testing.T, text string) map[string]string {
	t.Helper()
	all := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		equals, heredoc := strings.Index(lines[i], "="), strings.Index(lines[i], "<<")
		if equals >= 0 && (heredoc < 0 || equals < heredoc) {
			all[lines[i][:equals]] = lines[i][equals+1:]
			continue
		}
		name, end, found := strings.Cut(lines[i], "<<")
		if !found {
			t.Fatalf("line %d is %q", i, lines[i])
		}
		var value []string
		for i++; lines[i] != end; i++ {
			value = append(value, lines[i])
		}
		all[name] = strings.Join(value, "\n")
	}
	return all
}

func TestVariablesAreNamedForAShell(t *testing.T) {
	g, env := toolstest.Open(t)
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
			export, err := env.Live.ExportThresholds(t.Context(), live.ExportQuery{Prefix: tt.prefix})
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
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'a-b', value: 1, decision_table: 'D1'}), (:SYS_Threshold {name: 'a_b', value: 2, decision_table: 'D1'}),
		(:SYS_Threshold {name: 'twice', value: 7, decision_table: 'D2'}), (:SYS_Threshold {name: 'twice', value: 8, decision_table: 'D2'}),
		(:SYS_Threshold {name: 'path', value: '/tmp', decision_table: 'D5'}),
		(:SYS_Threshold {name: 'empty', decision_table: 'D3'}), (:SYS_Threshold {name: 'fine', value: 1, decision_table: 'D4'})`, nil)
	tests := map[string]struct {
		query    live.ExportQuery
		code     fault.Code
		message  string
		proposed string
	}{
		"two names of one variable": {live.ExportQuery{DecisionTable: "D1"}, fault.Conflict, "The thresholds 'a-b' and 'a_b' would both be A_B", "prefix"},
		"item 5: two nodes, named":  {live.ExportQuery{Names: []string{"twice"}}, fault.Conflict, "2 SYS_Threshold nodes are called 'twice'", "value 7"},
		"item 5: two nodes, of all": {live.ExportQuery{DecisionTable: "D2"}, fault.Conflict, "2 SYS_Threshold nodes are called 'twice'", "value 8"},
		"what finds programs":       {live.ExportQuery{DecisionTable: "D5"}, fault.Conflict, "'path' would set PATH", "--prefix"},
		"no value":                  {live.ExportQuery{DecisionTable: "D3"}, fault.Conflict, "SYS_Threshold node 'empty' has no value", ""},
		"a name that is missing":    {live.ExportQuery{Names: []string{"fine", "fin"}}, fault.NotFound, "SYS_Threshold node 'fin' not found", "'fine'"},
		"a table without any":       {live.ExportQuery{DecisionTable: "D9"}, fault.NotFound, "No SYS_Threshold node belongs to decision table 'D9'", ""},
		"a name of another table":   {live.ExportQuery{DecisionTable: "D1", Names: []string{"fine"}}, fault.NotFound, "'fine'", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := env.Live.ExportThresholds(t.Context(), tt.query)
			got := toolstest.Fault(t, err, tt.code)
			if !strings.Contains(got.Message, tt.message) || !strings.Contains(got.Hint, tt.proposed) {
				t.Errorf("%s. %s", got.Message, got.Hint)
			}
		})
	}
	t.Run("an empty graph says so", func(t *testing.T) {
		g.Exec(t, "MATCH (t:SYS_Threshold) DELETE t", nil)
		_, err := env.Live.ExportThresholds(t.Context(), live.ExportQuery{})
		if got := toolstest.Fault(t, err, fault.NotFound); strings.Contains(got.Message, "''") {
			t.Errorf("the message names no table: %s", got.Message)
		}
	})
}
