package config

import (
	"os"
	"path/filepath"
	"testing"

	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

func TestEdited_OneSetting_KeepsCommentsAndOthers(t *testing.T) {
	for name, c := range map[string]struct {
		text, key, value string
		want             []string
	}{
		"no file":        {"", "log.level", "debug", []string{"log:\n  level: debug\n"}},
		"only a comment": {"# ours\n", "log.level", "debug", []string{"# ours\n", "level: debug"}},
		"replaced": {"log:\n  # loud\n  level: info # for now\n  format: json\n", "log.level", "warn",
			[]string{"# loud", "level: warn", "format: json"}},
		"beside others": {"log:\n  level: info\nagent: ada # me\n", "log.format", "json",
			[]string{"level: info", "format: json", "agent: ada", "# me"}},
		"a new section": {"agent: ada\n", "server.http", "127.0.0.1:9000",
			[]string{"agent: ada", "http: 127.0.0.1:9000"}},
		"three levels": {"auth:\n  enabled: true\n", "auth.oidc.issuer", "https://login.example.org",
			[]string{"enabled: true", "issuer: https://login.example.org"}},
		"an empty section":      {"log:\n", "log.level", "debug", []string{"level: debug"}},
		"a text like a number":  {"", "agent", "007", []string{`agent: "007"`}},
		"a truth value":         {"", "no_migrate", "true", []string{"no_migrate: true\n"}},
		"a text with a colon":   {"", "agent", "a: b", []string{"agent: \"a: b\""}},
		"replaced, other quote": {"agent: \"x\"\n", "agent", "true story", []string{"agent: true story"}},
	} {
		got, err := EditSetting([]byte(c.text), c.key, c.value)
		if err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
			continue
		}
		for _, want := range c.want {
			golden.Contains(t, name, string(got), want)
		}
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		values, err := readFile(path)
		if err != nil || values[c.key] != c.value {
			t.Errorf("%s: got %q, %v from %q, want %q", name, values[c.key], err, got, c.value)
		}
	}
}

func TestEdited_SecretOrUnknownKey_IsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		key, value string
		code       apperr.Code
	}{
		"a secret":        {"neo4j.password", "x", apperr.Validation},
		"an unknown key":  {"log.levle", "debug", apperr.NotFound},
		"a refused value": {"verdicts.inputs", "everything", apperr.Validation},
	} {
		if _, err := EditSetting([]byte("agent: ada\n"), c.key, c.value); apperr.From(err).Code != c.code ||
			apperr.From(err).Hint == "" {
			t.Errorf("%s: got %v, want %s with a hint", name, err, c.code)
		}
	}
	if _, err := EditSetting([]byte("agent: [\n"), "agent", "x"); apperr.From(err) == nil ||
		apperr.From(err).Code != apperr.Validation {
		t.Errorf("broken YAML: got %v, want a validation_error", err)
	}
}
