package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"nomograph/internal/config"
	"nomograph/internal/hooksocket"
)

// TestHookSettings_DatabaseSettings_AreSent compares what a process sends with the settings that change the answer.
func TestHookSettings_DatabaseSettings_AreSent(t *testing.T) {
	candidates := []string{"https://nomograph.example.org", "bolt://other.example.org", "/other", "true", "128", "0.5",
		"7s", "always", "none", "deny", "redacted", "127.0.0.1:9876", "session-context", strings.Repeat("k", 40)}
	for _, s := range config.Settings {
		read := func(environ map[string]string) (config.Config, bool) {
			c, err := config.LoadFor(t.TempDir(), func(name string) string { return environ[name] }, nil, "")
			return c, err == nil
		}
		one := map[string]string{"NEO4J_URI": "bolt://one.example.org"}
		before, _ := read(one)
		changed, valid := false, false
		for _, value := range candidates {
			environ := maps.Clone(one)
			environ[s.Env] = value
			if after, ok := read(environ); ok {
				valid = true
				changed = changed || databaseOf(before) != databaseOf(after) || before.Agent != after.Agent ||
					before.Project != after.Project
			}
		}
		if !valid {
			t.Errorf("%s: none of the candidates %q is a valid value: add one", s.Env, candidates)
		}
		if changed != slices.Contains(hooksocket.Variables, s.Env) {
			t.Errorf("%s: changes the answer %v, is sent %v", s.Env, changed, !changed)
		}
	}
}

func TestHookSettings_RelativePaths_AreDeclined(t *testing.T) {
	a := &app{config: config.Config{URI: "bolt://one.example.org"}}
	for _, r := range []hooksocket.Request{
		{Version: version, Dir: "shop", Environ: []string{"NEO4J_URI=bolt://one.example.org"}},
		{Version: version, Dir: t.TempDir(), Environ: []string{"NEO4J_URI=bolt://one.example.org",
			"NOMOGRAPH_CONFIG=nomograph.yaml"}},
	} {
		if _, ok := a.resolveSettings(r); ok {
			t.Errorf("%+v is answered, want declined: the server has another working directory", r)
		}
	}
}
