package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"nomograph/graph/graphtest"
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
	graphtest.Equal(t, graphtest.Must(load(" a.pub, b=,"))(t).PackKeys, []string{"a.pub", "b="}, "two")
	for _, value := range []string{",", " ", " , ,"} {
		if c, err := load(value); !apperr.Is(err, apperr.Validation) {
			t.Errorf("%q: got %v %v, want %s", value, c.PackKeys, err, apperr.Validation)
		}
	}
	t.Setenv("NOMOGRAPH_PACK_KEYS", "env.pub")
	graphtest.Equal(t, graphtest.Must(load(""))(t).PackKeys, []string{"env.pub"}, "the environment")
}

func emptyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	graphtest.OK(t, os.WriteFile(path, nil, 0o600))
	return path
}
