package main_test

import (
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestConfig_SetThenGet_ShowsValueAndSource(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "CSTP_AUTH_TOKENS=ada:swordfish")
	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"config get log.level", 0, "warn\n", ""},
		{"config set log.level debug", 0, "log.level = debug in ", ""},
		{"config get log.level", 0, "debug\n", ""},
		{"config get log.level -o json", 0, "config.yaml", ""},
		{"config list --field key,value,source", 0, "log.level\tdebug\t", ""},
		{"config get auth.tokens", 0, "(set)\n", ""},
		{"config set neo4j.password x", 2, "", "NEO4J_PASSWORD"},
		{"config set log.levle debug", 3, "", "Did you mean log.level"},
		{"config get", 2, "", "give one KEY"},
		{"policies schema", 0, `"$schema"`, ""}, // the plural means the same group
	} {
		stdout, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: got exit %d, %q, %q, want exit %d, %q, %q", c.args, code, stdout, stderr, c.code, c.stdout,
				c.stderr)
		}
		if strings.Contains(stdout+stderr, "swordfish") {
			t.Errorf("%s shows a secret", c.args)
		}
	}
}
