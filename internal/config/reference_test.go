package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// pages are the sections of the docs about a setting.
var pages = map[string]string{
	"neo4j.uri": "#addresses", "remote.url": "command-line.md#remote-server",
	"engine.version": "../guides/engine.md#another-neo4j",
	"engine.heap":    "../guides/engine.md#memory-disk-and-limits", "server.http": "../guides/server.md",
	"server.allowed_hosts":   "../guides/server.md#host-origin-cors",
	"server.cors_origins":    "../guides/server.md#host-origin-cors",
	"server.max_connections": "../guides/server.md#connections", "server.tls_certificate": "../guides/server.md#tls",
	"auth.enabled": "../guides/server.md#authentication", "auth.tokens_file": "../guides/server.md#configured-tokens",
	"auth.oidc.issuer": "../guides/server.md#openid-provider", "toolsets": "tools.md",
	"queries": "../guides/cypher-queries.md", "packs.trusted_keys": "../guides/packs.md#signed-packs",
	"verdicts.inputs": "../concepts/threat-model.md#stored-parts-of-an-action",
	"embedder.kind":   "../guides/search.md#embedders", "agents.file": "../guides/agents.md#agents-file",
}

// TestReference_Settings_MatchesTheGoldenFile compares the table in docs/reference/settings.md with the declarations.
func TestReference_Settings_MatchesTheGoldenFile(t *testing.T) {
	table := "| key | environment | flag | default | meaning |\n|---|---|---|---|---|\n"
	for _, s := range Settings {
		flag, standard, meaning := "", s.Default, strings.ReplaceAll(s.Help, "|", `\|`)
		if s.Flag != "" {
			flag = "`" + strings.TrimSpace(s.Of+" --"+s.Flag) + "`"
		}
		if beside, err := filepath.Rel(filepath.Dir(DefaultFile()), standard); err == nil &&
			filepath.IsAbs(standard) { // the directory differs between machines
			if standard = filepath.ToSlash(beside); filepath.Ext(standard) == "" {
				standard += "/"
			}
			meaning += "; default next to the config file"
		}
		if standard != "" {
			standard = "`" + standard + "`"
		}
		if page := pages[s.Key]; page != "" {
			meaning += fmt.Sprintf(" ([more](%s))", page)
			if file, _, _ := strings.Cut(page, "#"); file != "" {
				if _, err := os.Stat("../../docs/reference/" + file); err != nil {
					t.Errorf("%s: page %s is missing", s.Key, page)
				}
			}
		}
		table += fmt.Sprintf("| `%s` | `%s` | %s | %s | %s |\n", s.Key, s.Env, flag, standard, meaning)
	}
	golden.Section(t, "../../docs/reference/settings.md",
		"<!-- made from internal/config/config.go by `make surface` -->", table)
}

func TestReference_Example_IsAValidConfigFile(t *testing.T) {
	text := graphtest.Must(os.ReadFile("../../docs/reference/settings.md"))(t)
	_, rest, _ := strings.Cut(string(text), "## An example config.yaml\n")
	_, rest, _ = strings.Cut(rest, "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("got no example, want one")
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	graphtest.OK(t, os.WriteFile(file, []byte(example), 0o600))
	graphtest.Equal(t, graphtest.Must(Load(nil, file))(t).Username, "nomograph", "user name", "and error",
		"the settings of the example")
}
