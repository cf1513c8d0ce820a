package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// TestCompletion_Names_ComeFromTheGraph also checks titles, and ids completed from their first characters.
func TestCompletion_Names_ComeFromTheGraph(t *testing.T) {
	g := withPacks(t)
	environ := append(g.Environ(t), "NOMOGRAPH_AGENT=ann")
	run := func(args ...string) (string, string, int) {
		t.Helper()
		return graphtest.Run(t, environ, nil, graphtest.Binary(t), args...)
	}
	id := func(field string, args ...string) string {
		t.Helper()
		stdout, stderr, code := run(append(args, "-o", "json")...)
		var answer map[string]any
		if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 {
			t.Fatalf("%v: exit %d, %v, %s", args, code, err, stderr)
		}
		text, _ := answer[field].(string)
		return text
	}
	first := id("verdict_id", "policy", "check", "Read a file")
	graphtest.NextMillisecond() // the ids begin with the time
	second := id("verdict_id", "policy", "check", "Write a file")
	decision := id("id", "decision", "log", "Keep files\nfor a year", "--confidence", "0.8", "--category", "process",
		"--session", "filing-one")
	id("session_id", "decision", "think", "And then", "--session", "filing-two")
	url, _ := atAddress(t, g.Environ(t))
	through := append(graphtest.BareEnviron(t), "NOMOGRAPH_AGENT=ann", "NOMOGRAPH_URL="+url)
	if stdout, stderr, code := graphtest.Run(t, append(through, "NOMOGRAPH_URL=http://127.0.0.1:1"), nil,
		graphtest.Binary(t), "__complete", "policy", "get", "NoT"); code != 0 || strings.TrimSpace(stdout) != ":4" {
		t.Errorf("an unavailable server: exit %d, %q, %s", code, stdout, stderr)
	}
	places := [][]string{environ, through}
	for words, want := range map[string]string{
		"verdict explain |" + first[:4]:           first + "\tallowed: Read a file\n",
		"session show |fil":                       "filing-one\tann, ",
		"trace verify filing-one |fil":            "filing-two\tann, ",
		"decision show |" + decision[:2]:          decision + "\tKeep files for a year\n",
		"decision link x |":                       decision + "\tKeep files",
		"policy get |NoT":                         "NoTemporalFacet\t",
		"threshold get |claim_promotion_conf":     "claim_promotion_confidence\t0.9",
		"history list threshold |claim_promotion": "claim_promotion_confidence\t0.9",
		"history list |":                          "threshold\n",
		"policy export |":                         "core\t1.",
		"table get |D10":                          "D10\tClaim promotion eligibility\n",
		"circuit show |stakes":                    "stakes:high\t",
		"decision review x |":                     "success\n",
	} {
		before, prefix, _ := strings.Cut(words, "|")
		for i, place := range places {
			var stdout, stderr string
			var code int
			for try := 0; try < 50 && !strings.Contains(stdout,
				want); try++ { // on a busy machine a completion may time out
				stdout, stderr, code = graphtest.Run(t, place, nil, graphtest.Binary(t),
					append(append([]string{"__complete"}, strings.Fields(before)...), prefix)...)
			}
			if code != 0 || !strings.Contains(stdout, want) {
				t.Errorf("%s, through a server %v: exit %d, %q, %s", words, i == 1, code, stdout, stderr)
			}
		}
	}
	if stdout, _, _ := run("__complete", "threshold", "set", "x", ""); strings.Contains(stdout, "claim") {
		t.Errorf("a value is completed with names: %s", stdout)
	}

	common := 0
	for first[common] == second[common] {
		common++
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"verdict", "explain", first[:common+1]}, 0, first},
		{[]string{"verdict", "explain", strings.ToUpper(second)}, 0, second},
		{[]string{"verdict", "explain", first[:common]}, 1, second},
		{[]string{"verdict", "explain", first[:3]}, 3, "at least 4 characters"},
		{[]string{"verdict", "explain", "nothing"}, 3, "with `nomograph verdict list`"},
		{[]string{"session", "show", "filing-o"}, 0, "filing-one"},
		{[]string{"session", "show", "filing-"}, 1, "Use more of the id: filing-"},
		{[]string{"session", "show", "fil"}, 3, "with `nomograph session list`"},
		{[]string{"trace", "verify", "filing-t"}, 0, ""},
		{[]string{"decision", "show", decision[:6]}, 0, "Keep files"},
	} {
		stdout, stderr, code := run(c.args...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%v: exit %d, %s%s", c.args, code, stdout, stderr)
		}
	}
}

// TestCompletion_StoppedEngine_IsNotStarted: without a running engine, completion immediately offers nothing.
func TestCompletion_StoppedEngine_IsNotStarted(t *testing.T) {
	environ := graphtest.BareEnviron(t)
	stdout, _, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), "__complete", "policy", "get", "")
	if code != 0 || strings.TrimSpace(stdout) != ":4" {
		t.Errorf("exit %d: %q", code, stdout)
	}
	if stdout, _, _ := graphtest.Run(t, environ, nil, graphtest.Binary(t), "engine", "status", "--field",
		"state"); strings.TrimSpace(stdout) != "stopped" {
		t.Errorf("the engine is %s", stdout)
	}
}
