package envvar_test

import (
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/envvar"
)

func TestExpand_References_AreReplacedByValues(t *testing.T) {
	t.Setenv("ENVVAR_A", "$HOME ${ENVVAR_B}") // values are not expanded again
	t.Setenv("ENVVAR_B", "b")
	t.Setenv("ENVVAR_EMPTY", "")
	for text, want := range map[string][2]string{"x": {"x", ""}, "${ENVVAR_B}": {"b", ""},
		"a${ENVVAR_A}c": {"a$HOME ${ENVVAR_B}c", ""}, "$ENVVAR_B": {"$ENVVAR_B", ""},
		"${1}": {"${1}", ""}, "${ENVVAR_EMPTY}${ENVVAR_B}": {"b", "${ENVVAR_EMPTY}"}} {
		got, unset := envvar.Expand(text)
		graphtest.Values(t, text, got, want[0], unset, want[1])
	}
	if !envvar.Only("${A}${B}") || envvar.Only("${A}x") {
		t.Error("Only does not tell references from other text")
	}
}
