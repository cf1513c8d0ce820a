package main_test

import (
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// TestCompletion_Names_ComeFromTheGraph also checks titles, and ids completed from their first characters.
func TestCompletion_Names_ComeFromTheGraph(t *testing.T) {
	g := withPacks(t)
	environ := append(g.Environ(t), "NOMOGRAPH_AGENT=ann")
	id := func(field string, args ...string) string {
		t.Helper()
		return printed(t, environ, append(args, "--field", field)...)
	}
	first := id("verdict_id", "policy", "check", "Read a file")
	graphtest.NextMillisecond() // the ids begin with the time
	second := id("verdict_id", "policy", "check", "Write a file")
	decision := id("id", "decision", "log", "Keep files\nfor a year", "--confidence", "0.8", "--category", "process",
		"--session", "filing-one")
	id("session_id", "decision", "think", "And then", "--session", "filing-two")
	url, _ := atAddress(t, g.Environ(t))
	through := append(graphtest.BareEnviron(t), "NOMOGRAPH_AGENT=ann", "NOMOGRAPH_URL="+url)
	session(t, append(through, "NOMOGRAPH_URL=http://127.0.0.1:1"), "$ __complete policy get NoT\n= :4")
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

	common := 0
	for first[common] == second[common] {
		common++
	}
	session(t, append(environ, "FIRST="+first, "SECOND="+second, "UPPER="+strings.ToUpper(second), "BOTH="+
		first[:common],
		"LONG="+first[:common+1], "SHORT="+first[:3], "DECISION="+decision[:6]), `
$ __complete threshold set x ''
not claim
$ verdict explain $LONG
out $FIRST
$ verdict explain $UPPER
out $SECOND
$ verdict explain $BOTH # 1
err $SECOND
$ verdict explain $SHORT # 3
err at least 4 characters
$ verdict explain nothing # 3
err with `+"`nomograph verdict list`"+`
$ session show filing-o
out filing-one
$ session show filing- # 1
err Use more of the id: filing-
$ session show fil # 3
err with `+"`nomograph session list`"+`
$ trace verify filing-t
$ decision show $DECISION
out Keep files`)
}

// TestCompletion_StoppedEngine_IsNotStarted: without a running engine, completion immediately offers nothing.
func TestCompletion_StoppedEngine_IsNotStarted(t *testing.T) {
	session(t, graphtest.BareEnviron(t), `
$ __complete policy get ''
= :4
$ engine status --field state
= stopped`)
}
