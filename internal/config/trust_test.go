package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/config"
)

func TestDotenv_Untrusted_OnlyNamesApply(t *testing.T) {
	atHome(t)
	for _, s := range config.Settings {
		t.Setenv(s.Env, "")
	}
	var all strings.Builder
	for _, s := range config.Settings {
		fmt.Fprintf(&all, "%s=%s\n", s.Env, map[bool]string{true: s.Default, false: "other"}[s.Default != ""])
	}
	write(t, ".env", all.String())
	file := emptyFile(t)
	c, err := config.Load(nil, file)
	if err != nil || len(c.Origins) != 2 || c.Project != "other" || c.Database != "other" {
		t.Fatalf("got %v, %v, want len(Origins)=2, Project=other, Database=other", err, c.Origins)
	}
	if len(c.Notices) != 1 || strings.Contains(c.Notices[0], "NOMOGRAPH_PROJECT") ||
		!strings.Contains(c.Notices[0], "NOMOGRAPH_PACK_KEYS") {
		t.Errorf("notices: %q", c.Notices)
	}
	// Names from an untrusted file have the lowest precedence.
	write(t, file, "project: mine\nneo4j:\n  database: mine\n")
	c = graphtest.Must(config.Load(nil, file))(t)
	graphtest.Values(t, "Project, Database", c.Project, "mine", c.Database, "mine")
	// The .env of another program is ignored.
	write(t, ".env", "DATABASE_URL=x\nA='\n")
	graphtest.Len(t, graphtest.Must(config.Load(nil, file))(t).Notices, 0, "length")
}

func TestDotenv_EndlessFile_IsIgnored(t *testing.T) {
	atHome(t)
	bomb := "A0=aaaaaaaaaa\n"
	for i := 1; i < 60; i++ {
		bomb += fmt.Sprintf("A%d=$A%d${A%d}\n", i, i-1, i-1)
	}
	write(t, ".env", bomb+"NEO4J_URI=$A59\n")
	graphtest.Equal(t, graphtest.Must(config.Load(nil, emptyFile(t)))(t).URI, "")
	if f, err := config.ReadEnvFile("."); err != nil || !apperr.Is(f.Trust(), apperr.Validation) {
		t.Errorf("the file was trusted, want an error: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	graphtest.OK(t, os.Remove(".env"))
	graphtest.OK(t, os.Symlink("/dev/zero", ".env"))
	graphtest.Len(t, graphtest.Must(config.Load(nil, emptyFile(t)))(t).Notices, 0, "length")
}

func TestCredentials_EmbedderKey_OnlyToItsAddress(t *testing.T) {
	atHome(t)
	file := emptyFile(t)
	write(t, file, "embedder:\n  url: https://mine.example/v1\n  key: k\n")
	graphtest.Equal(t, graphtest.Must(config.Load(nil, file))(t).EmbedderKey, "k", "EmbedderKey")
	t.Setenv("NOMOGRAPH_EMBEDDER_URL", "https://other.example/v1")
	c := graphtest.Must(config.Load(nil, file))(t)
	graphtest.Values(t, "EmbedderKey, EmbedderURL, Notices", c.EmbedderKey, "", c.EmbedderURL,
		"https://other.example/v1", len(c.Notices), 1)
	t.Setenv("NOMOGRAPH_EMBEDDER_URL", "http://other.example/v1")
	graphtest.Fails(config.Load(nil, file))(t, apperr.Validation, "unencrypted")
	write(t, file, "embedder:\n  key: k\n")
	t.Setenv("NOMOGRAPH_EMBEDDER_URL", "")
	graphtest.Equal(t, graphtest.Must(config.Load(nil, file))(t).EmbedderKey, "k", "the default endpoint")
}

func TestLoad_RelativePaths_CountFromTheFile(t *testing.T) {
	atHome(t)
	file := emptyFile(t)
	key := strings.Repeat("A", 43) + "="
	write(t, file, "engine:\n  home: neo4j\nqueries: q\npacks:\n  trusted_keys: [team.pub, "+key+"]\n")
	c, err := config.Load(nil, file)
	base := filepath.Dir(file)
	if err != nil || c.EngineHome != filepath.Join(base, "neo4j") || c.Queries != filepath.Join(base, "q") ||
		c.PackKeys[0] != filepath.Join(base, "team.pub") || c.PackKeys[1] != key {
		t.Errorf(`got %v, %s %s %v, want EngineHome=filepath.Join(base, "neo4j"), Queries=filepath.Join(base, "q"), c.PackKeys[0]=filepath.Join(base, "team.pub"), c.PackKeys[1]=%v`, err, c.EngineHome, c.Queries, c.PackKeys, key)
	}
}

func TestLoad_NamedConfigFile_IgnoresDotenvOfTheFolder(t *testing.T) {
	atHome(t)
	write(t, "nomograph.yaml", "agent: me\n")
	write(t, ".env", "NEO4J_URI=bolt://127.0.0.1:1\n")
	c := graphtest.Must(config.Load(nil, "nomograph.yaml"))(t)
	graphtest.Values(t, "URI, Agent, Notices", c.URI, "", c.Agent, "me", len(c.Notices), 1)
}

// atHome works in an empty folder, with an empty home.
func atHome(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("XDG_DATA_HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	t.Chdir(t.TempDir())
}

func write(t *testing.T, path, text string) {
	t.Helper()
	graphtest.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestTrust_Show_ListsWhatWouldApply(t *testing.T) { // settings in each form that hides them
	for _, text := range []string{"A=1\n\vNEO4J_HOME=vendor\n", "A=\"\n\"NEO4J_HOME=vendor\n",
		"A=1\n\u00a0NEO4J_HOME=vendor\n", "NEO4J_HOME=other\nA=\"\nNEO4J_HOME=safe\n\"NEO4J_HOME=vendor\n",
		"A=vend\nNEO4J_HOME=${A}or\n"} {
		dir := t.TempDir()
		graphtest.OK(t, os.WriteFile(filepath.Join(dir, ".env"), []byte(text), 0o600))
		found, err := config.ReadEnvFile(dir)
		if entries, invalid := found.Values(); err != nil || invalid != nil || found.Trusted || len(entries) != 1 ||
			entries[0].Key != "engine.home" || entries[0].Value != "vendor" {
			t.Errorf("%q shows %v, %v", text, entries, err)
		}
	}
}

func TestTrust_Show_RefusesWhatTrustRefuses(t *testing.T) {
	for _, text := range []string{"NEO4J_HOME=\"open\n", "NEO4J_HOME=caf\xe9\n", "A=" + strings.Repeat("x", 1<<20) +
		"\n"} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, ".env"), text)
		found, err := config.ReadEnvFile(dir)
		_, shown := found.Values()
		if refused := found.Trust(); err != nil || refused == nil || fmt.Sprint(shown) != fmt.Sprint(refused) {
			t.Errorf("%.20q: got %v, %v, want %v", text, err, shown, refused)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".env"), "NEO4J_PASSWORD=hidden\nNEO4J_URI=bolt://x:${NEO4J_PASSWORD}@h\n")
	found, err := config.ReadEnvFile(dir)
	if values, invalid := found.Values(); err != nil || invalid != nil ||
		strings.Contains(fmt.Sprint(values), "hidden") {
		t.Errorf("got %v, %v, want no password", values, errors.Join(err, invalid))
	}
}
