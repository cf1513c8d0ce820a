package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nomograph/internal/apperr"
	"nomograph/internal/config"
)

func TestPackKeys_EmptyValue_IsAnError(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("NOMOGRAPH_PACK_KEYS", "")
	load := func(value string) (config.Config, error) {
		return config.Load(map[string]string{"packs.trusted_keys": value}, emptyFile(t))
	}
	if c, err := load(""); err != nil || c.PackKeys != nil {
		t.Errorf("not given: %v %v", c.PackKeys, err)
	}
	if c, err := load(" a.pub, b=,"); err != nil || !slices.Equal(c.PackKeys, []string{"a.pub", "b="}) {
		t.Errorf("two: %v %v", c.PackKeys, err)
	}
	for _, value := range []string{",", " ", " , ,"} {
		if c, err := load(value); !apperr.Is(err, apperr.Validation) {
			t.Errorf("%q: got %v %v, want %s", value, c.PackKeys, err, apperr.Validation)
		}
	}
	t.Setenv("NOMOGRAPH_PACK_KEYS", "env.pub")
	if c, err := load(""); err != nil || !slices.Equal(c.PackKeys, []string{"env.pub"}) {
		t.Errorf("the environment: %v %v", c.PackKeys, err)
	}
}

func emptyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
