package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// configOfCSTP is the config.yaml that CSTP's design shows.
const configOfCSTP = `server:
  host: "0.0.0.0"
  port: 8100
  cors_origins: ["*"]

auth:
  enabled: true
  tokens:
    - name: "emerson"
      token: "${CSTP_TOKEN_EMERSON}"
    - name: "claude-ops"
      token: "${CSTP_TOKEN_CLAUDE}"

cstp:
  query:
    max_results: 50
    min_score: 0.3
  guardrails:
    config_path: "guardrails/default.yaml"
  intent:
    store_received: true
    auto_respond: true
`

// guardrailsOfCSTP redefines two rules of the pack core, and has one of its own.
const guardrailsOfCSTP = `- id: no-production-without-review
  description: Production changes require code review
  condition_affectsProduction: true
  requires_codeReviewCompleted: true
  action: block
  message: Their rule about reviews
- id: no-high-stakes-low-confidence
  condition_stakes: high
  condition_confidence: "< 0.5"
  action: block
  message: Their rule about confidence
- id: no-friday-deploys
  condition_day: friday
  action: block
  message: Not on a Friday
`

const tokenOfEmerson = "a-secret-of-emerson-0123456789"

// configured writes CSTP's config.yaml, and guardrails unless it is empty. It returns the file and the environment with
// its tokens.
func configured(t *testing.T, environ []string, guardrails string) (file string, with []string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "config.yaml")
	graphtest.OK(t, os.WriteFile(file, []byte(configOfCSTP), 0o600))
	if guardrails != "" {
		writeGuardrails(t, file, guardrails)
	}
	return file, append(environ, "CSTP_TOKEN_EMERSON="+tokenOfEmerson,
		"CSTP_TOKEN_CLAUDE=a-secret-of-claude-ops-0123456789")
}

func writeGuardrails(t *testing.T, config, text string) {
	t.Helper()
	place := filepath.Join(filepath.Dir(config), "guardrails", "default.yaml")
	graphtest.OK(t, os.MkdirAll(filepath.Dir(place), 0o700))
	graphtest.OK(t, os.WriteFile(place, []byte(text), 0o600))
}

// objections are what cstp.checkGuardrails answers for an action: whether it is allowed, and each violation with its
// message.
func objections(t *testing.T, url, action string) string {
	t.Helper()
	_, output := post(t, strings.TrimSuffix(url, "/mcp")+"/cstp", tokenOfEmerson, "cstp.checkGuardrails",
		map[string]any{"action": json.RawMessage(action)})
	result, ok := output["result"].(map[string]any)
	if !ok {
		t.Fatalf("checkGuardrails answers %v", output)
	}
	text := fmt.Sprint(result["allowed"])
	for _, one := range result["violations"].([]any) {
		text += fmt.Sprintf("; %v: %v", one.(map[string]any)["guardrailId"], one.(map[string]any)["message"])
	}
	return text
}

const (
	uncertain  = `{"description": "Move the database", "stakes": "high", "confidence": 0.3}`
	unreviewed = `{"description": "Deploy", "confidence": 0.9, "context": {"affectsProduction": true}}`
	onFriday   = `{"description": "Deploy", "confidence": 0.9, "context": {"day": "friday"}}`
)

func TestServe_GuardrailsThatCoreNames_AreServed(t *testing.T) {
	g := graphtest.New(t)
	toolstest.ApplyShipped(t, g, "core")
	config, environ := configured(t, g.Environ(t), guardrailsOfCSTP)
	url, end := atAddress(t, environ, "--config", config)
	for action, want := range map[string]string{
		uncertain:  "false; no-high-stakes-low-confidence: Their rule about confidence",
		unreviewed: "false; no-production-without-review: Their rule about reviews",
		onFriday:   "false; no-friday-deploys: Not on a Friday",
	} {
		graphtest.Equal(t, objections(t, url, action), want, action)
	}
	if rows := g.Rows(t, "MATCH (:SYS_Pack {name: 'core'})-[:OWNS]->(p:SYS_Policy) WHERE p.name STARTS WITH 'no-force' RETURN p.name AS name", nil); len(rows) != 1 {
		t.Errorf("a rule that the file does not name is missing in core: %v", rows)
	}
	end()

	t.Run("a changed file takes effect after a restart", func(t *testing.T) {
		writeGuardrails(t, config, strings.Replace(guardrailsOfCSTP, "Not on a Friday", "Never on a Friday", 1))
		url, end := atAddress(t, environ, "--config", config)
		defer end()
		graphtest.Equal(t, objections(t, url, onFriday), "false; no-friday-deploys: Never on a Friday", "objections")
	})
	t.Run("a restart restores a deleted guardrail and leaves an edited one", func(t *testing.T) {
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'no-friday-deploys'}) DETACH DELETE p", nil)
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'no-high-stakes-low-confidence'}) SET p.message = 'Edited'", nil)
		url, end := atAddress(t, environ, "--config", config)
		defer end()
		graphtest.Equal(t, objections(t, url, onFriday), "false; no-friday-deploys: Never on a Friday", "objections")
		graphtest.Equal(t, objections(t, url, uncertain), "false; no-high-stakes-low-confidence: Edited", "objections")
	})
}

func TestServe_GuardrailsThatCannotBeApplied_DoesNotStart(t *testing.T) {
	tests := []struct {
		name, before, guardrails string
		more                     []string // additional environment variables
		says                     string   // the exit code, and lines of a session
	}{
		{"no file", "", "", nil, "3\nerr guardrails/default.yaml\nerr pack core"},
		{"an empty file", "", "# nothing yet\n", nil, "2\nerr no guardrail"},
		{"a guardrail that cannot be translated", "", guardrailsOfCSTP +
			"- id: similar\n  action: block\n  conditions:\n    - {type: semantic_similarity}\n", nil,
			"2\nerr 'similar'\nerr conditions"},
		{"a circuit breaker that cannot be translated", "", "guardrails: []\ncircuit_breakers:\n  - {scope: nowhere}\n",
			nil, "2\nerr nowhere"},
		{"a node made by hand", "CREATE (:SYS_Policy {name: 'no-friday-deploys', active: false})", guardrailsOfCSTP,
			nil, "1\nerr SYS_Policy 'no-friday-deploys'"},
		{"a rule of another pack", "CREATE (:SYS_Pack {name: 'ours'})-[:OWNS {section: 'policies', key: 'no-friday-deploys', applied: '{}'}]->(:SYS_Policy {name: 'no-friday-deploys', active: false})", guardrailsOfCSTP, nil, "1\nerr 'no-friday-deploys' (of the pack 'ours')"},
		{"two nodes of one name", "CREATE (:SYS_Policy {name: 'no-friday-deploys'}), (:SYS_Policy {name: 'no-friday-deploys'})", guardrailsOfCSTP, nil, "1\nerr no-friday-deploys"},
		{"signatures are required", "", guardrailsOfCSTP,
			[]string{"NOMOGRAPH_PACK_KEYS=" + strings.Repeat("A", 43) + "="}, "1\nerr sign"},
		{"no database", "", guardrailsOfCSTP, []string{"NEO4J_URI=bolt://127.0.0.1:1"}, "4\nerr 127.0.0.1:1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := graphtest.New(t)
			if test.before != "" {
				g.Exec(t, test.before, nil)
			}
			config, environ := configured(t, g.Environ(t), test.guardrails)
			session(t, slices.Concat(environ, test.more, []string{"CONFIG=" + config}),
				"$ serve --http=127.0.0.1:0 --config $CONFIG # "+test.says+"\nnot Serving MCP")
			if rows := g.Rows(t, "MATCH (:SYS_Pack {name: 'cstp-guardrails'})-[:OWNS]->(p) RETURN p.name AS name",
				nil); len(rows) != 0 {
				t.Errorf("afterwards there are %v", rows)
			}
		})
	}
}
