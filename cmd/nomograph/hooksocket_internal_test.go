package main

import (
	"slices"
	"testing"

	"nomograph/internal/config"
	"nomograph/internal/hooksocket"
)

// TestSettled_SettingsOfADatabase_AreSentByTheProcess compares what a process sends with the settings that change the answer.
func TestSettled_SettingsOfADatabase_AreSentByTheProcess(t *testing.T) {
	values := map[string]string{"remote.allow_http": "true"}
	for _, s := range config.Settings {
		value, ok := values[s.Key]
		if !ok {
			value = map[bool]string{true: "https://nomograph.example.org", false: "bolt://other.example.org"}[s.Key == "remote.url"]
		}
		read := func(environ map[string]string) config.Config {
			c, err := config.LoadFor(t.TempDir(), func(name string) string { return environ[name] }, nil, "")
			if err != nil {
				return config.Config{}
			}
			return c
		}
		before := read(map[string]string{"NEO4J_URI": "bolt://one.example.org"})
		environ := map[string]string{"NEO4J_URI": "bolt://one.example.org", s.Env: value}
		if s.Env == "NOMOGRAPH_ENGINE_DIR" {
			environ[s.Env] = "/other"
		}
		after := read(environ)
		if after.URI == "" {
			continue // the value is none of this setting
		}
		changes := databaseOf(before) != databaseOf(after) || before.Agent != after.Agent || before.Project != after.Project
		if changes != slices.Contains(hooksocket.Variables, s.Env) {
			t.Errorf("%s: changes the answer %v, is sent %v", s.Env, changes, !changes)
		}
	}
}
