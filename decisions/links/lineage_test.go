package links_test

import (
	"testing"

	"github.com/tidwall/gjson"

	"nomograph/tools/toolstest"
)

func TestLineage_Ancestors_AreOrdered(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Some(t, g, "abcdef0123")
	stage := toolstest.Stage{Graph: g, App: env}
	stage.Play(t, "testdata/calls/lineage.txt")
	first := stage.Call(t, `ann get_lineage {"failed": true, "limit": 1} => failures.#.id == ["22222222"] ; failures.0.active_dependents.#.id == ["00000000"]`)
	stage.Call(t, `ann get_lineage {"failed": true, "limit": 1, "cursor": "`+gjson.Get(first, "next_cursor").String()+
		`"} => failures.#.id == ["bbbbbbbb"] ; failures.0.active_dependents.#.id == ["cccccccc"] ; -next_cursor`)
}
