package main_test

import (
	"testing"
)

func TestCheck_Output_SuitsPeopleAndScripts(t *testing.T) {
	g := withPacks(t)
	environ := g.Environ(t)
	session(t, environ, `
$ policy check 'Move the database' --stakes high --confidence 0.4 --agent ada # 5
out denied\n
out no-high-stakes-low-confidence blocks: 
out action.confidence 0.4
out to pass  action.confidence >= 0.5
out verdict 
not note:
$ policy check 'Rename a variable'
out allowed\n
$ policy check Deploy --context '{"affectsProduction": true, "codeReviewCompleted": true}'
out allowed\n
$ policy check Deploy --context '{"affectsProduction": true}' # 5
out no-production-without-review
$ policy check x --confidence 1.2 # 2
err confidence must be at most 1, not 1.2
$ policy check x --stakes extreme # 2
err must be one of low, medium, high, critical
$ NEO4J_URI=bolt://127.0.0.1:1 policy check x -o json # 4
err "allowed": false
$ verdict explain nosuch # 3
err Verdict 'nosuch' not found
$ verdict list --allowed=false --by ada --field rules
= ["no-high-stakes-low-confidence"]
$ history list threshold claim_promotion_confidence
out value: (none) -> 0.9
$ history list rule x # 2
err must be one of policy, threshold, table
$ threshold get claim_promotion_confidence --as-of 2020-01-01 # 3
err history starts at
$ policy sync --field changed
= 0
$ policy check 'Move the database' -o json --stakes high --confidence 0.4 # 5
out "allowed": false
out "verdict_id": "
$ policy check 'Move the database' --field verdict_id --stakes high --confidence 0.4 # 5
let ID
$ verdict explain $ID
out denied\n`)
}
