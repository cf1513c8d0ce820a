package main_test

import (
	"strconv"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

func TestConfig_SetThenGet_ShowsValueAndSource(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "CSTP_AUTH_TOKENS=ada:swordfish")
	for _, row := range golden.Rows(t, "testdata/settings.txt") {
		args, want := row[0], strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(row[2])
		stdout, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), strings.Fields(args)...)
		if strconv.Itoa(code) != row[1] || !strings.Contains(stdout, want) || !strings.Contains(stderr, row[3]) {
			t.Errorf("%s: got exit %d, %q, %q, want %q", args, code, stdout, stderr, row)
		}
		if strings.Contains(stdout+stderr, "swordfish") {
			t.Errorf("%s shows a secret", args)
		}
	}
}
