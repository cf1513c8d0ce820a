package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// ofDesign is the config.yaml of CSTP's design.
const ofDesign = `server:
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

func TestLoad_ConfigOfTheCSTPDesign_IsAccepted(t *testing.T) {
	write := func(text string) string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "config.yaml")
		graphtest.OK(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	file := write(ofDesign)
	c := graphtest.Must(Load(nil, file))(t)
	want := CSTP{Host: "0.0.0.0", Port: "8100", Name: "nomograph", Description: "Decision intelligence for AI agents",
		MaxResults: 50, MinScore: 0.3, Guardrails: filepath.Join(filepath.Dir(file), "guardrails/default.yaml"),
		StoreReceived: true,
		AutoRespond:   true}
	graphtest.Values(t, "CSTP", c.CSTP, want, c.HTTP, "0.0.0.0:8100", c.Auth, true, c.TokensFile, file, c.Tokens, "",
		len(c.Pages), 1)
	c = graphtest.Must(Load(map[string]string{"server.http": "127.0.0.1:1", "agent": "emerson"}, file))(t)
	graphtest.Values(t, "HTTP, Name", c.HTTP, "127.0.0.1:1", c.CSTP.Name, "emerson")
	t.Setenv("CSTP_AUTH_TOKENS", "emerson:a-secret-of-emerson")
	c = graphtest.Must(Load(nil, write("cstp: {intent: {store_received: false}}\n")))(t)
	graphtest.Values(t, "StoreReceived, HTTP, TokensFile, Tokens", c.CSTP.StoreReceived, false, c.HTTP, "",
		c.TokensFile, "", c.Tokens == "", false)
	for bad, says := range map[string]string{"min_score: 0.3": "min_score: 3", "port: 8100": "port: -1",
		"max_results: 50": "max_results: many", "store_received: true": "store_received: perhaps"} {
		if _, err := Load(nil, write(strings.Replace(ofDesign, bad, says, 1))); err == nil ||
			!strings.Contains(err.Error(), strings.Split(bad, ":")[0]) {
			t.Errorf(`%s: got %v, want an error, Error with strings.Split(bad, ":")[0]`, says, err)
		}
	}
}
