package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// TestFreeze_EveryDoor_DeniesAtOnce freezes an agent on one server and asks on another.
func TestFreeze_EveryDoor_DeniesAtOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	here, other := toolstest.Stage{Graph: g, App: env}, toolstest.Stage{Graph: g, App: toolstest.App(t, g.DB)}
	ask := func(frozen bool) {
		t.Helper()
		says := "The agent 'Bot' is frozen by ada since  ; : it deletes branches"
		other.Names = map[string]string{"denied": `"allowed":true ; -is frozen`, "told": "-is frozen"}
		if frozen {
			other.Names = map[string]string{"denied": says + ` ; -"allowed":true`, "told": says}
		}
		other.Play(t, "testdata/calls/frozen.txt")
	}
	here.Call(t, `ada freeze_agent {"name": " Bot ", "reason": "it deletes branches", "until": "2h"} => "known":false ; "policy":"frozen-agent-bot"`)
	ask(true)
	for _, line := range []string{`ada get_today {} => "frozen":[{"policy":"frozen-agent-bot"`,
		`ada freeze_agent {"name": "bot", "reason": "x", "until": "2020-01-01"} => !validation_error`,
		`ada freeze_agent {"name": "bot", "reason": "x", "until": "soon"} => !validation_error`,
		`ada freeze_agent {"name": "bot"} => !validation_error`,
		`ada freeze_agent {"name": " \u200b", "reason": "x"} => !validation_error`,
		`ada freeze_agent {"name": "ADA", "reason": "x"} => !conflict`,
		`bot unfreeze_agent {"name": "Bot", "reason": "I am fine"} => !permission_denied`} {
		here.Call(t, line)
	}
	// The end passes: the clock cannot be moved, so the end is.
	g.Exec(t, `MATCH (p:SYS_Policy {freezes: 'agent'}) SET p.applies_when = replace(p.applies_when, '("20', '("19'), p.frozen_until = datetime('1990-01-01')`, nil)
	ask(false)
	here.Call(t, `ada get_today {} => "frozen":[]`)
	here.Call(t, `ada freeze_agent {"name": "Bot", "reason": "it deletes branches"}`)
	ask(true)
	here.Call(t, `zoe unfreeze_agent {"name": "bot", "reason": "mended"}`)
	ask(false)
	here.Call(t, `zoe unfreeze_agent {"name": "bot", "reason": "again"} => !not_found`)
	var by []string
	for _, change := range toolstest.Changes(t, g, "SYS_Policy", "frozen-agent-bot") {
		by = append(by, fmt.Sprint(change["by"], " ", change["kind"]))
	}
	graphtest.Equal(t, strings.Join(by, ", "), "ada applied, unknown observed, ada applied, zoe removed", "changes")
}

// TestFreezeSession_AmbientAndNamed_DeniesItsActions freezes a session that no caller named, and a named one.
func TestFreezeSession_AmbientAndNamed_DeniesItsActions(t *testing.T) {
	g, env := toolstest.Open(t)
	stage := toolstest.Stage{Graph: g, App: env}
	stage.Call(t, `zoe record_thought {"text": "a thought"}`)
	ambient := g.Rows(t, "MATCH (s:Session) RETURN s.id AS id", nil)[0]["id"].(string)
	for id, arguments := range map[string]string{ambient: `{"description": "d"}`,
		"named": `{"description": "d", "session_id": "named"}`} {
		for _, does := range []string{"freeze_session ", "unfreeze_session -"} {
			does, lacks, _ := strings.Cut(does, " ")
			stage.Call(t, fmt.Sprintf(`ada %s {"name": %q, "reason": "looks around"}`, does, id))
			stage.Call(t, "zoe check_action "+arguments+" => "+lacks+"The session '"+id+"' is frozen by ada")
			stage.Call(t, `bob check_action {"description": "d"} => "allowed":true`)
		}
	}
}
